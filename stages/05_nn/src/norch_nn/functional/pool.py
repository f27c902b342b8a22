"""Pooling: one number for all that lie under a window; adaptive: windows as many as wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from norch_autograd import Tensor, matmul, ops, zeros

__all__ = ["adaptive_avg_pool2d", "avg_pool2d", "max_pool2d"]

Sizes = int | Sequence[int]


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

    >>> from norch_autograd import arange
    >>> max_pool2d(arange(16.0).reshape(1, 4, 4), 2).tolist()
    [[[5.0, 7.0], [13.0, 15.0]]]
    """
    found = ops.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    return found if return_indices else found[0]


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

    >>> from norch_autograd import arange
    >>> avg_pool2d(arange(16.0).reshape(1, 4, 4), 2).tolist()
    [[[2.5, 4.5], [10.5, 12.5]]]
    """
    options = (stride, padding, ceil_mode, count_include_pad, divisor_override)
    return ops.avg_pool2d(input, kernel_size, *options)


def adaptive_avg_pool2d(input: Tensor, output_size: int | Sequence[int | None] | None) -> Tensor:
    """Return means of as many windows as `output_size` says; None in it keeps the size.

    Window i of n over a size s covers the places from ⌊i s / n⌋ to ⌈(i + 1) s / n⌉.

    >>> from norch_autograd import arange
    >>> adaptive_avg_pool2d(arange(6.0).reshape(1, 2, 3), (1, 2)).tolist()
    [[[2.0, 3.0]]]
    """
    if input.ndim not in (3, 4):
        raise RuntimeError(
            f"[adaptive_avg_pool2d] expected (N, C, H, W) or (C, H, W), got {tuple(input.shape)}"
        )
    height, width = input.shape[-2:]
    rows, columns = _counts(output_size, (height, width))
    if rows > 0 and columns > 0 and height % rows == 0 and width % columns == 0:
        return ops.avg_pool2d(input, (height // rows, width // columns))
    # Windows of different sizes: a mean along each direction is a product with a matrix.
    down, across = _means(rows, height, input), _means(columns, width, input)
    return matmul(matmul(down, input), across.T)


def _counts(wanted: Any, sizes: tuple[int, int]) -> tuple[int, int]:
    """Return how many windows there are in each direction."""
    both = (wanted, wanted) if wanted is None or isinstance(wanted, int) else tuple(wanted)
    if len(both) != 2:
        raise ValueError(f"[adaptive_avg_pool2d] output_size needs two numbers, got {wanted}")
    counts = [size if count is None else count for count, size in zip(both, sizes, strict=True)]
    if min(counts) < 0 or min(sizes) < 1:
        raise RuntimeError(
            f"[adaptive_avg_pool2d] cannot make {tuple(counts)} windows over {sizes}: expected "
            "output_size of at least 0 and an image with elements"
        )
    return counts[0], counts[1]


def _means(count: int, size: int, like: Tensor) -> Tensor:
    """Return the matrix (count, size) whose row i averages window i."""
    matrix = zeros(count, size, dtype=like.dtype, device=like.device)
    for i in range(count):
        first, end = i * size // count, -(-(i + 1) * size // count)
        matrix[i, first:end] = 1 / (end - first)
    return matrix
