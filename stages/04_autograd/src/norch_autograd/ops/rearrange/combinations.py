"""Tables made of vectors: combinations of elements, powers (vander), flat places as coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations as choices, combinations_with_replacement

from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.constants import constant, index_tensor
from norch_autograd.ops.dtype.convert import long
from norch_autograd.ops.elementwise.integer_division import floor_divide, remainder
from norch_autograd.ops.indexing.gather import index_select
from norch_autograd.ops.shape.join import stack
from norch_autograd.ops.shape.view import reshape


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
    pick = combinations_with_replacement if with_replacement else choices
    rows = list(pick(range(x.numel), r))
    if not r:
        return constant(input, 0, (0,))
    flat = [place for row in rows for place in row]
    return reshape(index_select(input, 0, index_tensor(input, flat)), len(rows), r)


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
    columns = [constant(x, 1, x.array.shape)]
    for _ in range(count - 1):
        columns.append(columns[-1] * x)
    columns = columns[:count] if increasing else columns[:count][::-1]
    return stack(columns, 1) if columns else constant(x, 0, (x.array.numel, 0))


def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Places counted through a flattened tensor of `shape`, as one tensor of places a dimension.

    >>> norch.unravel_index(norch.tensor([5]), (2, 3))
    (tensor([1]), tensor([2]))
    """
    if array_of(indices).dtype.is_floating_point or indices.array.dtype.name == "bool":
        raise TypeError(f"[unravel_index] expected whole numbers, got {indices.array.dtype}")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    indices = long(indices)
    found: list[Tensor] = []
    for size in reversed(sizes):
        found.insert(0, remainder(indices, size))
        indices = floor_divide(indices, size)
    return tuple(found)
