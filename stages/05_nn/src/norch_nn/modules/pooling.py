"""MaxPool and AvgPool in one, two and three dimensions, as layers.

Each names the function that computes; the bases hold the options.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from norch_autograd import Tensor
from norch_autograd.graph.operands import in_own_name
from norch_nn import functional as F
from norch_nn.core.module import Module
from norch_nn.core.sizes import Sizes


class Pooling(Module):
    """A pooling layer: the function that computes, and a repr of the options named in `shown`."""

    pool: Callable[..., Any]
    shown: tuple[str, ...] = ("kernel_size", "stride", "padding")

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={getattr(self, name)}" for name in self.shown)


class MaxPooling(Pooling):
    """What max pooling layers share: the options."""

    shown = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")

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
        options = (self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices)
        return self.pool(input, self.kernel_size, *options)


class MaxPool1d(MaxPooling):
    """The largest element under each window of (N, C, L) or (C, L).

    >>> MaxPool1d(2)(norch.arange(4.0).reshape(1, 4)).tolist()
    [[1.0, 3.0]]
    """

    pool = staticmethod(F.max_pool1d)


class MaxPool2d(MaxPooling):
    """The largest element under each window of (N, C, H, W) or (C, H, W).

    >>> MaxPool2d(2)(norch.arange(16.0).reshape(1, 4, 4)).tolist()
    [[[5.0, 7.0], [13.0, 15.0]]]
    """

    pool = staticmethod(F.max_pool2d)


class MaxPool3d(MaxPooling):
    """The largest element under each window of (N, C, D, H, W) or (C, D, H, W).

    >>> MaxPool3d(2)(norch.arange(8.0).reshape(1, 2, 2, 2)).tolist()
    [[[[7.0]]]]
    """

    pool = staticmethod(F.max_pool3d)


class AvgPool1d(Pooling):
    """The mean under each window of (N, C, L) or (C, L).

    >>> AvgPool1d(2)(norch.arange(4.0).reshape(1, 4)).tolist()
    [[0.5, 2.5]]
    """

    @in_own_name
    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        """Choose the window; `stride` None is its own size."""
        super().__init__()
        self.kernel_size = (kernel_size,) if isinstance(kernel_size, int) else tuple(kernel_size)
        step = self.kernel_size if stride is None else stride
        self.stride = (step,) if isinstance(step, int) else tuple(step)
        self.padding = (padding,) if isinstance(padding, int) else tuple(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        options = (self.stride, self.padding, self.ceil_mode, self.count_include_pad)
        return F.avg_pool1d(input, self.kernel_size, *options)


class AvgPooling(Pooling):
    """What average pooling layers of images and volumes share: the options."""

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
        kernel, step, padding = self.kernel_size, self.stride, self.padding
        ceils, includes, divisor = self.ceil_mode, self.count_include_pad, self.divisor_override
        result: Tensor = self.pool(input, kernel, step, padding, ceils, includes, divisor)
        return result


class AvgPool2d(AvgPooling):
    """The mean under each window of (N, C, H, W) or (C, H, W).

    >>> AvgPool2d(2)(norch.arange(16.0).reshape(1, 4, 4)).tolist()
    [[[2.5, 4.5], [10.5, 12.5]]]
    """

    pool = staticmethod(F.avg_pool2d)


class AvgPool3d(AvgPooling):
    """The mean under each window of (N, C, D, H, W) or (C, D, H, W).

    >>> AvgPool3d(2)(norch.arange(8.0).reshape(1, 2, 2, 2)).tolist()
    [[[[3.5]]]]
    """

    pool = staticmethod(F.avg_pool3d)
