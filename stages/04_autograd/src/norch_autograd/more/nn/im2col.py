"""Every patch under a sliding window as a column (im2col), and columns added back (col2im): each is
the other's backward.
"""

from __future__ import annotations

from typing import NamedTuple

from norch_autograd.graph.composite import fused
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.dtype.convert import to
from norch_autograd.ops.indexing.getitem import select
from norch_autograd.ops.nn.sliding_window import Grid, Sizes
from norch_autograd.ops.shape.join import stack
from norch_autograd.ops.shape.view import flatten, reshape
from norch_cpu_ops import float32


class Moves(NamedTuple):
    """The image's size and how the window moves over it."""

    size: tuple[int, ...]
    kernel_size: Sizes
    stride: Sizes
    padding: Sizes
    dilation: Sizes


class Im2Col(Node):
    """dx is the sum of dy over the patches that show each pixel: `col2im`."""

    def backward(self, grad: Tensor) -> Gradients:
        return (_add_patches(grad, self.context),)


class Col2Im(Node):
    """dx is dy where each number was added: `im2col`."""

    def backward(self, grad: Tensor) -> Gradients:
        return (_take_patches(grad, self.context),)


def _take_patches_reference(input: Tensor, moves: Moves) -> Tensor:
    """Patches as columns, by one slice of the image for each place of the kernel."""
    seen = Grid(*moves).slices(input)
    return flatten(stack([flatten(part, -2) for _, part in seen], -2), -3, -2)


@fused(_take_patches_reference)
def _take_patches(input: Tensor, moves: Moves) -> Tensor:
    """Every patch of an image as a column, recorded."""
    x = array_of(input, "im2col")
    if x.dtype.name == "bool":  # the kernel is of numbers
        return to(_take_patches(to(input, float32), moves), x.dtype)
    return unary(Im2Col, x.ops.im2col(x, *moves[1:]), input, (), moves)


def _add_patches_reference(columns: Tensor, moves: Moves) -> Tensor:
    """Columns added to an image, by one slice of it for each place of the kernel."""
    grid, shape = Grid(*moves), array_of(columns, "col2im").shape
    places = len(list(grid.places()))
    rows = reshape(columns, *shape[:-2], shape[-2] // places, places, *grid.count)
    return grid.put_back((select(rows, -3, k) for k in range(places)), moves.size)


@fused(_add_patches_reference)
def _add_patches(columns: Tensor, moves: Moves) -> Tensor:
    """Columns added to an image, recorded."""
    array = array_of(columns, "col2im")
    out = array.ops.col2im(array, moves.size, *moves[1:])
    return unary(Col2Im, out, columns, (), moves)


def im2col(
    input: Tensor, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1
) -> Tensor:
    """Every patch a column: (N, C, H, W) -> (N, C KH KW, L), or the same without N.

    >>> norch.more.im2col(norch.arange(4.).reshape(1, 2, 2), (1, 2))
    tensor([[0., 2.],
            [1., 3.]])
    """
    shape = array_of(input).shape
    return _take_patches(input, Moves(tuple(shape[-2:]), kernel_size, stride, padding, dilation))


def col2im(
    input: Tensor,
    output_size: Sizes,
    kernel_size: Sizes,
    dilation: Sizes = 1,
    padding: Sizes = 0,
    stride: Sizes = 1,
) -> Tensor:
    """Columns added back to where `im2col` took them from: (N, C KH KW, L) -> (N, C, *output_size).

    >>> columns = norch.more.im2col(norch.ones(1, 2, 3), 2)
    >>> norch.more.col2im(columns, (2, 3), 2)
    tensor([[[1., 2., 1.],
             [1., 2., 1.]]])
    """
    size = (output_size,) * 2 if isinstance(output_size, int) else tuple(output_size)
    return _add_patches(input, Moves(size, kernel_size, stride, padding, dilation))
