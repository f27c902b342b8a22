"""The places of a triangle's elements, and the identity matrix."""

from __future__ import annotations

from typing import Any

import norch_cpu_ops
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.tensor_base import Tensor, plain
from norch_autograd.more.rearrange.diagonal import diag
from norch_autograd.more.rearrange.repeat import repeat_interleave
from norch_autograd.ops.arrays import constant
from norch_autograd.ops.dtype.convert import to
from norch_autograd.ops.elementwise.where import clamp
from norch_autograd.ops.indexing.gather import index_select
from norch_autograd.ops.reduction.cumulative import cumsum
from norch_autograd.ops.shape.join import stack
from norch_autograd.types.size import check_room
from norch_cpu_ops import DType, int64


@in_own_name
def tril_indices(
    row: int, col: int, offset: int = 0, *, dtype: DType = int64, device: Any = "cpu"
) -> Tensor:
    """Rows and columns of the lower triangle of a matrix, one row of each; of `dtype`.

    >>> norch.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    first = _start("tril_indices", row, col, -offset)  # the rows before it are empty
    rows = row - first if col else 0
    check_room("tril_indices", 2 * _staircase(rows, first + 1 + offset, col), int64.itemsize)
    lengths = clamp(_numbers(rows) + (first + 1 + offset), 0, col)
    return to(_places(first, constant(lengths, 0), lengths), device, dtype)


@in_own_name
def triu_indices(
    row: int, col: int, offset: int = 0, *, dtype: DType = int64, device: Any = "cpu"
) -> Tensor:
    """Rows and columns of the upper triangle of a matrix, one row of each; of `dtype`.

    >>> norch.triu_indices(2, 2)
    tensor([[0, 0, 1],
            [0, 1, 1]])
    """
    rows = _start("triu_indices", row, col, col - offset)  # the rows from it on are empty
    left_out = _staircase(rows, offset, col)
    check_room("triu_indices", 2 * (rows * col - left_out), int64.itemsize)
    starts = clamp(_numbers(rows) + offset, 0, col)
    return to(_places(0, starts, col - starts), device, dtype)


def _start(op: str, row: int, col: int, place: int) -> int:
    """`place` as the number of a row, after a look at the sizes."""
    if row < 0 or col < 0:
        raise RuntimeError(f"[{op}] expected sizes of at least 0, got {row} and {col}")
    return min(max(place, 0), row)


def _staircase(rows: int, first: int, col: int) -> int:
    """The sum of min(max(first + i, 0), col) over so many rows i."""
    begin, end = min(max(-first, 0), rows), min(max(col - first, 0), rows)  # of the slope
    slope = (end - begin) * (2 * first + begin + end - 1) // 2
    return slope + (rows - end) * col


def _numbers(count: int) -> Tensor:
    ops = norch_cpu_ops.ops
    return plain(ops.arange(0, count, 1, int64))


def _places(first: int, starts: Tensor, lengths: Tensor) -> Tensor:
    """Row and column of each place: row `first + i` has `lengths[i]` of them, from `starts[i]`."""
    ends = cumsum(lengths, 0)
    rows = repeat_interleave(_numbers(lengths.array.numel), lengths)
    behind = index_select(starts - (ends - lengths), 0, rows)
    return stack([rows + first, _numbers(rows.array.numel) + behind])


def identity(like: Tensor, n: int) -> Tensor:
    """The identity in the dtype and on the device of another tensor."""
    return diag(constant(like, 1, (n,)))
