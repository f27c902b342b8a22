"""Further pooling: roots of sums of powers (LPPool), and maxima put back (MaxUnpool)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from norch_autograd import Tensor, int64, ops, scatter
from norch_autograd.graph.family import family
from norch_autograd.graph.operands import in_own_name
from norch_nn.core.sizes import Sizes
from norch_nn.functional.activation import relu
from norch_nn.modules.pooling import Pooling

MEANS = {1: ops.avg_pool1d, 2: ops.avg_pool2d, 3: ops.avg_pool3d}
MAXIMA = {1: ops.max_pool1d, 2: ops.max_pool2d, 3: ops.max_pool3d}


@family("max_unpool{}d")
def _max_unpool(
    dims: int,
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    op = f"max_unpool{dims}d"
    if input.ndim not in (dims + 1, dims + 2) or input.shape != indices.shape:
        raise RuntimeError(
            f"[{op}] expected maxima of {dims + 1} or {dims + 2} dimensions and indices of the "
            f"same shape, got {tuple(input.shape)} and {tuple(indices.shape)}"
        )
    if indices.dtype != int64:
        raise RuntimeError(f"[{op}] indices must be int64, got {indices.dtype}")
    kernel, step, around = (
        _unpool_sizes(op, what, value, dims)
        for what, value in (
            ("kernel_size", kernel_size),
            ("stride", kernel_size if stride is None else stride),
            ("padding", padding),
        )
    )
    sizes: Any = [
        (n - 1) * s - 2 * p + k
        for n, s, p, k in zip(input.shape[-dims:], step, around, kernel, strict=True)
    ]
    if output_size is not None:
        wanted = list(output_size)[-dims:]
        if len(wanted) != dims or any(
            not n - s < w < n + s for n, s, w in zip(sizes, step, wanted, strict=True)
        ):
            raise ValueError(
                f"[{op}] output_size {tuple(output_size)} is not within a stride of {tuple(sizes)}"
            )
        sizes = wanted
    flat = input.flatten(-dims)
    if (indices >= math.prod(sizes)).any().item():
        raise RuntimeError(f"[{op}] an index lies outside the output of size {tuple(sizes)}")
    empty = input.new_zeros((*flat.shape[:-1], math.prod(sizes)))
    return scatter(empty, -1, indices.flatten(-dims), flat).unflatten(-1, tuple(sizes))


def _unpool_sizes(op: str, what: str, value: Sizes, dims: int) -> tuple[int, ...]:
    """Return a size of a max_unpool window, one number for each direction, or refuse it."""
    sizes = (value,) * dims if isinstance(value, int) else tuple(value)
    if len(sizes) != dims:
        raise ValueError(f"[{op}] {what} must be one number or {dims}, got {value}")
    return sizes


max_unpool1d = _max_unpool(1)("""
    Put maxima of signals back, zeros elsewhere; as `max_unpool2d`.

    >>> max_unpool1d(norch.tensor([[5.0, 7.0]]), norch.tensor([[1, 2]]), 2).tolist()
    [[0.0, 5.0, 7.0, 0.0]]
""")


max_unpool2d = _max_unpool(2)("""
    Put maxima back where `max_pool2d(..., return_indices=True)` found them, zeros elsewhere.

    The result is (H - 1) stride - 2 padding + KH high, unless `output_size` says otherwise.

    >>> max_unpool2d(norch.tensor([[[7.0]]]), norch.tensor([[[2]]]), 2).tolist()
    [[[0.0, 0.0], [7.0, 0.0]]]
""")


max_unpool3d = _max_unpool(3)("""
    Put maxima of volumes back, zeros elsewhere; as `max_unpool2d`.

    >>> max_unpool3d(norch.tensor([[[[7.0]]]]), norch.tensor([[[[3]]]]), (1, 2, 2)).tolist()
    [[[[0.0, 0.0], [0.0, 7.0]]]]
""")


@family("lp_pool{}d")
def _lp_pool(
    dims: int,
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    if isinstance(norm_type, float) and math.isinf(norm_type):  # the largest or least magnitude
        sign = math.copysign(1, norm_type)
        magnitudes = MAXIMA[dims](input.abs() * sign, kernel_size, stride, ceil_mode=ceil_mode)
        return magnitudes * sign
    # Of the means of xᵖ comes the sum; its root of a negative sum is NaN, and sign · relu · abs
    # change no number, but stop the gradient at 0, as in PyTorch.
    means = MEANS[dims](input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    places = kernel_size**dims if isinstance(kernel_size, int) else math.prod(kernel_size)
    return (means.sign() * relu(means.abs()) * places).pow(1.0 / norm_type)


lp_pool1d = _lp_pool(1)("""
    Return (Σ xᵖ)^(1/p) under each window of (N, C, L) or (C, L), p = norm_type.

    >>> lp_pool1d(norch.tensor([[3.0, 4.0]]), 2, 2).tolist()
    [[5.0]]
""")


lp_pool2d = _lp_pool(2)("""
    Return (Σ xᵖ)^(1/p) under each window of (N, C, H, W) or (C, H, W), p = norm_type.

    >>> lp_pool2d(norch.ones(1, 2, 2), 1, 2).tolist()
    [[[4.0]]]
""")


lp_pool3d = _lp_pool(3)("""
    Return (Σ xᵖ)^(1/p) under each window of (N, C, D, H, W) or (C, D, H, W), p = norm_type.

    >>> lp_pool3d(norch.ones(1, 2, 2, 2), 1, 2).tolist()
    [[[[8.0]]]]
""")


class MaxUnpooling(Pooling):
    """What max unpooling layers share: the window that the maxima came from."""

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
        """Return the size of a MaxUnpool window, one number for each direction."""
        return (value,) * self.dims if isinstance(value, int) else tuple(value)


class MaxUnpool1d(MaxUnpooling):
    """The maxima of `MaxPool1d(..., return_indices=True)` back in their places, zeros elsewhere.

    >>> x = norch.arange(4.0).reshape(1, 4)
    >>> MaxUnpool1d(2)(*nn.MaxPool1d(2, return_indices=True)(x)).tolist()
    [[0.0, 1.0, 0.0, 3.0]]
    """

    dims, unpool = 1, staticmethod(max_unpool1d)


class MaxUnpool2d(MaxUnpooling):
    """The maxima of `MaxPool2d(..., return_indices=True)` back in their places, zeros elsewhere.

    >>> x = norch.arange(4.0).reshape(1, 2, 2)
    >>> MaxUnpool2d(2)(*nn.MaxPool2d(2, return_indices=True)(x)).tolist()
    [[[0.0, 0.0], [0.0, 3.0]]]
    """

    dims, unpool = 2, staticmethod(max_unpool2d)


class MaxUnpool3d(MaxUnpooling):
    """The maxima of `MaxPool3d(..., return_indices=True)` back in their places, zeros elsewhere.

    >>> x = norch.arange(8.0).reshape(1, 2, 2, 2)
    >>> MaxUnpool3d(2)(*nn.MaxPool3d(2, return_indices=True)(x)).tolist()
    [[[[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 7.0]]]]
    """

    dims, unpool = 3, staticmethod(max_unpool3d)


class LPPooling(Pooling):
    """What LPPool layers share: the options."""

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
        options = (float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)
        result: Tensor = self.pool(input, *options)
        return result


class LPPool1d(LPPooling):
    """(Σ xᵖ)^(1/p) under each window of (N, C, L) or (C, L).

    >>> LPPool1d(2, 2)(norch.tensor([[3.0, 4.0]])).tolist()
    [[5.0]]
    """

    pool = staticmethod(lp_pool1d)


class LPPool2d(LPPooling):
    """(Σ xᵖ)^(1/p) under each window of (N, C, H, W) or (C, H, W).

    >>> LPPool2d(1, 2)(norch.ones(1, 2, 2)).tolist()
    [[[4.0]]]
    """

    pool = staticmethod(lp_pool2d)


class LPPool3d(LPPooling):
    """(Σ xᵖ)^(1/p) under each window of (N, C, D, H, W) or (C, D, H, W).

    >>> LPPool3d(1, 2)(norch.ones(1, 2, 2, 2)).tolist()
    [[[[8.0]]]]
    """

    pool = staticmethod(lp_pool3d)
