"""Stacking, rolling, repeating, picking diagonals: compositions of views, joins and gathers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import norch_strides as strides
from norch_autograd.dtype import int64
from norch_autograd.graph import TensorBase, array_of, plain
from norch_autograd.ops.gather import gather, index_select
from norch_autograd.ops.index import narrow
from norch_autograd.ops.join import cat, repeat, several
from norch_autograd.ops.shape import sizes_of
from norch_autograd.ops.views import through

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor


def ravel(input: Tensor) -> Tensor:
    """All elements as a vector.

    >>> import norch_autograd as norch
    >>> norch.ravel(norch.tensor([[1, 2], [3, 4]]))
    tensor([1, 2, 3, 4])
    """
    array_of(input)
    flat: Tensor = input.contiguous().view(-1)
    return flat


def atleast_1d(*tensors: Any) -> Any:
    """With at least one dimension: one tensor, or a tuple of several or of a sequence.

    >>> import norch_autograd as norch
    >>> norch.atleast_1d(norch.tensor(1))
    tensor([1])
    >>> norch.atleast_1d(norch.tensor(1), norch.tensor([2, 3]))
    (tensor([1]), tensor([2, 3]))
    """
    return _each(tensors, _as_1d, "atleast_1d")


def atleast_2d(*tensors: Any) -> Any:
    """With at least two dimensions: one tensor, or a tuple of several or of a sequence.

    >>> import norch_autograd as norch
    >>> norch.atleast_2d(norch.tensor([1, 2]))
    tensor([[1, 2]])
    """
    return _each(tensors, _as_2d, "atleast_2d")


def atleast_3d(*tensors: Any) -> Any:
    """With at least three dimensions: one tensor, or a tuple of several or of a sequence.

    >>> import norch_autograd as norch
    >>> norch.atleast_3d(norch.tensor([1, 2])).shape
    norch.Size([1, 2, 1])
    """
    return _each(tensors, _as_3d, "atleast_3d")


def _each(tensors: tuple[Any, ...], lift: Callable[[Tensor], Tensor], op: str) -> Any:
    """`lift` of the only tensor, or of each of several."""
    if len(tensors) == 1:
        if isinstance(tensors[0], TensorBase):
            return lift(tensors[0])  # type: ignore[arg-type]
        (tensors,) = tensors
    if not isinstance(tensors, (tuple, list)):
        raise TypeError(f"[{op}] expected tensors, got {type(tensors).__name__}")
    for tensor in tensors:
        array_of(tensor, op)
    return tuple(map(lift, tensors))


def _as_1d(tensor: Tensor) -> Tensor:
    return tensor.reshape(1) if tensor.array.ndim == 0 else tensor


def _as_2d(tensor: Tensor) -> Tensor:
    return tensor if tensor.array.ndim > 1 else tensor.reshape(1, -1)


def _as_3d(tensor: Tensor) -> Tensor:
    return tensor if tensor.array.ndim > 2 else _as_2d(tensor).unsqueeze(-1)


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Side by side: along the columns, or end to end for vectors.

    >>> import norch_autograd as norch
    >>> norch.hstack([norch.tensor([1]), norch.tensor([2, 3])])
    tensor([1, 2, 3])
    """
    lifted = [_as_1d(tensor) for tensor in several("hstack", tensors)]
    return cat(lifted, 0 if lifted and lifted[0].array.ndim == 1 else 1)


def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """One below the other; vectors are rows.

    >>> import norch_autograd as norch
    >>> norch.vstack([norch.tensor([1, 2]), norch.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    return cat([_as_2d(tensor) for tensor in several("vstack", tensors)], 0)


def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """One behind the other, along the third dimension.

    >>> import norch_autograd as norch
    >>> norch.dstack([norch.tensor([1, 2]), norch.tensor([3, 4])])
    tensor([[[1, 3],
             [2, 4]]])
    """
    return cat([_as_3d(tensor) for tensor in several("dstack", tensors)], 2)


def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Side by side; vectors are columns.

    >>> import norch_autograd as norch
    >>> norch.column_stack([norch.tensor([1, 2]), norch.tensor([3, 4])])
    tensor([[1, 3],
            [2, 4]])
    """
    columns = several("column_stack", tensors)
    return cat([t if t.array.ndim > 1 else t.reshape(-1, 1) for t in columns], 1)


def tile(input: Tensor, *dims: Any) -> Tensor:
    """`repeat` that leaves dimensions not named as they are.

    >>> import norch_autograd as norch
    >>> norch.tile(norch.tensor([[1], [2]]), (2,))
    tensor([[1, 1],
            [2, 2]])
    """
    times = sizes_of(dims)
    return repeat(input, (1,) * (array_of(input).ndim - len(times)) + times)


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

    >>> import norch_autograd as norch
    >>> norch.repeat_interleave(norch.tensor([1, 2]), 2)
    tensor([1, 1, 2, 2])
    """
    if repeats is None:
        numbers = plain(array_of(input).ops.arange(0, input.array.numel, 1, int64))
        return repeat_interleave(numbers, input, 0, output_size=output_size)
    if dim is None:
        input, dim = input.reshape(-1), 0
    size = array_of(input).shape[strides.normalize_dim(dim, input.array.ndim, "repeat_interleave")]
    if isinstance(repeats, int) and repeats >= 0:
        _check_length(size * repeats, output_size)
        numbers = plain(input.array.ops.arange(0, size, 1, int64))
        return index_select(input, dim, numbers.unsqueeze(1).expand(size, repeats).reshape(-1))
    times = [repeats] * size if isinstance(repeats, int) else repeats.tolist()
    if len(times) != size or any(n < 0 for n in times):
        raise RuntimeError(
            f"[repeat_interleave] {times} for a dimension of size {size}: "
            "give one repeat of at least 0 for each slice"
        )
    _check_length(sum(times), output_size)
    index = [k for k, n in enumerate(times) for _ in range(n)]
    return index_select(input, dim, input.new_tensor(index, int64))


def _check_length(length: int, output_size: int | None) -> None:
    """The length that the caller foresaw is the one that comes out."""
    if output_size not in (None, length):
        raise RuntimeError(
            f"[repeat_interleave] output_size is {output_size}, but the repeats make {length}: "
            "give that, or leave it out"
        )


def roll(input: Tensor, shifts: int | Sequence[int], dims: Any = None) -> Tensor:
    """Elements moved along `dims`, those pushed out come in at the other end.

    >>> import norch_autograd as norch
    >>> norch.roll(norch.arange(4), 1)
    tensor([3, 0, 1, 2])
    """
    if dims is None or dims == () or dims == []:
        array_of(input)
        return roll(input.reshape(-1), shifts, 0).reshape(input.array.shape)
    moves = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    along = (dims,) if isinstance(dims, int) else tuple(dims)
    if len(moves) != len(along):
        raise RuntimeError(
            f"[roll] {len(moves)} shifts for {len(along)} dims: give as many of both"
        )
    rolled = input
    for shift, dim in zip(moves, along, strict=True) if input.array.ndim else ():
        size = input.array.shape[strides.normalize_dim(dim, input.array.ndim, "roll")]
        cut = -shift % size if size else 0
        if cut:
            parts = narrow(rolled, dim, cut, size - cut), narrow(rolled, dim, 0, cut)
            rolled = cat(parts, dim)
    return rolled.clone() if rolled is input else rolled


def meshgrid(*tensors: Any, indexing: str | None = "ij") -> tuple[Tensor, ...]:
    """Each vector spread over the grid of all of them.

    >>> import norch_autograd as norch
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
        v.reshape([-1 if k == i else 1 for k in range(len(vectors))]).expand(shape)
        for i, v in enumerate(vectors)
    ]
    if swap:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The last dimension as the diagonal of matrices that are zero elsewhere; the matrices lie in
    the dimensions `dim1` (rows) and `dim2` (columns) of the result.

    >>> import norch_autograd as norch
    >>> norch.diag_embed(norch.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    ndim = array_of(input).ndim + 1
    rows, columns = (strides.normalize_dim(dim, ndim, "diag_embed") for dim in (dim1, dim2))
    if rows == columns:
        raise RuntimeError(
            f"[diag_embed] dim1 and dim2 must be two dimensions, got {dim1} and {dim2}"
        )
    *shape, n = input.array.shape
    for place in sorted((rows, columns)):
        shape.insert(place, n + abs(offset))
    whole = strides.contiguous(tuple(shape))
    return through(input, strides.diagonal(whole, offset, rows, columns), whole)


def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """The diagonal of a matrix; or the matrix with a vector as its diagonal.

    >>> import norch_autograd as norch
    >>> norch.diag(norch.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    """
    if array_of(input).ndim not in (1, 2):
        raise RuntimeError(f"[diag] expected a vector or a matrix, got shape {input.array.shape}")
    if input.array.ndim == 1:
        return diag_embed(input, diagonal)
    return input.diagonal(diagonal).clone()


def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix.

    >>> import norch_autograd as norch
    >>> norch.trace(norch.tensor([[1, 2], [3, 4]]))
    tensor(5)
    """
    if array_of(input).ndim != 2:
        raise RuntimeError(f"[trace] a matrix is expected, not shape {input.array.shape}")
    return input.diagonal().sum()


def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """`gather` that broadcasts; over the flattened tensor if `dim` is None.

    >>> import norch_autograd as norch
    >>> norch.take_along_dim(norch.tensor([[1, 2], [3, 4]]), norch.tensor([[1], [0]]), 1)
    tensor([[2],
            [3]])
    """
    array_of(input), array_of(indices)
    if dim is None:
        return gather(input.reshape(-1), 0, indices.reshape(-1))
    place = strides.normalize_dim(dim, input.array.ndim, "take_along_dim")

    def without(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
        return (*shape[:place], size, *shape[place + 1 :])

    x_shape, i_shape = input.array.shape, indices.array.shape
    both = strides.broadcast_shapes(without(x_shape, 1), without(i_shape, 1))
    spread = input.expand(without(both, x_shape[place]))
    return gather(spread, place, indices.expand(without(both, i_shape[place])))
