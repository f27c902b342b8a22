"""Reading by index and adding by index: index_select and index_add, gather and scatter_add.

Each is the other's backward: an element that was read twice gets the sum of two gradients, one that
was added somewhere reads the gradient there.
"""

from __future__ import annotations

from typing import Any

import norch_strides as strides
from norch_autograd.graph.broadcast import copy_of
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.record import record, unary
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.arrays import constant
from norch_autograd.ops.dtype.convert import to
from norch_autograd.ops.shape.join import cat
from norch_autograd.ops.shape.view import reshape
from norch_cpu_ops import float32, promote_types


def _as_line(tensor: Tensor) -> Tensor:
    """A tensor without dimensions as a vector of one element: what it is to every index."""
    return reshape(tensor, 1) if tensor.array.ndim == 0 else tensor


def in_accumulate_type(grad: Tensor) -> Tensor:
    """What many gradients of one element are summed in: halves in float32."""
    return to(grad, promote_types(grad.dtype, float32))


class IndexSelect(Node):
    """dx[index[k]] += dy[k], from zeros."""

    def backward(self, grad: Tensor) -> Gradients:
        shape, dim = self.context
        wide = in_accumulate_type(grad)
        total = index_add(constant(wide, 0, shape), dim, self.saved(0), wide)
        return (to(total, grad.dtype),)


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices along `dim` that `index` names, in its order, repeats included.

    >>> norch.index_select(norch.tensor([[1, 2], [3, 4]]), 0, norch.tensor([1, 1]))
    tensor([[3, 4],
            [3, 4]])
    """
    x = array_of(input)
    if not isinstance(index, Tensor) or index.array.dtype.name not in ("int64", "int32"):
        found = array_of(index).dtype  # a TypeError, if it is no tensor
        raise RuntimeError(f"[index_select] an index of int64 or int32 is expected, not {found}")
    if not x.ndim:
        return reshape(index_select(_as_line(input), dim, index), ())
    slices = x.ops.index_select(x, dim, index.array)
    return unary(IndexSelect, slices, input, (index,), (x.shape, dim))


class IndexAdd(Node):
    """dx = dy, dsource[k] = dy[index[k]]."""

    def backward(self, grad: Tensor) -> Gradients:
        dsource = index_select(grad, self.context, self.saved(0)) if self.needs(1) else None
        return grad if self.needs(0) else None, dsource


@in_own_name
def index_add(
    input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1
) -> Tensor:
    """`input`, with slice k of `source` added to slice `index[k]`.

    >>> norch.index_add(norch.zeros(2), 0, norch.tensor([1, 1]), norch.tensor([3., 4.]))
    tensor([0., 7.])
    """
    if alpha != 1:
        source = source * alpha
    x = array_of(input)
    if not x.ndim:
        line = index_add(_as_line(input), dim, _as_line(index), _as_line(source))
        return reshape(line, ())
    out = x.ops.index_add(x, dim, array_of(index), array_of(source))
    return record(IndexAdd, out, (input, source), (index,), dim)


class Gather(Node):
    """dx[index[i][j]][j] += dy[i][j], from zeros (for dim 0)."""

    def backward(self, grad: Tensor) -> Gradients:
        shape, dim = self.context
        wide = in_accumulate_type(grad)
        total = scatter_add(constant(wide, 0, shape), dim, self.saved(0), wide)
        return (to(total, grad.dtype),)


def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """`out[i][j] = input[index[i][j]][j]` for dim 0, and so on.

    Gradients are dense: `sparse_grad=True` is refused with NotImplementedError.

    >>> norch.gather(norch.tensor([[1, 2], [3, 4]]), 1, norch.tensor([[1], [0]]))
    tensor([[2],
            [3]])
    """
    if sparse_grad:
        raise NotImplementedError("[gather] gradients are dense: use sparse_grad=False")
    x, places = array_of(input), array_of(index)
    if not (x.ndim and places.ndim):
        return reshape(gather(_as_line(input), dim, _as_line(index)), places.shape)
    if not places.numel:  # of any dtype, and of any shape
        return reshape(reshape(input, x.numel)[:0], places.shape)
    return unary(Gather, x.ops.gather(x, dim, places), input, (index,), (x.shape, dim))


class ScatterAdd(Node):
    """dx = dy, dsource[i][j] = dy[index[i][j]][j] (for dim 0)."""

    def backward(self, grad: Tensor) -> Gradients:
        dsource = gather(grad, self.context, self.saved(0)) if self.needs(1) else None
        return grad if self.needs(0) else None, dsource


@in_own_name
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """`input`, with each element of `src` added where `index` says: the backward of `gather`.

    >>> norch.scatter_add(norch.zeros(3), 0, norch.tensor([2, 2]), norch.tensor([1., 5.]))
    tensor([0., 0., 6.])
    """
    x = array_of(input)
    lines = as_lines(scatter_add, input, dim, index, src)
    if lines is not None:
        return lines
    source = fit_to(src, index.array.shape)
    out = x.ops.scatter_add(x, dim, index.array, array_of(source))
    return record(ScatterAdd, out, (input, source), (index,), dim)


def as_lines(
    scatter: Any, input: Tensor, dim: int, index: Tensor, src: Any, *more: Any, **options: Any
) -> Tensor | None:
    """What one of the scatters gives where a tensor has no dimensions, or the index no element;
    None for all others.
    """
    x, places = array_of(input), array_of(index)
    if not places.numel:
        strides.normalize_dim(dim, max(x.ndim, 1), scatter.__name__)
        if isinstance(src, Tensor) and src.requires_grad and src.dtype is input.dtype:
            none = reshape(src, array_of(src).numel)[:0]  # in the graph: src gets zeros
            return reshape(cat([reshape(input, x.numel), none]), x.shape)
        return copy_of(input)
    if x.ndim and places.ndim:
        return None
    src = _as_line(src) if isinstance(src, Tensor) else src
    line = scatter(_as_line(input), dim, _as_line(index), src, *more, **options)
    return reshape(line, x.shape)


def fit_to(source: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The first elements of `source`, as many in each dimension as the index has, if there are."""
    own = array_of(source, "scatter").shape
    if own == shape or len(own) != len(shape):
        return source
    return source[tuple(slice(0, size) for size in shape)]
