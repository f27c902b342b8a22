"""Pooling: one number for all that lie under a window that slides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from norch_autograd import Tensor, ops

Sizes = int | Sequence[int]


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


def avg_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Return the mean under each window of (N, C, L) or (C, L); as `avg_pool2d`.

    >>> avg_pool1d(norch.tensor([[1.0, 2.0, 4.0, 3.0]]), 2).tolist()
    [[1.5, 3.5]]
    """
    return ops.avg_pool1d(input, kernel_size, stride, padding, ceil_mode, count_include_pad)


def avg_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Return the mean under each window of (N, C, H, W) or (C, H, W).

    Padding counts as zeros, or not at all; `divisor_override` replaces the number of places.

    >>> avg_pool2d(norch.arange(16.0).reshape(1, 4, 4), 2).tolist()
    [[[2.5, 4.5], [10.5, 12.5]]]
    """
    options = (stride, padding, ceil_mode, count_include_pad, divisor_override)
    return ops.avg_pool2d(input, kernel_size, *options)


def avg_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Return the mean under each window of (N, C, D, H, W) or (C, D, H, W); as `avg_pool2d`.

    >>> avg_pool3d(norch.arange(8.0).reshape(1, 2, 2, 2), 2).tolist()
    [[[[3.5]]]]
    """
    options = (stride, padding, ceil_mode, count_include_pad, divisor_override)
    return ops.avg_pool3d(input, kernel_size, *options)
