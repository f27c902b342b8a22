"""Patches of images as columns, and columns added back: stage 4's `im2col` and `col2im`.

PyTorch's users know them by other names, so they stand here as functions and modules with those
names; their errors name the operation that found the fault.
"""

from __future__ import annotations

from norch_autograd import Tensor, more
from norch_autograd.graph.operands import in_own_name
from norch_nn.core.module import Module
from norch_nn.core.sizes import Sizes


@in_own_name
def unfold(
    input: Tensor, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1
) -> Tensor:
    """Every patch of (N, C, H, W) as a column: (N, C KH KW, L).

    >>> unfold(norch.arange(4.0).reshape(1, 1, 2, 2), (1, 2)).tolist()
    [[[0.0, 2.0], [1.0, 3.0]]]
    """
    return more.im2col(input, kernel_size, dilation, padding, stride)


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
    return more.col2im(input, output_size, kernel_size, dilation, padding, stride)


class Unfold(Module):
    """Every patch of (N, C, H, W) as a column: (N, C · KH · KW, L).

    >>> tuple(Unfold((2, 3))(norch.zeros(2, 5, 3, 4)).shape)
    (2, 30, 4)
    """

    def __init__(
        self, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1
    ) -> None:
        """Choose the window."""
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        options = (self.kernel_size, self.dilation, self.padding, self.stride)
        return unfold(input, *options)

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, "
            f"stride={self.stride}"
        )


class Fold(Module):
    """Columns (N, C · KH · KW, L) added back to images (N, C, *output_size).

    >>> Fold((2, 3), 2)(norch.ones(1, 4, 2)).tolist()
    [[[[1.0, 2.0, 1.0], [1.0, 2.0, 1.0]]]]
    """

    def __init__(
        self,
        output_size: Sizes,
        kernel_size: Sizes,
        dilation: Sizes = 1,
        padding: Sizes = 0,
        stride: Sizes = 1,
    ) -> None:
        """Choose the size of the images and the window."""
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        options = (self.kernel_size, self.dilation, self.padding, self.stride)
        return fold(input, self.output_size, *options)

    def extra_repr(self) -> str:
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, "
            f"dilation={self.dilation}, padding={self.padding}, stride={self.stride}"
        )
