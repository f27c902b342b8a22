"""Pooling: one number for all that lie under a window that slides, and back again.

max_pool and its indices, max_unpool, and lp_pool; the means (avg_pool) are operations of stage 4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from norch_autograd import Tensor, int64, ops, scatter
from norch_autograd.graph.operands import in_own_name
from norch_nn.core.sizes import Sizes
from norch_nn.functional.activation import relu


@in_own_name
def max_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the largest element under each window of (N, C, L) or (C, L); as `max_pool2d`.

    >>> max_pool1d(norch.tensor([[1.0, 2.0, 4.0, 3.0]]), 2).tolist()
    [[2.0, 4.0]]
    """
    found = ops.max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    return found if return_indices else found[0]


@in_own_name
def max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the largest element under each window of (N, C, H, W) or (C, H, W).

    `stride` None is the kernel's size. Padding never wins. `ceil_mode` keeps a last window that is
    cut off. With `return_indices` also the place of each maximum: row · width + column.

    >>> max_pool2d(norch.arange(16.0).reshape(1, 4, 4), 2).tolist()
    [[[5.0, 7.0], [13.0, 15.0]]]
    """
    found = ops.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    return found if return_indices else found[0]


@in_own_name
def max_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the largest element under each window of (N, C, D, H, W) or (C, D, H, W); as
    `max_pool2d`.

    >>> max_pool3d(norch.arange(8.0).reshape(1, 2, 2, 2), 2).tolist()
    [[[[7.0]]]]
    """
    found = ops.max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    return found if return_indices else found[0]


@in_own_name
def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return max_pool1d and the places of the maxima, whatever `return_indices` says.

    >>> [part.tolist() for part in max_pool1d_with_indices(norch.tensor([[1.0, 3.0]]), 2)]
    [[[3.0]], [[1]]]
    """
    return max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


@in_own_name
def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return max_pool2d and the places of the maxima, whatever `return_indices` says.

    >>> [p.tolist() for p in max_pool2d_with_indices(norch.arange(4.0).reshape(1, 2, 2), 2)]
    [[[[3.0]]], [[[3]]]]
    """
    return max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


@in_own_name
def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return max_pool3d and the places of the maxima, whatever `return_indices` says.

    >>> [p.item() for p in max_pool3d_with_indices(norch.arange(8.0).reshape(1, 2, 2, 2), 2)]
    [7.0, 7]
    """
    return max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


@in_own_name
def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Put maxima of signals back, zeros elsewhere; as `max_unpool2d`.

    >>> max_unpool1d(norch.tensor([[5.0, 7.0]]), norch.tensor([[1, 2]]), 2).tolist()
    [[0.0, 5.0, 7.0, 0.0]]
    """
    options = (kernel_size, stride, padding, output_size)
    return _unpooled("max_unpool1d", 1, input, indices, *options)


@in_own_name
def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Put maxima back where `max_pool2d(..., return_indices=True)` found them, zeros elsewhere.

    The result is (H - 1) stride - 2 padding + KH high, unless `output_size` says otherwise.

    >>> max_unpool2d(norch.tensor([[[7.0]]]), norch.tensor([[[2]]]), 2).tolist()
    [[[0.0, 0.0], [7.0, 0.0]]]
    """
    options = (kernel_size, stride, padding, output_size)
    return _unpooled("max_unpool2d", 2, input, indices, *options)


@in_own_name
def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Put maxima of volumes back, zeros elsewhere; as `max_unpool2d`.

    >>> max_unpool3d(norch.tensor([[[[7.0]]]]), norch.tensor([[[[3]]]]), (1, 2, 2)).tolist()
    [[[[0.0, 0.0], [0.0, 7.0]]]]
    """
    options = (kernel_size, stride, padding, output_size)
    return _unpooled("max_unpool3d", 3, input, indices, *options)


def _unpooled(
    op: str,
    dims: int,
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None,
    padding: Sizes,
    output_size: Sequence[int] | None,
) -> Tensor:
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


def _counted(kernel_size: Sizes, dims: int) -> int:
    """Return how many places a window has."""
    sizes = [kernel_size] * dims if isinstance(kernel_size, int) else kernel_size
    count = 1
    for size in sizes:
        count *= size
    return count


def _rooted(means: Tensor, places: int, norm_type: float) -> Tensor:
    """Return (Σ xᵖ)^(1/p) of the means of xᵖ; the root of a negative sum is NaN.

    sign · relu · abs change no number, but stop the gradient at 0, as in PyTorch.
    """
    return (means.sign() * relu(means.abs()) * places).pow(1.0 / norm_type)


@in_own_name
def lp_pool1d(
    input: Tensor,
    norm_type: float,
    kernel_size: int,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Return (Σ xᵖ)^(1/p) under each window of (N, C, L) or (C, L), p = norm_type.

    >>> lp_pool1d(norch.tensor([[3.0, 4.0]]), 2, 2).tolist()
    [[5.0]]
    """
    means = ops.avg_pool1d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return _rooted(means, _counted(kernel_size, 1), norm_type)


@in_own_name
def lp_pool2d(
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Return (Σ xᵖ)^(1/p) under each window of (N, C, H, W) or (C, H, W), p = norm_type.

    >>> lp_pool2d(norch.ones(1, 2, 2), 1, 2).tolist()
    [[[4.0]]]
    """
    means = ops.avg_pool2d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return _rooted(means, _counted(kernel_size, 2), norm_type)


@in_own_name
def lp_pool3d(
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Return (Σ xᵖ)^(1/p) under each window of (N, C, D, H, W) or (C, D, H, W), p = norm_type.

    >>> lp_pool3d(norch.ones(1, 2, 2, 2), 1, 2).tolist()
    [[[[8.0]]]]
    """
    means = ops.avg_pool3d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return _rooted(means, _counted(kernel_size, 3), norm_type)
