"""MaxPool2d, AvgPool2d and AdaptiveAvgPool2d: the functions of those names as layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from norch_autograd import Tensor
from norch_nn import functional as F
from norch_nn.module import Module

__all__ = ["AdaptiveAvgPool2d", "AvgPool2d", "MaxPool2d"]

Sizes = int | Sequence[int]


class MaxPool2d(Module):
    """The largest element under each window of (N, C, H, W) or (C, H, W).

    >>> import norch_autograd as norch
    >>> MaxPool2d(2)(norch.arange(16.0).reshape(1, 4, 4)).tolist()
    [[[5.0, 7.0], [13.0, 15.0]]]
    """

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        """Choose the window; `stride` None is its own size."""
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Any:
        """Slide the window over each image."""
        options = (self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices)
        return F.max_pool2d(input, self.kernel_size, *options)

    def extra_repr(self) -> str:
        """Show the options."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class AvgPool2d(Module):
    """The mean under each window of (N, C, H, W) or (C, H, W).

    >>> import norch_autograd as norch
    >>> AvgPool2d(2)(norch.arange(16.0).reshape(1, 4, 4)).tolist()
    [[[2.5, 4.5], [10.5, 12.5]]]
    """

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        """Choose the window; `stride` None is its own size."""
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """Slide the window over each image."""
        counting = (self.ceil_mode, self.count_include_pad, self.divisor_override)
        return F.avg_pool2d(input, self.kernel_size, self.stride, self.padding, *counting)

    def extra_repr(self) -> str:
        """Show the window."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AdaptiveAvgPool2d(Module):
    """Means of as many windows as `output_size` says, whatever the size of the image.

    >>> import norch_autograd as norch
    >>> AdaptiveAvgPool2d(1)(norch.arange(6.0).reshape(1, 2, 3)).tolist()
    [[[2.5]]]
    """

    def __init__(self, output_size: int | Sequence[int | None] | None) -> None:
        """Choose how many windows there are; None in it keeps the size of the image."""
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """Average each image down (or spread it) to the output size."""
        return F.adaptive_avg_pool2d(input, self.output_size)

    def extra_repr(self) -> str:
        """Show the size."""
        return f"output_size={self.output_size}"
