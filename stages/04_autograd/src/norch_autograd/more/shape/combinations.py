"""Tables: combinations of elements (cartesian_prod, combinations), powers (vander), coordinates of
places (unravel_index) and of a triangle's (tril_indices, triu_indices).
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import norch_cpu_ops
import norch_strides as strides
from norch_autograd.graph.operands import in_own_name, number
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.more.shape.tile import meshgrid, repeat_interleave
from norch_autograd.ops.arrays import arange_like, constant, index_tensor
from norch_autograd.ops.dtype.convert import long, to
from norch_autograd.ops.elementwise.rounding import floor_divide, remainder
from norch_autograd.ops.elementwise.where import clamp
from norch_autograd.ops.indexing.gather import index_select
from norch_autograd.ops.reduction.cumulative import cumprod, cumsum
from norch_autograd.ops.shape.join import cat, flip, stack
from norch_autograd.ops.shape.view import expand, reshape, unsqueeze
from norch_autograd.types.size import check_room
from norch_cpu_ops import DType, int64


@in_own_name
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Every choice of `r` elements of a vector, one row each.

    >>> norch.combinations(norch.tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
    """
    x = array_of(input)
    if x.ndim != 1:
        raise RuntimeError(f"[combinations] expected a vector, got shape {x.shape}")
    if (r := number(r)) < 0:
        raise RuntimeError(f"[combinations] r is {r}: expected 0 or more")
    if not r:
        return constant(input, 0, (0,))
    count = _number_of_choices(x.numel + (r - 1 if with_replacement else 0), r)
    check_room("combinations", count * r, int64.itemsize)
    if not count:
        return reshape(index_select(input, 0, index_tensor(input, [])), 0, r)
    if x.numel == 1:
        return expand(input, count, r)
    columns = _choice_columns(input, r, 0 if with_replacement else 1)
    return reshape(index_select(input, 0, reshape(stack(columns, 1), -1)), -1, r)


def _number_of_choices(n: int, r: int) -> int:
    """How many combinations there are, n over r; a number past 2^63 as soon as it is one."""
    count = 1 if r <= n else 0
    for k in range(1, min(r, n - r) + 1):
        count = count * (n - k + 1) // k
        if count >= 2**63:
            break
    return count


def _choice_columns(input: Tensor, r: int, gap: int) -> list[Tensor]:
    """The places of all choices in order, column by column: each is at least `gap` behind the one
    before it, and leaves room for those that follow.
    """
    n = input.array.numel
    columns: list[Tensor] = []
    least = constant(input, 0, (1,), int64)
    for left in reversed(range(r)):
        # how many places each row of the last column may go on to
        rows, places = _count_up(least, n - left * gap - least)
        columns = [*(index_select(column, 0, rows) for column in columns), places]
        least = places + gap
    return columns


def _count_up(starts: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """For choices and triangles: each i with the `lengths[i]` numbers from `starts[i]` on."""
    rows = repeat_interleave(arange_like(lengths, lengths.array.shape), lengths)
    behind = index_select(starts - (cumsum(lengths, 0) - lengths), 0, rows)
    return rows, arange_like(rows, rows.array.shape) + behind


@in_own_name
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """A row of powers for each element: x^(N-1), ..., x, 1; turned round if `increasing`.

    >>> norch.vander(norch.tensor([1, 2, 3]))
    tensor([[1, 1, 1],
            [4, 2, 1],
            [9, 3, 1]])
    """
    count = array_of(x).numel if N is None else operator.index(N)
    if x.array.ndim != 1 or count < 0:
        raise RuntimeError(f"[vander] expected a vector and N of at least 0, got {x.array.shape}")
    x = x if x.array.dtype.is_floating_point else to(x, int64)
    length = x.array.numel
    check_room("vander", length * count, 2 * x.array.itemsize)
    first = constant(x, 1, (length, min(count, 1)))
    if count < 2:
        return first
    powers = cat([first, cumprod(expand(unsqueeze(x, 1), length, count - 1), 1)], 1)
    return powers if increasing else flip(powers, 1)


@in_own_name
def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """The places, a tensor for each dimension, of numbers counted through a tensor of `shape`.

    >>> norch.unravel_index(norch.tensor([5]), (2, 3))
    (tensor([1]), tensor([2]))
    """
    if array_of(indices).dtype.is_floating_point or indices.array.dtype.name == "bool":
        raise TypeError(f"[unravel_index] expected whole numbers, got {indices.array.dtype}")
    sizes = strides.as_dims(shape, "unravel_index")
    if any(size < 0 for size in sizes):
        raise ValueError(f"[unravel_index] expected sizes of 0 or more, got {sizes}")
    indices = long(indices)
    found: list[Tensor] = []
    for size in reversed(sizes):
        found.insert(0, remainder(indices, size))
        indices = floor_divide(indices, size)
    return tuple(found)


@in_own_name
def tril_indices(
    row: int, col: int, offset: int = 0, *, dtype: DType = int64, device: Any = "cpu"
) -> Tensor:
    """Combinations of row and column in a matrix's lower triangle, one row of each; of `dtype`.

    >>> norch.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    first = _row_number("tril_indices", row, col, -offset)  # the rows before it are empty
    rows = row - first if col else 0
    check_room("tril_indices", 2 * _staircase(rows, first + 1 + offset, col), int64.itemsize)
    lengths = clamp(_row_numbers(rows) + (first + 1 + offset), 0, col)
    rows_of, columns = _count_up(constant(lengths, 0), lengths)
    return to(stack([rows_of + first, columns]), device, dtype)


@in_own_name
def triu_indices(
    row: int, col: int, offset: int = 0, *, dtype: DType = int64, device: Any = "cpu"
) -> Tensor:
    """Combinations of row and column in a matrix's upper triangle, one row of each; of `dtype`.

    >>> norch.triu_indices(2, 2)
    tensor([[0, 0, 1],
            [0, 1, 1]])
    """
    rows = _row_number("triu_indices", row, col, col - offset)  # the rows from it on are empty
    elements = rows * col - _staircase(rows, offset, col)
    check_room("triu_indices", 2 * elements, int64.itemsize)
    starts = clamp(_row_numbers(rows) + offset, 0, col)
    return to(stack(_count_up(starts, col - starts)), device, dtype)


def _row_number(op: str, row: int, col: int, place: int) -> int:
    """`place` as a row's number for tril_indices or triu_indices, after a look at the sizes."""
    if row < 0 or col < 0:
        raise RuntimeError(f"[{op}] expected sizes of at least 0, got {row} and {col}")
    return min(max(place, 0), row)


def _row_numbers(count: int) -> Tensor:
    """The rows of tril_indices' or triu_indices' triangle, numbered from 0."""
    return plain(norch_cpu_ops.ops.arange(0, count, 1, int64))


def _staircase(rows: int, first: int, col: int) -> int:
    """How many elements tril_indices finds: the sum of min(max(first + i, 0), col) over rows i."""
    begin, end = min(max(-first, 0), rows), min(max(col - first, 0), rows)  # of the slope
    slope = (end - begin) * (2 * first + begin + end - 1) // 2
    return slope + (rows - end) * col


def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Every choice of one element from each vector, one row each; a single vector itself.

    >>> norch.cartesian_prod(norch.tensor([1, 2]), norch.tensor([5]))
    tensor([[1, 5],
            [2, 5]])
    """
    shapes = [array_of(t).shape for t in tensors]
    if any(len(shape) != 1 for shape in shapes) or len({t.array.dtype for t in tensors}) > 1:
        raise RuntimeError(
            f"[cartesian_prod] expected vectors of one dtype, got shapes {shapes} of "
            f"{[t.array.dtype for t in tensors]}"
        )
    if len(tensors) == 1:
        return tensors[0]
    return cat([reshape(grid, -1, 1) for grid in meshgrid(*tensors)], 1)
