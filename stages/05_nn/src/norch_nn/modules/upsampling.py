"""Upsample and its two older forms: images of another size."""

from __future__ import annotations

from collections.abc import Sequence

from norch_autograd import Tensor
from norch_nn import functional as F
from norch_nn.core.module import Module
from norch_nn.core.sizes import Sizes


class Upsample(Module):
    """Images (N, C, *sizes) of another size, by `functional.interpolate`.

    >>> Upsample(scale_factor=2)(norch.tensor([[[1.0, 2.0]]])).tolist()
    [[[1.0, 1.0, 2.0, 2.0]]]
    """

    def __init__(
        self,
        size: Sizes | None = None,
        scale_factor: float | Sequence[float] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        """Choose the size or the factor, and how what lies between pixels is made up."""
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        self.scale_factor = scale_factor
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        options = (self.mode, self.align_corners, self.recompute_scale_factor)
        return F.interpolate(input, self.size, self.scale_factor, *options)

    def extra_repr(self) -> str:
        given = (
            f"size={self.size}"
            if self.scale_factor is None
            else f"scale_factor={float(self.scale_factor)}"
            if isinstance(self.scale_factor, int | float)
            else f"scale_factor={tuple(map(float, self.scale_factor))}"
        )
        return f"{given}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Images (N, C, H, W) of another size, each pixel repeated.

    >>> tuple(UpsamplingNearest2d(scale_factor=2)(norch.zeros(1, 3, 4, 5)).shape)
    (1, 3, 8, 10)
    """

    def __init__(
        self, size: Sizes | None = None, scale_factor: float | Sequence[float] | None = None
    ) -> None:
        """Choose the size or the factor."""
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Images (N, C, H, W) of another size, weighted between pixels; the corners stay.

    >>> UpsamplingBilinear2d((1, 3))(norch.tensor([[[[1.0, 2.0]]]])).tolist()
    [[[[1.0, 1.5, 2.0]]]]
    """

    def __init__(
        self, size: Sizes | None = None, scale_factor: float | Sequence[float] | None = None
    ) -> None:
        """Choose the size or the factor."""
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
