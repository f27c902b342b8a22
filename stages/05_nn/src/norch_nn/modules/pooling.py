"""MaxPool, AvgPool, LPPool and MaxUnpool in one, two and three dimensions, as layers.

Each names the function that computes; the bases hold the options.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from norch_autograd import Tensor
from norch_autograd.graph.operands import in_own_name
from norch_nn import functional as F
from norch_nn.core.module import Module
from norch_nn.core.sizes import Sizes


class Pooling(Module):
    """What all share: the function that computes, and a repr of the options named in `shown`."""

    pool: Callable[..., Any]
    shown: tuple[str, ...] = ("kernel_size", "stride", "padding")

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={getattr(self, name)}" for name in self.shown)


class MaxPooling(Pooling):
    """What the maxima share: the options."""

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
    """What the averages over images and volumes share: the options."""

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
        counting = (self.ceil_mode, self.count_include_pad, self.divisor_override)
        return self.pool(input, self.kernel_size, self.stride, self.padding, *counting)


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


class MaxUnpooling(Pooling):
    """What the inverses share: the window that the maxima came from."""

    dims = 0
    unpool: Callable[..., Tensor]

    @in_own_name
    def __init__(self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0) -> None:
        """Choose the window of the pooling; `stride` None is its own size."""
        super().__init__()
        self.kernel_size = self._each(kernel_size)
        self.stride = self.kernel_size if stride is None else self._each(stride)
        self.padding = self._each(padding)

    def forward(
        self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None
    ) -> Tensor:
        """Put the maxima back; `output_size` chooses among the sizes a stride can come from."""
        options = (self.kernel_size, self.stride, self.padding, output_size)
        return self.unpool(input, indices, *options)

    def _each(self, value: Sizes) -> tuple[int, ...]:
        """Return one number for each direction."""
        return (value,) * self.dims if isinstance(value, int) else tuple(value)


class MaxUnpool1d(MaxUnpooling):
    """The maxima of `MaxPool1d(..., return_indices=True)` back in their places, zeros elsewhere.

    >>> x = norch.arange(4.0).reshape(1, 4)
    >>> MaxUnpool1d(2)(*MaxPool1d(2, return_indices=True)(x)).tolist()
    [[0.0, 1.0, 0.0, 3.0]]
    """

    dims, unpool = 1, staticmethod(F.max_unpool1d)


class MaxUnpool2d(MaxUnpooling):
    """The maxima of `MaxPool2d(..., return_indices=True)` back in their places, zeros elsewhere.

    >>> x = norch.arange(4.0).reshape(1, 2, 2)
    >>> MaxUnpool2d(2)(*MaxPool2d(2, return_indices=True)(x)).tolist()
    [[[0.0, 0.0], [0.0, 3.0]]]
    """

    dims, unpool = 2, staticmethod(F.max_unpool2d)


class MaxUnpool3d(MaxUnpooling):
    """The maxima of `MaxPool3d(..., return_indices=True)` back in their places, zeros elsewhere.

    >>> x = norch.arange(8.0).reshape(1, 2, 2, 2)
    >>> MaxUnpool3d(2)(*MaxPool3d(2, return_indices=True)(x)).tolist()
    [[[[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 7.0]]]]
    """

    dims, unpool = 3, staticmethod(F.max_unpool3d)


class LPPooling(Pooling):
    """What the powers share: the options."""

    shown = ("norm_type", "kernel_size", "stride", "ceil_mode")

    def __init__(
        self,
        norm_type: float,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        ceil_mode: bool = False,
    ) -> None:
        """Choose the power and the window; `stride` None is its own size."""
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        p = float(self.norm_type)
        return self.pool(input, p, self.kernel_size, self.stride, self.ceil_mode)


class LPPool1d(LPPooling):
    """(Σ xᵖ)^(1/p) under each window of (N, C, L) or (C, L).

    >>> LPPool1d(2, 2)(norch.tensor([[3.0, 4.0]])).tolist()
    [[5.0]]
    """

    pool = staticmethod(F.lp_pool1d)


class LPPool2d(LPPooling):
    """(Σ xᵖ)^(1/p) under each window of (N, C, H, W) or (C, H, W).

    >>> LPPool2d(1, 2)(norch.ones(1, 2, 2)).tolist()
    [[[4.0]]]
    """

    pool = staticmethod(F.lp_pool2d)


class LPPool3d(LPPooling):
    """(Σ xᵖ)^(1/p) under each window of (N, C, D, H, W) or (C, D, H, W).

    >>> LPPool3d(1, 2)(norch.ones(1, 2, 2, 2)).tolist()
    [[[[8.0]]]]
    """

    pool = staticmethod(F.lp_pool3d)


class AdaptivePooling(Pooling):
    """What they share: the number of windows."""

    shown = ("output_size",)

    def __init__(self, output_size: Any) -> None:
        """Choose how many windows there are; None in it keeps the size."""
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Any:
        return self.pool(input, self.output_size)


class AdaptiveMaxPooling(AdaptivePooling):
    """What the maxima share besides: whether their places are returned."""

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        """Choose how many windows there are, and whether the places of the maxima are wanted."""
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        return self.pool(input, self.output_size, self.return_indices)


class AdaptiveAvgPool1d(AdaptivePooling):
    """Means of as many windows as `output_size` says, of (N, C, L) or (C, L).

    >>> AdaptiveAvgPool1d(2)(norch.tensor([[1.0, 2.0, 6.0]])).tolist()
    [[1.5, 4.0]]
    """

    pool = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(AdaptivePooling):
    """Means of as many windows as `output_size` says, of (N, C, H, W) or (C, H, W).

    >>> AdaptiveAvgPool2d(1)(norch.arange(6.0).reshape(1, 2, 3)).tolist()
    [[[2.5]]]
    """

    pool = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(AdaptivePooling):
    """Means of as many windows as `output_size` says, of (N, C, D, H, W) or (C, D, H, W).

    >>> AdaptiveAvgPool3d(1)(norch.arange(8.0).reshape(1, 2, 2, 2)).tolist()
    [[[[3.5]]]]
    """

    pool = staticmethod(F.adaptive_avg_pool3d)


class AdaptiveMaxPool1d(AdaptiveMaxPooling):
    """The largest elements under as many windows as wanted, of (N, C, L) or (C, L).

    >>> AdaptiveMaxPool1d(2)(norch.tensor([[1.0, 2.0, 6.0]])).tolist()
    [[2.0, 6.0]]
    """

    pool = staticmethod(F.adaptive_max_pool1d)


class AdaptiveMaxPool2d(AdaptiveMaxPooling):
    """The largest elements under as many windows as wanted, of (N, C, H, W) or (C, H, W).

    >>> AdaptiveMaxPool2d((1, None))(norch.arange(6.0).reshape(1, 2, 3)).tolist()
    [[[3.0, 4.0, 5.0]]]
    """

    pool = staticmethod(F.adaptive_max_pool2d)


class AdaptiveMaxPool3d(AdaptiveMaxPooling):
    """The largest elements under as many windows as wanted, of (N, C, D, H, W) or (C, D, H, W).

    >>> AdaptiveMaxPool3d((None, 1, 1))(norch.arange(8.0).reshape(1, 2, 2, 2)).flatten().tolist()
    [3.0, 7.0]
    """

    pool = staticmethod(F.adaptive_max_pool3d)
