"""Counting: how often each value comes (bincount, histc), the different ones (unique,
unique_consecutive, which have no derivative), and which are among others (isin, bucketize).
"""

from __future__ import annotations

from typing import Any

import norch_strides as strides
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import Operand, in_own_name
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.arrays import constant
from norch_autograd.ops.dtype.convert import clone, detach, long, to
from norch_autograd.ops.dtype.promotion import common_dtype
from norch_autograd.ops.elementwise.where import clamp
from norch_autograd.ops.indexing.gather import index_select
from norch_autograd.ops.indexing.getitem import nonzero
from norch_autograd.ops.reduction.cumulative import cumsum
from norch_autograd.ops.reduction.sort import searchsorted, sort
from norch_autograd.ops.reduction.sum import any
from norch_autograd.ops.shape.join import cat, unbind
from norch_autograd.ops.shape.view import movedim, reshape
from norch_cpu_ops import bool_


class Bincount(Node):
    """dweight[k] = dy[x[k]]."""

    def backward(self, grad: Tensor) -> Gradients:
        index, dtype = self.saved(0), self.context
        return (to(index_select(grad, 0, index), dtype),)


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each number 0, 1, 2, ... occurs, or the sum of its weights; `minlength` numbers at
    least.

    >>> norch.bincount(norch.tensor([1, 3, 1]))
    tensor([0, 2, 0, 1])
    """
    x = array_of(input)
    if weights is None:
        return plain(x.ops.bincount(x, None, minlength))
    sums = x.ops.bincount(x, array_of(weights), minlength)
    return unary(Bincount, sums, weights, (input,), weights.array.dtype)


def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements fall into each of `bins` equal steps from `min` to `max`; if these are
    equal, from the smallest to the largest element.

    >>> norch.histc(norch.tensor([1., 2., 1.]), bins=4, min=0, max=3)
    tensor([0., 2., 1., 0.])
    """
    x = array_of(input)
    return plain(x.ops.histc(x, bins, min, max))


@in_own_name
def bucketize(
    input: Operand, boundaries: Tensor, *, out_int32: bool = False, right: bool = False
) -> Tensor:
    """Between which `boundaries` each element lies: `searchsorted` with one row for all.

    >>> norch.bucketize(norch.tensor([2, 7]), norch.tensor([1, 3, 5]))
    tensor([1, 3])
    """
    if array_of(boundaries).ndim != 1:
        shape = boundaries.array.shape
        raise RuntimeError(f"[bucketize] boundaries {shape}: expected one dimension")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


@in_own_name
def isin(
    elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False
) -> Tensor:
    """Where `elements` are among `test_elements` (with `invert`, where they are not); one of the
    two may be a number. `assume_unique` changes nothing here.

    >>> norch.isin(norch.tensor([1, 2, 3]), norch.tensor([3, 1]))
    tensor([ True, False,  True])
    """
    model: Any = elements if isinstance(elements, Tensor) else test_elements
    array_of(model, "isin")
    dtype = common_dtype(elements, test_elements)
    x, known = (
        constant(model, side, (), dtype) if isinstance(side, (int, float)) else to(side, dtype)
        for side in (elements, test_elements)
    )
    if bool_ in (common_dtype(elements), common_dtype(test_elements)):
        raise RuntimeError("[isin] bools are not looked up: cast to uint8 first")
    x, known = detach(x), reshape(detach(known), -1)
    if not known.array.numel:
        return plain(x.array.ops.full(x.array.shape, invert, (x == x).dtype))
    known = sort(known[known == known]).values  # NaN equals nothing
    if not known.array.numel:
        return isin(x, known, invert=invert)
    line = reshape(x, -1)
    place = clamp(searchsorted(known, line), max=known.array.numel - 1)
    found = reshape(index_select(known, 0, place) == line, x.array.shape)
    return ~found if invert else found


@in_own_name
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The different elements, in order; with `dim`, the different slices.

    `return_inverse` adds where each element went, `return_counts` how often each occurs. They are
    sorted whether asked to be or not. No NaN equals another.

    >>> norch.unique(norch.tensor([3, 1, 3]), return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))
    """
    x = array_of(input)
    if dim is None:
        values, inverse, counts = map(plain, x.ops.unique(x))
    elif 0 in x.shape:
        _check_only_empty(x.shape, dim)
        values, inverse, counts = clone(plain(x)), *(long(constant(input, 0, (0,))),) * 2
    else:
        rank = _rank_of_slices(movedim(plain(x), dim, 0))
        _, inverse, counts = map(plain, x.ops.unique(rank.array))
        first = plain(x.ops.sort(rank.array, 0)[1])[cumsum(counts, 0) - counts]
        values = index_select(plain(x), dim, first)
    return _select_results(input, values, inverse, counts, return_inverse, return_counts)


class Unique(Node):
    """No derivative: it would not be the same however the equal ones share it."""


def _check_only_empty(shape: tuple[int, ...], dim: int) -> None:
    """Raise RuntimeError where `unique` along `dim` would have slices without elements."""
    place = strides.normalize_dim(dim, len(shape), "unique")
    if shape[place] or shape.count(0) > 1:
        raise RuntimeError(
            f"[unique] shape {shape} has slices along dim {dim} without elements: nothing tells "
            "them apart"
        )


def _rank_of_slices(slices: Tensor) -> Tensor:
    """The place of each slice in their lexicographic order, found one column at a time."""
    columns = reshape(slices, slices.array.shape[0], -1)
    ops = columns.array.ops
    rank = long(constant(columns, 0, columns.array.shape[:1]))
    for column in unbind(columns, 1):
        _, place, _ = map(plain, ops.unique(column.array))
        _, rank, _ = map(plain, ops.unique((rank * column.array.numel + place).array))
    return rank


def _select_results(
    input: Tensor, found: Tensor, inverse: Tensor, counts: Tensor, with_inverse: bool, counted: bool
) -> Any:
    """What `unique` returns: the values alone, or with what else was asked for."""
    more = (*((inverse,) if with_inverse else ()), *((counts,) if counted else ()))
    values = unary(Unique, found.array, input)
    return (values, *more) if more else values


@in_own_name
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The elements (with `dim`, the slices) without those that equal the one before.

    >>> norch.unique_consecutive(norch.tensor([1, 1, 2, 1]), return_counts=True)
    (tensor([1, 2, 1]), tensor([2, 1, 1]))
    """
    x = plain(array_of(input))
    lines = reshape(x, -1, 1) if dim is None else movedim(x, dim, 0)
    count = lines.array.shape[0]
    rows = reshape(lines, count, lines.array.numel // max(count, 1))
    differs = any(rows[1:] != rows[:-1], 1)
    starts = cat([constant(differs, 1, (min(count, 1),)), differs])
    inverse = cumsum(starts, 0) - 1
    places = reshape(nonzero(starts), -1)
    counts = cat([places[1:], constant(places, count, (min(count, 1),))]) - places
    values = reshape(x, -1)[places] if dim is None else index_select(x, dim, places)
    if dim is None:
        inverse = reshape(inverse, x.array.shape)
    return _select_results(input, values, inverse, counts, return_inverse, return_counts)
