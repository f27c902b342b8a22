"""Square brackets and what they are made of: select, narrow, diagonal, nonzero, masked_select.

Whole numbers and slices make views; index tensors, lists and masks gather rows by `index_select`
(gather.py). Assignment through brackets is in ops/inplace.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import norch_cpu_ops
import norch_strides as strides
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.graph.views import through
from norch_autograd.ops.arrays import nonzero_columns
from norch_autograd.ops.dtype.convert import long
from norch_autograd.ops.indexing.gather import index_select
from norch_autograd.ops.shape.view import expand, movedim, permute, reshape, seen_as, unsqueeze
from norch_strides import Layout


class Slice(Node):
    """dx is dy with zeros around it."""

    def backward(self, grad: Tensor) -> Gradients:
        whole, part = self.context
        return (through(grad, part, whole),)


class Select(Slice):
    """As Slice, one dimension fewer."""


class NewAxis(Slice):
    """As Slice, one dimension more."""

    public_name = "UnsqueezeBackward0"


def _part_of(kind: type[Node], input: Tensor, rule: Callable[..., Layout], *args: Any) -> Tensor:
    """The view of `input` that `rule(layout, *args)` shows, recorded as `kind`."""
    layout = array_of(input, rule.__name__).layout
    context = None
    if input._requires_grad:
        whole = strides.contiguous(layout.shape)
        context = whole, rule(whole, *args)
    return seen_as(kind, input, rule(layout, *args), context)


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """Slice number `index` along `dim`, which is gone from the result.

    >>> norch.select(norch.tensor([[1, 2], [3, 4]]), 1, 0)
    tensor([1, 3])
    """
    return _part_of(Select, input, strides.select, dim, index)


def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """`length` slices along `dim`, from `start` on.

    >>> norch.narrow(norch.arange(5), 0, 1, 3)
    tensor([1, 2, 3])
    """
    return _part_of(Slice, input, strides.narrow, dim, start, length)


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The diagonal of two dimensions, as the last dimension of a view.

    >>> norch.diagonal(norch.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    """
    return _part_of(Slice, input, strides.diagonal, offset, dim1, dim2)


def getitem(input: Tensor, key: Any) -> Tensor:
    """`input[key]`: a view for numbers, slices, None and `...`; a copy for index tensors and masks.

    >>> x = norch.arange(6).view(2, 3)
    >>> x[1, ::2], x[:, [0, 0]]
    (tensor([3, 5]), tensor([[0, 0],
            [3, 3]]))
    """
    if type(key) is int and input.array.ndim:
        return _part_of(Select, input, strides.select, 0, key)
    if strides.is_basic_index(key):
        return _part_of(
            _last_step(key) if input._requires_grad else Slice, input, strides.basic_index, key
        )
    seen, positions, place = planned_index(input, key)
    if len(positions) == 1:
        return _along(seen, *positions[0])
    rows, index, shape, width = as_rows(seen, positions)
    picked = reshape(index_select(rows, 0, index), (*shape, *width))
    if place == 0 or not shape:
        return picked
    return movedim(picked, tuple(range(len(shape))), tuple(range(place, place + len(shape))))


def _last_step(key: Any) -> type[Node]:
    """What PyTorch, which takes a key item by item, does last: its name is printed."""
    for item in reversed(key) if isinstance(key, tuple) else (key,):
        if item is None:
            return NewAxis
        if item is not Ellipsis and item != slice(None):
            return Slice if isinstance(item, slice) else Select
    return Slice


def _along(seen: Tensor, dim: int, index: Tensor) -> Tensor:
    """What one tensor of indices picks along one dimension."""
    shape = seen.array.shape
    picked = index_select(seen, dim, reshape(wrapped(index, shape[dim], dim), -1))
    if index.array.ndim == 1:
        return picked
    return reshape(picked, (*shape[:dim], *index.array.shape, *shape[dim + 1 :]))


def planned_index(input: Tensor, key: Any) -> tuple[Tensor, list[tuple[int, Tensor]], int]:
    """An advanced key as its basic part, seen already, the tensors of indices with the dimensions
    they stand for, and where their own dimensions go.
    """
    truth = _truth(key)
    if truth is not None:  # a new dimension, of which the one slice is taken or not
        input, key = unsqueeze(input, 0), [0] if truth else []
    key = _as_tensors(input, key)
    layout = input.array.layout
    whole = strides.contiguous(layout.shape)
    plan = strides.plan_index(layout, key, _dims_of)
    part = strides.plan_index(whole, key, _dims_of)
    seen = seen_as(Slice, input, plan.view, (whole, part.view))
    positions: list[tuple[int, Tensor]] = []
    for dim, item in plan.arrays:
        found = (item,)
        if _is_mask(item):
            _check_mask(seen, dim, item)
            found = nonzero(item, as_tuple=True)
        positions += [(dim + k, one) for k, one in enumerate(found)]
    return seen, positions, plan.place


def as_rows(
    seen: Tensor, positions: list[tuple[int, Tensor]]
) -> tuple[Tensor, Tensor, tuple[int, ...], tuple[int, ...]]:
    """Several tensors of indices as numbers of the rows of a matrix: the rows, their numbers, the
    shape of the numbers and the width of a row.
    """
    dims = [dim for dim, _ in positions]
    others = [dim for dim in range(seen.array.ndim) if dim not in dims]
    sizes = [seen.array.shape[dim] for dim in dims]
    width = tuple(seen.array.shape[dim] for dim in others)
    rows = reshape(permute(seen, (*dims, *others)), (math.prod(sizes), *width))
    index = _row_numbers(
        [wrapped(i, n, d) for (d, i), n in zip(positions, sizes, strict=True)], sizes
    )
    return rows, reshape(index, -1), index.array.shape, width


def _as_tensors(input: Tensor, key: Any) -> Any:
    """Lists of numbers and arrays of other libraries in a key, as tensors on the input's device."""
    items = key if isinstance(key, tuple) else (key,)
    ops = input.array.ops

    def converted(item: Any) -> Any:
        if isinstance(item, Tensor) and _truth(item) is None:
            if item.array.dtype.is_floating_point:
                raise IndexError(
                    "[index] tensors used as indices must hold whole numbers or True and False, "
                    f"not {item.array.dtype}"
                )
            if item.array.dtype is norch_cpu_ops.uint8:  # bytes are masks, as in PyTorch
                return plain(ops.cast(item.array, norch_cpu_ops.bool_))
            return item
        if isinstance(item, (list, tuple, range)):
            return plain(_index_array(ops, list(item)))
        if strides.is_basic_index(item):
            return item
        if hasattr(item, "__array__"):
            return plain(_index_array(ops, item.tolist()))
        raise IndexError(
            f"[index] {item!r} is no index: expected whole numbers, slices, None, '...', "
            "lists or tensors of whole numbers, or masks"
        )

    return tuple(converted(item) for item in items)


def _truth(item: Any) -> bool | None:
    """True or False, alone or as a tensor without dimensions; None for any other item."""
    if isinstance(item, Tensor) and item.array.dtype.name == "bool" and not item.array.ndim:
        return bool(item.array.item())
    return item if isinstance(item, bool) else None


def _index_array(ops: Any, values: list[Any]) -> Any:
    """A list inside square brackets; an empty one picks nothing."""
    dtype = norch_cpu_ops.int64 if not values else None
    return ops.from_cpu(norch_cpu_ops.ops.from_list(values, dtype))


def _dims_of(item: Any) -> int:
    """How many dimensions of the input an index tensor stands for."""
    return int(item.array.ndim) if _is_mask(item) else 1


def _is_mask(item: Tensor) -> bool:
    """Whether an index tensor is a mask of bools."""
    return item.array.dtype is norch_cpu_ops.bool_


def _check_mask(seen: Tensor, dim: int, mask: Tensor) -> None:
    """A mask must have the shape of the dimensions it stands for."""
    shape = mask.array.shape
    if seen.array.shape[dim : dim + len(shape)] != shape:
        raise IndexError(
            f"[index] a mask of shape {shape} cannot pick from shape {seen.array.shape} "
            f"at dimension {dim}: the sizes must be equal"
        )


def wrapped(index: Tensor, size: int, dim: int) -> Tensor:
    """Negative numbers counted from the end; IndexError for what is out of range."""
    index = long(index)
    x = index.array
    if not x.numel:
        return index
    low, high = x.ops.amin(x).item(), x.ops.amax(x).item()
    if low < -size or high >= size:
        worst = high if high >= size else low
        raise IndexError(
            f"[index] index {worst} is out of bounds for dimension {dim} with size {size}"
        )
    return index + size * (index < 0) if low < 0 else index


def _row_numbers(indices: list[Tensor], sizes: list[int]) -> Tensor:
    """One number for each combination of indices: `(i * size_j + j) * size_k + k`."""
    shapes = [index.array.shape for index in indices]
    try:
        strides.broadcast_shapes(*shapes)
    except RuntimeError:
        raise IndexError(
            f"[index] tensors of indices of shapes {shapes} do not go together: the sizes must be "
            "equal, or 1"
        ) from None
    number = indices[0]
    for index, size in zip(indices[1:], sizes[1:], strict=True):
        number = number * size + index
    return number


def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """Where the elements are not zero: one row of indices for each, or a tuple of columns.

    >>> norch.nonzero(norch.tensor([[0, 1], [1, 0]]))
    tensor([[0, 1],
            [1, 0]])
    """
    x = array_of(input)
    return nonzero_columns(input) if as_tuple else plain(x.ops.nonzero(x))


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where `mask` is true, as a vector.

    >>> norch.masked_select(norch.tensor([1, 2, 3]), norch.tensor([True, False, True]))
    tensor([1, 3])
    """
    shape = strides.broadcast_shapes(array_of(input).shape, array_of(mask).shape)
    if not _is_mask(mask):
        raise RuntimeError(f"[masked_select] expected a mask of bool, got {mask.array.dtype}")
    return getitem(expand(input, shape), expand(mask, shape))
