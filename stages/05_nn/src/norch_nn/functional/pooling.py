"""Pooling: one number for all that lie under a window that slides, and back again.

max_pool and its indices, max_unpool, and lp_pool; the means (avg_pool) are operations of stage 4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from norch_autograd import Tensor, int64, ops, scatter
from norch_autograd.graph.family import family
from norch_autograd.ops.nn.max_pool import pool_with_indices
from norch_nn.core.sizes import Sizes
from norch_nn.functional.activation import relu

MEANS = {1: ops.avg_pool1d, 2: ops.avg_pool2d, 3: ops.avg_pool3d}


@family("max_pool{}d_with_indices")
def _max_pool_with_indices(
    dims: int,
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,  # an argument of PyTorch's, which decides nothing there either
) -> Any:
    return pool_with_indices(dims, input, kernel_size, stride, padding, dilation, ceil_mode)


max_pool1d_with_indices = _max_pool_with_indices(1)("""
    Return max_pool1d and the places of the maxima, whatever `return_indices` says.

    >>> [part.tolist() for part in max_pool1d_with_indices(norch.tensor([[1.0, 3.0]]), 2)]
    [[[3.0]], [[1]]]
""")
max_pool2d_with_indices = _max_pool_with_indices(2)("""
    Return max_pool2d and the places of the maxima, whatever `return_indices` says.

    >>> [p.tolist() for p in max_pool2d_with_indices(norch.arange(4.0).reshape(1, 2, 2), 2)]
    [[[[3.0]]], [[[3]]]]
""")
max_pool3d_with_indices = _max_pool_with_indices(3)("""
    Return max_pool3d and the places of the maxima, whatever `return_indices` says.

    >>> [p.item() for p in max_pool3d_with_indices(norch.arange(8.0).reshape(1, 2, 2, 2), 2)]
    [7.0, 7]
""")


@family("max_pool{}d")
def _max_pool(
    dims: int,
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    pooled = pool_with_indices(dims, input, kernel_size, stride, padding, dilation, ceil_mode)
    return pooled if return_indices else pooled[0]


max_pool1d = _max_pool(1)("""
    Return the largest element under each window of (N, C, L) or (C, L); as `max_pool2d`.

    >>> max_pool1d(norch.tensor([[1.0, 2.0, 4.0, 3.0]]), 2).tolist()
    [[2.0, 4.0]]
""")
max_pool2d = _max_pool(2)("""
    Return the largest element under each window of (N, C, H, W) or (C, H, W).

    `stride` None is the kernel's size. Padding never wins. `ceil_mode` keeps a last window that is
    cut off. With `return_indices` also the place of each maximum: row · width + column.

    >>> max_pool2d(norch.arange(16.0).reshape(1, 4, 4), 2).tolist()
    [[[5.0, 7.0], [13.0, 15.0]]]
""")
max_pool3d = _max_pool(3)("""
    Return the largest element under each window of (N, C, D, H, W) or (C, D, H, W); as
    `max_pool2d`.

    >>> max_pool3d(norch.arange(8.0).reshape(1, 2, 2, 2), 2).tolist()
    [[[[7.0]]]]
""")


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
        _each(op, what, value, dims)
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


def _each(op: str, what: str, value: Sizes, dims: int) -> tuple[int, ...]:
    """Return one number for each direction."""
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
