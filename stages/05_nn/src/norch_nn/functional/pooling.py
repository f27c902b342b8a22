"""max_pool and its indices: the largest number under a window that slides.

Stage 4 computes; here are PyTorch's arguments. The means (avg_pool) are operations of stage 4.
"""

from __future__ import annotations

from typing import Any

from norch_autograd import Tensor
from norch_autograd.graph.family import family
from norch_autograd.ops.nn.max_pool import pool_with_indices
from norch_nn.core.sizes import Sizes


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
