"""Elements repeated: tile, repeat_interleave, meshgrid, broadcast_tensors, and a `gather` that
broadcasts.

Compositions of views and gathers. `repeat` itself is in ops/shape/join.py.
"""

from __future__ import annotations

from typing import Any

import norch_strides as strides
from norch_autograd.graph.operands import in_own_name, number
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.arrays import arange_like, index_tensor
from norch_autograd.ops.elementwise.where import where
from norch_autograd.ops.indexing.gather import gather, index_select
from norch_autograd.ops.reduction.cumulative import cumsum
from norch_autograd.ops.reduction.sort import searchsorted
from norch_autograd.ops.shape.join import repeat
from norch_autograd.ops.shape.view import expand, reshape, sizes_of, unsqueeze
from norch_autograd.types.size import check_room
from norch_cpu_ops import int64


@in_own_name
def tile(input: Tensor, *repeats: Any, dims: Any = None) -> Tensor:
    """`repeat` that leaves dimensions not named as they are.

    >>> norch.tile(norch.tensor([[1], [2]]), (2,))
    tensor([[1, 1],
            [2, 2]])
    """
    times = sizes_of(repeats, dims)
    return repeat(input, (1,) * (array_of(input).ndim - len(times)) + times)


@in_own_name
def repeat_interleave(
    input: Tensor,
    repeats: int | Tensor | None = None,
    dim: int | None = None,
    *,
    output_size: int | None = None,
) -> Tensor:
    """Each slice along `dim` several times in a row (of the flattened tensor if None).

    With `repeats` alone, in the place of `input`, number k as often as `repeats[k]` says.
    `output_size`, if given, must be the length that comes out: RuntimeError if it is not.

    >>> norch.repeat_interleave(norch.tensor([1, 2]), 2)
    tensor([1, 1, 2, 2])
    """
    if repeats is None:
        numbers = arange_like(input, (array_of(input).numel,))
        return repeat_interleave(numbers, input, 0, output_size=output_size)
    if dim is None:
        input, dim = reshape(input, -1), 0
    repeats = number(repeats)
    if isinstance(repeats, Tensor) and repeats.array.dtype.is_floating_point:
        raise NotImplementedError("[repeat_interleave] repeats must be whole numbers, got floats")
    size = array_of(input).shape[strides.normalize_dim(dim, input.array.ndim, "repeat_interleave")]
    if isinstance(repeats, int) and repeats >= 0:
        _check_length(size * repeats, output_size)
        numbers = arange_like(input, (size,))
        return index_select(input, dim, reshape(expand(unsqueeze(numbers, 1), size, repeats), -1))
    times = [repeats] * size if isinstance(repeats, int) else repeats.array.tolist()
    if len(times) != size or any(n < 0 for n in times):
        raise RuntimeError(
            f"[repeat_interleave] {times} for a dimension of size {size}: "
            "give one repeat of at least 0 for each slice"
        )
    length = sum(times)
    _check_length(length, output_size)
    check_room("repeat_interleave", length, 2 * int64.itemsize)
    ends = cumsum(index_tensor(input, times), 0)
    return index_select(input, dim, searchsorted(ends, arange_like(input, (length,)), right=True))


def _check_length(length: int, output_size: int | None) -> None:
    """Raise RuntimeError unless repeat_interleave's `output_size`, if given, is what comes out."""
    if output_size not in (None, length):
        raise RuntimeError(
            f"[repeat_interleave] output_size is {output_size}, but the repeats make {length}: "
            "give that, or leave it out"
        )


@in_own_name
def meshgrid(*tensors: Any, indexing: str | None = "ij") -> tuple[Tensor, ...]:
    """Each vector spread over the grid of all of them.

    >>> norch.meshgrid(norch.tensor([1, 2]), norch.tensor([3, 4]), indexing="ij")[0]
    tensor([[1, 1],
            [2, 2]])
    """
    vectors: list[Any] = list(sizes_of(tensors)) if tensors else []
    if indexing not in ("ij", "xy", None):
        raise RuntimeError(f"[meshgrid] indexing must be 'ij' or 'xy', got '{indexing}'")
    if not vectors or any(array_of(v, "meshgrid").ndim > 1 for v in vectors):
        shapes = [v.array.shape for v in vectors]
        raise RuntimeError(f"[meshgrid] expected at least one vector, and only those: got {shapes}")
    swap = indexing == "xy" and len(vectors) > 1
    if swap:
        vectors[0], vectors[1] = vectors[1], vectors[0]
    shape = tuple(v.array.numel for v in vectors)
    grids = [
        expand(reshape(v, [-1 if k == i else 1 for k in range(len(vectors))]), shape)
        for i, v in enumerate(vectors)
    ]
    if swap:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


@in_own_name
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """`gather`, both tensors repeated to fit but for `dim`; over the flattened ones if it is None.

    >>> norch.take_along_dim(norch.tensor([[1, 2], [3, 4]]), norch.tensor([[1], [0]]), 1)
    tensor([[2],
            [3]])
    """
    if array_of(indices).dtype.name != "int64":
        raise RuntimeError(f"[take_along_dim] expected indices of int64, got {indices.dtype}")
    if dim is None:
        input, indices, dim = reshape(input, -1), reshape(indices, -1), 0
    if indices.array.ndim != array_of(input).ndim:
        raise RuntimeError(
            f"[take_along_dim] expected as many dimensions on both sides, got {input.shape} and "
            f"indices {indices.shape}"
        )
    place = strides.normalize_dim(dim, input.array.ndim, "take_along_dim")
    indices = where(indices < 0, indices + input.array.shape[place], indices)

    def without(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
        return (*shape[:place], size, *shape[place + 1 :])

    x_shape, i_shape = input.array.shape, indices.array.shape
    both = strides.broadcast_shapes(without(x_shape, 1), without(i_shape, 1))
    spread = expand(input, without(both, x_shape[place]))
    return gather(spread, place, expand(indices, without(both, i_shape[place])))


def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """All tensors repeated, as views, to the one shape they broadcast to.

    >>> [t.shape for t in norch.broadcast_tensors(norch.zeros(2, 1), norch.zeros(3))]
    [norch.Size([2, 3]), norch.Size([2, 3])]
    """
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    shape = strides.broadcast_shapes(*(array_of(t).shape for t in given))
    return tuple(expand(t, shape) for t in given)
