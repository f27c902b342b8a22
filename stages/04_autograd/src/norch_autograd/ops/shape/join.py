"""Tensors joined and cut: cat, stack, split, chunk, unbind, repeat, flip.

Joining and cutting are each other's backward. `split`, `chunk` and `unbind` return views; the rest
copy. The variants by direction (hstack, vsplit, roll, ...) are in more/shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import norch_strides as strides
from norch_autograd.graph.broadcast import sum_to_shape
from norch_autograd.graph.multi_output import MultiOutputNode, OutputGrads, record_many
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.record import record, should_record, unary
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.graph.views import track_views
from norch_autograd.ops.arrays import constant
from norch_autograd.ops.dtype.convert import detach, to
from norch_autograd.ops.shape.view import expand, reshape, sizes_of
from norch_autograd.types.size import TENSOR_BYTES, check_room


def check_list(op: str, tensors: Any) -> Any:
    """The tensors that `op` joins; TypeError unless they come as a list or a tuple."""
    if not isinstance(tensors, (list, tuple)):
        kind = type(tensors).__name__
        raise TypeError(f"[{op}] expected a list of tensors, got {kind}: [x] makes a list of x")
    return tensors


def arrays_of(op: str, tensors: Sequence[Tensor]) -> list[Any]:
    """The arrays of the tensors that `op` joins; TypeError for anything else in the list."""
    try:
        return [tensor.array for tensor in tensors]
    except AttributeError:
        return [array_of(tensor, op) for tensor in tensors]


class Cat(Node):
    """dx_i is the piece of dy that x_i became."""

    def backward(self, grad: Tensor) -> Gradients:
        dim, shapes, dtypes = self.context
        place = strides.normalize_dim(dim, grad.array.ndim, "cat")
        fits = [len(shape) == grad.array.ndim for shape in shapes]  # empty vectors go with anything
        sizes = [shape[place] if fit else 0 for shape, fit in zip(shapes, fits, strict=True)]
        pieces = zip(split(grad, sizes, place), fits, dtypes, strict=True)
        return tuple(
            to(piece if fit else constant(piece, 0, (0,)), dtype) if self.needs(i) else None
            for i, (piece, fit, dtype) in enumerate(pieces)
        )


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """The tensors one after the other along `dim`.

    >>> norch.cat([norch.tensor([1, 2]), norch.tensor([3])])
    tensor([1, 2, 3])
    """
    if not check_list("cat", tensors):
        raise ValueError("[cat] expected a non-empty list of tensors")
    arrays = arrays_of("cat", tensors)
    out = arrays[0].ops.cat(arrays, dim)
    inputs = tuple(tensors)
    if not should_record(inputs):
        return plain(out)
    context = dim, [array.shape for array in arrays], [array.dtype for array in arrays]
    return record(Cat, out, inputs, (), context)


class Stack(Node):
    """dx_i is slice number i of dy."""

    def backward(self, grad: Tensor) -> Gradients:
        dim, dtypes = self.context
        slices = zip(unbind(grad, dim), dtypes, strict=True)
        return tuple(
            to(part, dtype) if self.needs(i) else None for i, (part, dtype) in enumerate(slices)
        )


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """The tensors, all of one shape, side by side along a new dimension.

    >>> norch.stack([norch.tensor([1, 2]), norch.tensor([3, 4])], dim=1)
    tensor([[1, 3],
            [2, 4]])
    """
    if not check_list("stack", tensors):
        raise RuntimeError("[stack] expected a non-empty list of tensors")
    arrays = arrays_of("stack", tensors)
    out = arrays[0].ops.stack(arrays, dim)
    inputs = tuple(tensors)
    if not should_record(inputs):
        return plain(out)
    return record(Stack, out, inputs, (), (dim, [array.dtype for array in arrays]))


class Split(MultiOutputNode):
    """dx is the pieces' gradients joined again, zeros for pieces without one."""

    def backward(self, grad: OutputGrads) -> Gradients:
        dim, shapes = self.context
        return (cat(_fill_missing(grad.grads, shapes), dim),)


def _fill_missing(grads: dict[int, Tensor], shapes: Sequence[tuple[int, ...]]) -> list[Tensor]:
    """The gradient of every piece of a split, zeros where none arrived."""
    some = next(iter(grads.values()))
    return [grads[i] if i in grads else constant(some, 0, s) for i, s in enumerate(shapes)]


@in_own_name
def split(
    tensor: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    """Views of equal length along `dim` (the last may be shorter), or of the lengths given.

    >>> norch.split(norch.arange(5), 2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    x = array_of(tensor)
    sizes = split_size_or_sections
    sizes = index(sizes) if hasattr(sizes, "__index__") else tuple(sizes)
    if isinstance(sizes, int):
        _check_views("split", x, dim, sizes)
    return _record_pieces(tensor, x.views_by(strides.split, sizes, dim), dim)


def split_by(tensor: Tensor, split_size: int | Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """A tensor taken apart: `split` as a method, whose argument PyTorch calls `split_size`.

    >>> norch.arange(3).split(split_size=2)
    (tensor([0, 1]), tensor([2]))
    """
    return split(tensor, split_size, dim)


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` views of equal length along `dim`; the last may be shorter.

    >>> norch.chunk(norch.arange(4), 2)
    (tensor([0, 1]), tensor([2, 3]))
    """
    x = array_of(input)
    if 0 in x.shape:
        check_room("chunk", chunks, TENSOR_BYTES)
    return _record_pieces(input, x.views_by(strides.chunk, chunks, dim), dim)


def _check_views(op: str, x: Any, dim: int, length: int = 1) -> None:
    """Refuse to cut a tensor into more views, each `length` long, than memory holds."""
    if x.numel > 1 << 17 and -len(x.shape) <= dim < len(x.shape):
        check_room(op, x.shape[dim] // max(length, 1), TENSOR_BYTES)


def _record_pieces(input: Tensor, arrays: list[Any], dim: int) -> tuple[Tensor, ...]:
    """The arrays, views of `input` cut along `dim`, as tensors recorded as `Split`."""
    if should_record((input,)):
        shapes = [array.shape for array in arrays]
        pieces = record_many(Split, arrays, (input,), (), (dim, shapes))
    else:
        pieces = list(map(plain, arrays))
    track_views(pieces, input)
    return tuple(pieces)


class Unbind(MultiOutputNode):
    """dx is the slices' gradients side by side, zeros for slices without one."""

    def backward(self, grad: OutputGrads) -> Gradients:
        dim, shape = self.context
        place = strides.normalize_dim(dim, len(shape), "unbind")
        slices = [shape[:place] + shape[place + 1 :]] * shape[place]
        return (stack(_fill_missing(grad.grads, slices), dim),)


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices along `dim`, which is gone from each.

    >>> norch.unbind(norch.tensor([[1, 2], [3, 4]]))
    (tensor([1, 2]), tensor([3, 4]))
    """
    x = array_of(input)
    _check_views("unbind", x, dim)
    slices = record_many(Unbind, x.unbind(dim), (input,), (), (dim, x.shape))
    track_views(slices, input)
    return tuple(slices)


class Repeat(Node):
    """dx is the sum of dy over the copies of each element."""

    def backward(self, grad: Tensor) -> Gradients:
        shape, repeats = self.context
        pairs = [size for pair in zip(repeats, shape, strict=True) for size in pair]
        once = [size for n in shape for size in (1, n)]
        return (reshape(sum_to_shape(reshape(grad, pairs), tuple(once)), shape),)


def repeat(input: Tensor, *times: Any, repeats: Any = None) -> Tensor:
    """`input` joined to itself, so many times along each dimension.

    >>> norch.tensor([1, 2]).repeat(2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
    times = sizes_of(times, repeats)
    x = array_of(input)
    new = len(times) - x.ndim
    if new < 0:
        raise RuntimeError(
            f"[repeat] {len(times)} repeats for {x.ndim} dimensions: give one for each"
        )
    shape = (1,) * new + x.shape
    pairs = [size for n in shape for size in (1, n)]
    tall = [size for k, n in zip(times, shape, strict=True) for size in (k, n)]
    seen = expand(reshape(detach(input), pairs), tall).array
    whole = tuple(k * n for k, n in zip(times, shape, strict=True))
    copy = x.ops.clone(seen).view(strides.contiguous(whole))
    lifted = input if not new else reshape(input, shape)
    return unary(Repeat, copy, lifted, (), (shape, times))


class Flip(Node):
    """dx = dy, flipped back."""

    def backward(self, grad: Tensor) -> Gradients:
        return (flip(grad, self.context),)


def flip(input: Tensor, *places: Any, dims: Any = None) -> Tensor:
    """A copy with the named dimensions in reverse order.

    >>> norch.flip(norch.tensor([[1, 2], [3, 4]]), (0, 1))
    tensor([[4, 3],
            [2, 1]])
    """
    named = sizes_of(places, dims)
    x = array_of(input)
    return unary(Flip, x.ops.clone(x.view_by(strides.flip, named)), input, (), named)
