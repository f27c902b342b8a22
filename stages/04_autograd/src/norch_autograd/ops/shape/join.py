"""Tensors joined and cut: cat, stack, split, chunk, unbind, repeat, flip.

Joining and cutting are each other's backward. `split`, `chunk` and `unbind` return views; the rest
copy. The variants by direction (hstack, vsplit, roll, ...) are in ops/rearrange.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import norch_strides as strides
from norch_autograd.graph.broadcast import sum_to_shape
from norch_autograd.graph.multi_output import MultiOutputNode, OutputGrads, record_many
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.record import record, unary
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.graph.views import ONE_OF_MANY, track_view
from norch_autograd.ops.constants import constant
from norch_autograd.ops.dtype.convert import detach, to
from norch_autograd.ops.shape.view import expand, reshape, sizes_of, squeeze, unsqueeze


def several(op: str, tensors: Any) -> Any:
    """The tensors, if they come as a list or a tuple."""
    if not isinstance(tensors, (list, tuple)):
        kind = type(tensors).__name__
        raise TypeError(f"[{op}] expected a list of tensors, got {kind}: [x] makes a list of x")
    return tensors


class Cat(Node):
    """dx_i is the piece of dy that x_i became."""

    def backward(self, grad: Tensor) -> Gradients:
        dim, sizes, ranks, dtypes = self.context
        pieces = split(grad, sizes, dim)
        return tuple(
            to(piece if rank else constant(piece, 0, (0,)), dtype) if self.needs(i) else None
            for i, (piece, rank, dtype) in enumerate(zip(pieces, ranks, dtypes, strict=True))
        )


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """The tensors one after the other along `dim`.

    >>> norch.cat([norch.tensor([1, 2]), norch.tensor([3])])
    tensor([1, 2, 3])
    """
    if not several("cat", tensors):
        raise ValueError("[cat] expected a non-empty list of tensors")
    arrays = [array_of(tensor, "cat") for tensor in tensors]
    out = arrays[0].ops.cat(arrays, dim)
    place = dim % out.ndim if out.ndim else 0
    whole = [a.ndim == out.ndim for a in arrays]  # an empty vector goes with anything
    sizes = tuple(a.shape[place] if fits else 0 for a, fits in zip(arrays, whole, strict=True))
    dtypes = tuple(a.dtype for a in arrays)
    return record(Cat, out, tuple(tensors), (), (place, sizes, whole, dtypes))


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """The tensors, all of one shape, side by side along a new dimension.

    >>> norch.stack([norch.tensor([1, 2]), norch.tensor([3, 4])], dim=1)
    tensor([[1, 3],
            [2, 4]])
    """
    if not several("stack", tensors):
        raise RuntimeError("[stack] expected a non-empty list of tensors")
    first = array_of(tensors[0]).shape
    for i, tensor in enumerate(tensors):
        if tensor.array.shape != first:
            raise RuntimeError(
                f"[stack] every tensor must have the same shape: number 0 has {first}, "
                f"number {i} has {tensor.array.shape}"
            )
    return cat([unsqueeze(tensor, dim) for tensor in tensors], dim)


class Split(MultiOutputNode):
    """dx is the pieces' gradients joined again, zeros for pieces without one."""

    def backward(self, grad: OutputGrads) -> Gradients:
        dim, shapes = self.context
        grads = grad.grads
        some = next(iter(grads.values()))
        pieces = [grads[i] if i in grads else constant(some, 0, s) for i, s in enumerate(shapes)]
        return (cat(pieces, dim),)


def split(
    tensor: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    """Views of equal length along `dim` (the last may be shorter), or of the lengths given.

    >>> norch.split(norch.arange(5), 2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    array_of(tensor)
    sizes = split_size_or_sections
    sizes = index(sizes) if hasattr(sizes, "__index__") else tuple(sizes)
    return _cut(tensor, strides.split(array_of(tensor).layout, sizes, dim), dim)


def split_by(tensor: Tensor, split_size: int | Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """`split` as a method, whose argument PyTorch calls `split_size`.

    >>> norch.arange(3).split(split_size=2)
    (tensor([0, 1]), tensor([2]))
    """
    return split(tensor, split_size, dim)


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` views of equal length along `dim`; the last may be shorter.

    >>> norch.chunk(norch.arange(4), 2)
    (tensor([0, 1]), tensor([2, 3]))
    """
    return _cut(input, strides.chunk(array_of(input).layout, chunks, dim), dim)


def _cut(input: Tensor, layouts: list[strides.Layout], dim: int) -> tuple[Tensor, ...]:
    """The pieces of `input` that the layouts show."""
    arrays = [input.array.view(layout) for layout in layouts]
    shapes = tuple(layout.shape for layout in layouts)
    pieces = record_many(Split, arrays, (input,), (), (dim, shapes))
    for piece in pieces:
        track_view(piece, input, ONE_OF_MANY)
    return tuple(pieces)


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices along `dim`, which is gone from each.

    >>> norch.unbind(norch.tensor([[1, 2], [3, 4]]))
    (tensor([1, 2]), tensor([3, 4]))
    """
    place = strides.normalize_dim(dim, array_of(input).ndim, "unbind")
    if not input.array.ndim:
        raise IndexError("[unbind] a tensor without dimensions has no slices")
    if not input.array.shape[place]:
        return ()
    return tuple(squeeze(piece, place) for piece in split(input, 1, place))


class Repeat(Node):
    """dx is the sum of dy over the copies of each element."""

    def backward(self, grad: Tensor) -> Gradients:
        shape, repeats = self.context
        pairs = [size for pair in zip(repeats, shape, strict=True) for size in pair]
        once = [size for n in shape for size in (1, n)]
        return (reshape(sum_to_shape(reshape(grad, pairs), tuple(once)), shape),)


def repeat(input: Tensor, *repeats: Any) -> Tensor:
    """`input` laid end to end, so many times along each dimension.

    >>> norch.tensor([1, 2]).repeat(2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
    times = sizes_of(repeats)
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


def flip(input: Tensor, *dims: Any) -> Tensor:
    """A copy with the named dimensions in reverse order.

    >>> norch.flip(norch.tensor([[1, 2], [3, 4]]), (0, 1))
    tensor([[4, 3],
            [2, 1]])
    """
    named = sizes_of(dims)
    x = array_of(input)
    return unary(Flip, x.ops.clone(x.view(strides.flip(x.layout, named))), input, (), named)
