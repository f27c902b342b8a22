"""The different elements or slices: unique, unique_consecutive. They have no gradient."""

from __future__ import annotations

from typing import Any

import norch_strides as strides
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.arrays import constant
from norch_autograd.ops.dtype.convert import clone, long
from norch_autograd.ops.indexing.gather import index_select
from norch_autograd.ops.indexing.getitem import nonzero
from norch_autograd.ops.reduction.cumulative import cumsum
from norch_autograd.ops.reduction.sum import any
from norch_autograd.ops.shape.join import cat, unbind
from norch_autograd.ops.shape.view import movedim, reshape


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
    return _select_results(values, inverse, counts, return_inverse, return_counts)


def _check_only_empty(shape: tuple[int, ...], dim: int) -> None:
    """Without elements there is an answer where there are no slices, and nothing else is empty."""
    place = strides.normalize_dim(dim, len(shape), "unique")
    if shape[place] or shape.count(0) > 1:
        raise RuntimeError(
            f"[unique] shape {shape} has slices along dim {dim} without elements: nothing tells "
            "them apart"
        )


def _rank_of_slices(slices: Tensor) -> Tensor:
    """A number for each slice, in their lexicographic order: one column at a time."""
    columns = reshape(slices, slices.array.shape[0], -1)
    ops = columns.array.ops
    rank = long(constant(columns, 0, columns.array.shape[:1]))
    for column in unbind(columns, 1):
        _, place, _ = map(plain, ops.unique(column.array))
        _, rank, _ = map(plain, ops.unique((rank * column.array.numel + place).array))
    return rank


def _select_results(
    values: Tensor, inverse: Tensor, counts: Tensor, return_inverse: bool, return_counts: bool
) -> Any:
    """The values alone, or with what else was asked for."""
    more = (*((inverse,) if return_inverse else ()), *((counts,) if return_counts else ()))
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
    return _select_results(values, inverse, counts, return_inverse, return_counts)
