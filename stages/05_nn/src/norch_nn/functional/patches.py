"""Patches of images as columns, back again, and maxima put back where they were."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from norch_autograd import Tensor, ops, scatter

Sizes = int | Sequence[int]


def unfold(
    input: Tensor,
    kernel_size: Sizes,
    dilation: Sizes = 1,
    padding: Sizes = 0,
    stride: Sizes = 1,
) -> Tensor:
    """Return every patch of (N, C, H, W) as a column: (N, C · KH · KW, L).

    >>> unfold(norch.arange(4.0).reshape(1, 1, 2, 2), (1, 2)).tolist()
    [[[0.0, 2.0], [1.0, 3.0]]]
    """
    return ops.im2col(input, kernel_size, dilation, padding, stride)


def fold(
    input: Tensor,
    output_size: Sizes,
    kernel_size: Sizes,
    dilation: Sizes = 1,
    padding: Sizes = 0,
    stride: Sizes = 1,
) -> Tensor:
    """Return images (N, C, *output_size): columns (N, C · KH · KW, L) added back to their places.

    >>> fold(unfold(norch.ones(1, 1, 2, 3), 2), (2, 3), 2).tolist()
    [[[[1.0, 2.0, 1.0], [1.0, 2.0, 1.0]]]]
    """
    return ops.col2im(input, output_size, kernel_size, dilation, padding, stride)


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
