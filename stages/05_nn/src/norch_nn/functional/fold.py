"""Patches of images as columns, and columns added back: stage 4's `im2col` and `col2im`.

PyTorch's users know them by other names, so they stand here as functions with those names; their
errors name the operation that found the fault.
"""

from __future__ import annotations

from norch_autograd import Tensor, ops
from norch_autograd.graph.operands import in_own_name
from norch_nn.core.sizes import Sizes


@in_own_name
def unfold(
    input: Tensor, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1
) -> Tensor:
    """Every patch of (N, C, H, W) as a column: (N, C KH KW, L).

    >>> unfold(norch.arange(4.0).reshape(1, 1, 2, 2), (1, 2)).tolist()
    [[[0.0, 2.0], [1.0, 3.0]]]
    """
    return ops.im2col(input, kernel_size, dilation, padding, stride)


@in_own_name
def fold(
    input: Tensor,
    output_size: Sizes,
    kernel_size: Sizes,
    dilation: Sizes = 1,
    padding: Sizes = 0,
    stride: Sizes = 1,
) -> Tensor:
    """Columns (N, C KH KW, L) added back to their places in images (N, C, *output_size).

    >>> fold(unfold(norch.ones(1, 1, 2, 3), 2), (2, 3), 2).tolist()
    [[[[1.0, 2.0, 1.0], [1.0, 2.0, 1.0]]]]
    """
    return ops.col2im(input, output_size, kernel_size, dilation, padding, stride)
