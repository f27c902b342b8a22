"""Layers that change the size of pictures: adaptive pooling, upsampling, fold and unfold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from norch_autograd import Tensor
from norch_nn import functional as F
from norch_nn.module import Module

Sizes = int | Sequence[int]


class AdaptiveAvgPool1d(Module):
    """Means of as many windows as `output_size` says, of (N, C, L) or (C, L).

    >>> AdaptiveAvgPool1d(2)(norch.tensor([[1.0, 2.0, 6.0]])).tolist()
    [[1.5, 4.0]]
    """

    def __init__(self, output_size: Any) -> None:
        """Choose how many windows there are; None in it keeps the size."""
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """Bring each signal to the output size."""
        return F.adaptive_avg_pool1d(input, self.output_size)

    def extra_repr(self) -> str:
        """Show the size."""
        return f"output_size={self.output_size}"


class AdaptiveAvgPool2d(Module):
    """Means of as many windows as `output_size` says, of (N, C, H, W) or (C, H, W).

    >>> AdaptiveAvgPool2d(1)(norch.arange(6.0).reshape(1, 2, 3)).tolist()
    [[[2.5]]]
    """

    def __init__(self, output_size: Any) -> None:
        """Choose how many windows there are; None in it keeps the size."""
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """Bring each image to the output size."""
        return F.adaptive_avg_pool2d(input, self.output_size)

    def extra_repr(self) -> str:
        """Show the size."""
        return f"output_size={self.output_size}"


class AdaptiveAvgPool3d(Module):
    """Means of as many windows as `output_size` says, of (N, C, D, H, W) or (C, D, H, W).

    >>> AdaptiveAvgPool3d(1)(norch.arange(8.0).reshape(1, 2, 2, 2)).tolist()
    [[[[3.5]]]]
    """

    def __init__(self, output_size: Any) -> None:
        """Choose how many windows there are; None in it keeps the size."""
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """Bring each volume to the output size."""
        return F.adaptive_avg_pool3d(input, self.output_size)

    def extra_repr(self) -> str:
        """Show the size."""
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(Module):
    """The largest elements under as many windows as wanted, of (N, C, L) or (C, L).

    >>> AdaptiveMaxPool1d(2)(norch.tensor([[1.0, 2.0, 6.0]])).tolist()
    [[2.0, 6.0]]
    """

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        """Choose how many windows there are, and whether the places of the maxima are wanted."""
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        """Bring each signal to the output size."""
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)

    def extra_repr(self) -> str:
        """Show the size."""
        return f"output_size={self.output_size}"


class AdaptiveMaxPool2d(Module):
    """The largest elements under as many windows as wanted, of (N, C, H, W) or (C, H, W).

    >>> AdaptiveMaxPool2d((1, None))(norch.arange(6.0).reshape(1, 2, 3)).tolist()
    [[[3.0, 4.0, 5.0]]]
    """

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        """Choose how many windows there are, and whether the places of the maxima are wanted."""
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        """Bring each image to the output size."""
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)

    def extra_repr(self) -> str:
        """Show the size."""
        return f"output_size={self.output_size}"


class AdaptiveMaxPool3d(AdaptiveMaxPool2d):
    """The largest elements under as many windows as wanted, of (N, C, D, H, W) or (C, D, H, W).

    >>> AdaptiveMaxPool3d((None, 1, 1))(norch.arange(8.0).reshape(1, 2, 2, 2)).flatten().tolist()
    [3.0, 7.0]
    """

    def forward(self, input: Tensor) -> Any:
        """Bring each volume to the output size."""
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)


class Upsample(Module):
    """Pictures (N, C, *sizes) of another size, by `functional.interpolate`.

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
        """Resize each picture."""
        options = (self.mode, self.align_corners, self.recompute_scale_factor)
        return F.interpolate(input, self.size, self.scale_factor, *options)

    def extra_repr(self) -> str:
        """Show the size or the factor, and the mode."""
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


class Unfold(Module):
    """Every patch of (N, C, H, W) as a column: (N, C · KH · KW, L).

    >>> tuple(Unfold((2, 3))(norch.zeros(2, 5, 3, 4)).shape)
    (2, 30, 4)
    """

    def __init__(
        self, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1
    ) -> None:
        """Choose the window."""
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """Take the patches."""
        options = (self.kernel_size, self.dilation, self.padding, self.stride)
        return F.unfold(input, *options)

    def extra_repr(self) -> str:
        """Show the window."""
        return (
            f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, "
            f"stride={self.stride}"
        )


class Fold(Module):
    """Columns (N, C · KH · KW, L) added back to images (N, C, *output_size).

    >>> Fold((2, 3), 2)(norch.ones(1, 4, 2)).tolist()
    [[[[1.0, 2.0, 1.0], [1.0, 2.0, 1.0]]]]
    """

    def __init__(
        self,
        output_size: Sizes,
        kernel_size: Sizes,
        dilation: Sizes = 1,
        padding: Sizes = 0,
        stride: Sizes = 1,
    ) -> None:
        """Choose the size of the images and the window."""
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """Add the columns back."""
        options = (self.kernel_size, self.dilation, self.padding, self.stride)
        return F.fold(input, self.output_size, *options)

    def extra_repr(self) -> str:
        """Show the size and the window."""
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, "
            f"dilation={self.dilation}, padding={self.padding}, stride={self.stride}"
        )
