"""Patches of images as columns, back again, and maxima put back where they were."""

from __future__ import annotations

from norch_autograd import Tensor, ops
from norch_nn.core.sizes import Sizes


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
