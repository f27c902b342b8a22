"""Tables made of vectors: combinations of elements, powers (vander), flat places as coordinates."""

from __future__ import annotations

from collections.abc import Sequence

import norch_strides as strides
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.more.rearrange.repeat import repeat_interleave
from norch_autograd.ops.arrays import arange_like, constant, index_tensor
from norch_autograd.ops.dtype.convert import long, to
from norch_autograd.ops.elementwise.rounding import floor_divide, remainder
from norch_autograd.ops.indexing.gather import index_select
from norch_autograd.ops.reduction.cumulative import cumprod, cumsum
from norch_autograd.ops.shape.join import cat, flip, stack
from norch_autograd.ops.shape.view import expand, reshape, unsqueeze
from norch_autograd.types.size import check_room
from norch_cpu_ops import int64


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
    if r < 0:
        raise RuntimeError(f"[combinations] r is {r}: expected 0 or more")
    if not r:
        return constant(input, 0, (0,))
    count = _number_of_choices(x.numel + (r - 1 if with_replacement else 0), r)
    check_room("combinations", count * r, int64.itemsize)
    if not count:
        return reshape(index_select(input, 0, index_tensor(input, [])), 0, r)
    if x.numel == 1:
        return expand(input, count, r)
    columns = _columns(input, r, 0 if with_replacement else 1)
    return reshape(index_select(input, 0, reshape(stack(columns, 1), -1)), -1, r)


def _number_of_choices(n: int, r: int) -> int:
    """n over r, or a number past 2^63 as soon as it is one."""
    count = 1 if r <= n else 0
    for k in range(1, min(r, n - r) + 1):
        count = count * (n - k + 1) // k
        if count >= 2**63:
            break
    return count


def _columns(input: Tensor, r: int, gap: int) -> list[Tensor]:
    """The places of all choices in order, column by column: each is at least `gap` behind the one
    before it, and leaves room for those that follow.
    """
    n = input.array.numel
    columns: list[Tensor] = []
    least = constant(input, 0, (1,), int64)
    for left in reversed(range(r)):
        lengths = n - left * gap - least  # how many places each row of the last column may go on to
        rows = repeat_interleave(arange_like(input, lengths.array.shape), lengths)
        ends = cumsum(lengths, 0)
        steps = arange_like(input, rows.array.shape) - index_select(ends - lengths, 0, rows)
        columns = [index_select(column, 0, rows) for column in columns]
        columns.append(index_select(least, 0, rows) + steps)
        least = columns[-1] + gap
    return columns


@in_own_name
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """A row of powers for each element: x^(N-1), ..., x, 1; turned round if `increasing`.

    >>> norch.vander(norch.tensor([1, 2, 3]))
    tensor([[1, 1, 1],
            [4, 2, 1],
            [9, 3, 1]])
    """
    count = array_of(x).numel if N is None else N
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
    """Places counted through a flattened tensor of `shape`, as one tensor of places a dimension.

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
