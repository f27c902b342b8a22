"""Tables made of vectors: choices, powers, places as coordinates, and membership in a list."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations as choices, combinations_with_replacement
from typing import TYPE_CHECKING, Any

from norch_autograd.dtype import int64
from norch_autograd.graph import TensorBase, array_of, plain
from norch_autograd.ops.counting import searchsorted
from norch_autograd.ops.gather import index_select
from norch_autograd.ops.join import stack
from norch_autograd.ops.promotion import common_dtype

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Every choice of `r` elements of a vector, one row each.

    >>> import norch_autograd as norch
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
        return input.new_empty((0,))
    flat = [place for row in rows for place in row]
    picked = index_select(input, 0, input.new_tensor(flat, int64))
    table: Tensor = picked.reshape(len(rows), r)
    return table


def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """A row of powers for each element: x^(N-1), ..., x, 1; turned round if `increasing`.

    >>> import norch_autograd as norch
    >>> norch.vander(norch.tensor([1, 2, 3]))
    tensor([[1, 1, 1],
            [4, 2, 1],
            [9, 3, 1]])
    """
    count = array_of(x).numel if N is None else N
    if x.array.ndim != 1 or count < 0:
        raise RuntimeError(f"[vander] expected a vector and N of at least 0, got {x.array.shape}")
    columns = [x.new_ones(x.array.shape)]
    for _ in range(count - 1):
        columns.append(columns[-1] * x)
    columns = columns[:count] if increasing else columns[:count][::-1]
    return stack(columns, 1) if columns else x.new_empty((x.array.numel, 0))


def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Places counted through a flattened tensor of `shape`, as one tensor of places a dimension.

    >>> import norch_autograd as norch
    >>> norch.unravel_index(norch.tensor([5]), (2, 3))
    (tensor([1]), tensor([2]))
    """
    if array_of(indices).dtype.is_floating_point or indices.array.dtype.name == "bool":
        raise TypeError(f"[unravel_index] expected whole numbers, got {indices.array.dtype}")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    found: list[Tensor] = []
    for size in reversed(sizes):
        found.insert(0, indices.remainder(size))
        indices = indices.floor_divide(size)
    return tuple(found)


def isin(
    elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False
) -> Tensor:
    """Where `elements` are among `test_elements` (with `invert`, where they are not); one of the
    two may be a number. `assume_unique` would only be quicker elsewhere.

    >>> import norch_autograd as norch
    >>> norch.isin(norch.tensor([1, 2, 3]), norch.tensor([3, 1]))
    tensor([ True, False,  True])
    """
    model: Any = elements if isinstance(elements, TensorBase) else test_elements
    array_of(model, "isin")
    dtype = common_dtype(elements, test_elements)
    x, known = (
        model.new_tensor(side, dtype) if isinstance(side, (int, float)) else side.to(dtype)
        for side in (elements, test_elements)
    )
    if dtype.name == "bool":
        raise RuntimeError("[isin] bools are not looked up: cast to uint8 first")
    x, known = x.detach(), known.detach().reshape(-1)
    if not known.array.numel:
        return plain(x.array.ops.full(x.array.shape, invert, (x == x).dtype))
    known = known[known == known].sort().values  # NaN equals nothing
    if not known.array.numel:
        return isin(x, known, invert=invert)
    place = searchsorted(known, x.reshape(-1)).clamp(max=known.array.numel - 1)
    found: Tensor = (index_select(known, 0, place) == x.reshape(-1)).reshape(x.array.shape)
    return ~found if invert else found
