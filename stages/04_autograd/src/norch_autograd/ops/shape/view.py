"""Shapes: views of the same storage, laid out anew by stage 1; no element moves.

The gradient of a view is the same gradient in the old shape. Only `reshape` may have to copy.
`as_view` makes every view and notes whose storage it shows, for edits in place (graph/views.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import norch_strides as strides
from norch_autograd.graph.broadcast import sum_to_shape
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.graph.views import track_view
from norch_autograd.ops.dtype.convert import contiguous
from norch_autograd.types.size import Size
from norch_cpu_ops import DType


def as_view(kind: type[Node], input: Tensor, array: Any, context: Any) -> Tensor:
    """`array`, which shows storage of `input` in its own shape, as a view recorded as `kind`."""
    view = unary(kind, array, input, (), context)
    track_view(view, input)
    return view


def sizes_of(args: tuple[Any, ...], named: Any = None) -> tuple[int, ...]:
    """The shape that `view` and its like are given, as sizes, a sequence or by name: `view(2, 3)`,
    `view((2, 3))`, `view(size=(2, 3))`.
    """
    if named is not None:
        args = (*args, named)
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        return tuple(args[0])
    return args


class View(Node):
    """dx = dy in the shape of x: the elements keep their order."""

    def backward(self, grad: Tensor) -> Gradients:
        return (reshape(grad, self.context),)


def view(input: Tensor, *shape: Any, size: Any = None) -> Tensor:
    """The same storage in another shape; -1 is worked out. RuntimeError where that needs a copy.

    >>> norch.arange(6).view(2, -1)
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """
    if len(shape) == 1 and isinstance(shape[0], DType):
        return _bits_as(input, shape[0])
    x = array_of(input)
    return as_view(View, input, x.view_by(strides.view, sizes_of(shape, size)), x.shape)


def _bits_as(input: Tensor, dtype: DType) -> Tensor:
    """The bits of the elements, read as another dtype; the last dimension grows or shrinks with
    the size of an element.
    """
    x = input.array
    if x.device != "cpu" or "bfloat16" in (dtype.name, x.dtype.name):
        raise NotImplementedError(f"[view] no other dtype on {x.device}, and no bfloat16: use to()")
    if dtype.itemsize == x.itemsize and not x.is_contiguous and x.numel:
        low, high = strides.bounds(x.layout)  # type: ignore[misc]  # there are elements
        line = _bits_as(plain(x.view(strides.Layout((high - low + 1,), (1,), low))), dtype)
        return plain(line.array.view(strides.Layout(x.shape, x.strides, x.layout.offset - low)))
    last = x.shape[-1] * x.itemsize if x.ndim else x.itemsize
    if not x.is_contiguous or last % dtype.itemsize or not (x.ndim or dtype.itemsize == x.itemsize):
        raise RuntimeError(
            f"[view] {x.dtype} of shape {x.shape} and strides {x.strides} is not a whole number of "
            f"{dtype} in each row: make it contiguous, or use to()"
        )
    if not x.numel:
        return plain(x.ops.empty((*x.shape[:-1], last // dtype.itemsize), dtype))
    shape = (*x.shape[:-1], last // dtype.itemsize) if x.ndim else ()
    flat = x.ops.share_buffer(memoryview(x).cast("B")).storage_as(dtype)
    return plain(flat.view(strides.contiguous(shape)))


def reshape(input: Tensor, *sizes: Any, shape: Any = None) -> Tensor:
    """Another shape: a view if the layout allows, else a copy.

    >>> norch.reshape(norch.arange(6), (3, 2)).T.reshape(-1)
    tensor([0, 2, 4, 1, 3, 5])
    """
    x = array_of(input)
    wanted = sizes_of(sizes, shape)
    found = x.view_by(strides.reshape, wanted)
    if found is not None:
        return as_view(View, input, found, x.shape)
    return unary(View, x.ops.clone(x).view_by(strides.view, wanted), input, (), x.shape)


def as_rows(input: Tensor) -> Tensor:
    """`reshape` of (..., N) to a matrix (rows, N), of a vector to one row.

    Where N is 0, -1 could be any number.
    """
    shape = input.array.shape
    return reshape(input, math.prod(shape[:-1]), shape[-1])


@in_own_name
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """`input.view(other.shape)`.

    >>> norch.arange(4).view_as(norch.zeros(2, 2)).shape
    norch.Size([2, 2])
    """
    return view(input, array_of(other).shape)


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Dimensions `start_dim` to `end_dim` as one.

    >>> norch.zeros(2, 3, 4).flatten(1).shape
    norch.Size([2, 12])
    """
    x = array_of(input)
    found = x.view_by(_flatten, start_dim, end_dim)
    if found is not None:
        return as_view(View, input, found, x.shape)
    return reshape(input, strides.flattened_shape(x.shape, start_dim, end_dim))


def _flatten(layout: strides.Layout, start_dim: int, end_dim: int) -> strides.Layout | None:
    """For `flatten`: the view, or None where only a copy has the shape; of no dimensions one."""
    if layout.shape:
        shape = strides.flattened_shape(layout.shape, start_dim, end_dim)
        return strides.reshape(layout, shape)
    for dim in (start_dim, end_dim):
        strides.normalize_dim(dim, 1, "flatten")
    return strides.reshape(layout, (1,))


def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """Dimension `dim` as several, of `sizes`.

    >>> norch.zeros(2, 12).unflatten(1, (3, -1)).shape
    norch.Size([2, 3, 4])
    """
    return view(input, strides.unflattened_shape(array_of(input).shape, dim, sizes))


class Squeeze(View):
    """As View: sizes of 1 left out."""


def squeeze(input: Tensor, dim: int | Sequence[int] | None = None, *more: int) -> Tensor:
    """Without the dimensions of size 1: all of them, or those named.

    >>> norch.zeros(1, 3, 1).squeeze().shape, norch.zeros(1, 3, 1).squeeze(0).shape
    (norch.Size([3]), norch.Size([3, 1]))
    """
    x, named = array_of(input), (dim, *more) if more else dim
    return as_view(Squeeze, input, x.view_by(strides.squeeze, named), x.shape)


class Unsqueeze(View):
    """A size of 1 put in: the same elements."""


def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """With a dimension of size 1 at `dim`.

    >>> norch.zeros(3).unsqueeze(0).shape
    norch.Size([1, 3])
    """
    x = array_of(input)
    return as_view(Unsqueeze, input, x.view_by(strides.unsqueeze, dim), x.shape)


class Transpose(Node):
    """dx = dy, the two dimensions exchanged back."""

    def backward(self, grad: Tensor) -> Gradients:
        return (transpose(grad, *self.context),)


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions exchanged.

    >>> norch.arange(4).view(2, 2).transpose(0, 1)
    tensor([[0, 2],
            [1, 3]])
    """
    view = array_of(input).view_by(strides.transpose, dim0, dim1)
    return as_view(Transpose, input, view, (dim0, dim1))


class T(Transpose):
    """As Transpose, of a matrix."""


def t(input: Tensor) -> Tensor:
    """The transpose of a matrix, a view; of a vector a view of the same shape.

    >>> norch.t(norch.zeros(2, 3)).shape
    norch.Size([3, 2])
    """
    ndim = array_of(input).ndim
    if ndim > 2:
        raise RuntimeError(f"[t] expected at most 2 dimensions, got {ndim}; use transpose or mT")
    if ndim < 2:
        return view(input, input.array.shape)
    return as_view(T, input, input.array.view_by(strides.transpose, 0, 1), (0, 1))


def matrix_transpose(input: Tensor) -> Tensor:
    """The last two dimensions exchanged: what `x.mT` is.

    >>> norch.zeros(5, 2, 3).mT.shape
    norch.Size([5, 3, 2])
    """
    if array_of(input).ndim == 1:
        raise RuntimeError("[mT] expected at least 2 dimensions or none, got 1")
    return transpose(input, -2, -1) if input.array.ndim else t(input)


class Permute(Node):
    """dx = dy, permuted by the inverse."""

    def backward(self, grad: Tensor) -> Gradients:
        ndim = len(self.context)
        forward = [dim % ndim for dim in self.context]
        return (permute(grad, tuple(forward.index(dim) for dim in range(ndim))),)


def permute(input: Tensor, *order: Any, dims: Any = None) -> Tensor:
    """The dimensions in another order.

    >>> norch.zeros(2, 3, 4).permute(2, 0, 1).shape
    norch.Size([4, 2, 3])
    """
    wanted = sizes_of(order, dims)
    return as_view(Permute, input, array_of(input).view_by(strides.permute, wanted), wanted)


def reversed_dims(input: Tensor) -> Tensor:
    """All dimensions in reverse order: what `x.T` is.

    >>> norch.zeros(2, 3).T.shape
    norch.Size([3, 2])
    """
    ndim = array_of(input).ndim
    return transpose(input, 0, 1) if ndim == 2 else permute(input, tuple(range(ndim - 1, -1, -1)))


def movedim(input: Tensor, source: int | Sequence[int], destination: int | Sequence[int]) -> Tensor:
    """Dimensions moved to new places; the others keep their order.

    >>> norch.zeros(2, 3, 4).movedim(0, -1).shape
    norch.Size([3, 4, 2])
    """
    labels = tuple(range(array_of(input).ndim))  # a layout of labels: its new shape is the order
    moved = strides.movedim(strides.Layout(labels, labels), source, destination)
    return permute(input, moved.shape)


class Expand(Node):
    """dx is the sum of dy over the dimensions that were expanded."""

    def backward(self, grad: Tensor) -> Gradients:
        return (sum_to_shape(grad, self.context),)


def expand(input: Tensor, *sizes: Any, size: Any = None) -> Tensor:
    """Dimensions of size 1 seen as larger ones, without a copy; -1 keeps a size.

    >>> norch.tensor([[1], [2]]).expand(-1, 3)
    tensor([[1, 1, 1],
            [2, 2, 2]])
    """
    x = array_of(input)
    return as_view(Expand, input, x.view_by(strides.expand, sizes_of(sizes, size)), x.shape)


@in_own_name
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """`input.expand(other.shape)`.

    >>> norch.zeros(1, 3).expand_as(norch.zeros(2, 3)).shape
    norch.Size([2, 3])
    """
    return expand(input, array_of(other).shape)


@in_own_name
def broadcast_to(input: Tensor, *sizes: Any, size: Any = None) -> Tensor:
    """`input` seen in the larger shape `size`.

    >>> norch.broadcast_to(norch.tensor([1, 2]), (2, 2))
    tensor([[1, 2],
            [1, 2]])
    """
    return expand(input, sizes_of(sizes, size))


@in_own_name
def broadcast_shapes(*shapes: int | tuple[int, ...]) -> Size:
    """The shape that tensors of these shapes have together.

    >>> norch.broadcast_shapes((3, 1), (4,))
    norch.Size([3, 4])
    """
    for shape in shapes:
        if not isinstance(shape, (int, tuple, list)):
            raise RuntimeError(
                f"[broadcast_shapes] expected numbers, tuples and lists of sizes, got {shape!r}"
            )
    sizes = [strides.as_dims(shape, "broadcast_shapes") for shape in shapes]
    if any(size < 0 for shape in sizes for size in shape):
        raise ValueError(f"[broadcast_shapes] expected sizes of 0 or more, got {sizes}")
    return Size(strides.broadcast_shapes(*sizes))


def ravel(input: Tensor) -> Tensor:
    """All elements as a vector.

    >>> norch.ravel(norch.tensor([[1, 2], [3, 4]]))
    tensor([1, 2, 3, 4])
    """
    array_of(input)
    return view(contiguous(input), -1)


@in_own_name
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """`input` in the shape of `other`.

    >>> norch.arange(4).reshape_as(norch.zeros(2, 2)).shape
    norch.Size([2, 2])
    """
    return reshape(input, array_of(other).shape)
