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
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.graph.views import relayout
from norch_autograd.ops.arrays import constant, nonzero_columns, reshape_array
from norch_autograd.ops.dtype.convert import long
from norch_autograd.ops.indexing.gather import index_add
from norch_autograd.ops.shape.view import as_view, expand, movedim, permute, reshape, unsqueeze
from norch_cpu_ops import bool_, int32, int64, uint8
from norch_strides import Layout

WHOLE = slice(None)
INDEX_DTYPES = (int64, int32)


class Slice(Node):
    """dx is dy with zeros around it."""

    def backward(self, grad: Tensor) -> Gradients:
        shape, rule, args = self.context
        whole = strides.contiguous(shape)
        return (relayout(grad, rule(whole, *args), whole),)


class Select(Slice):
    """As Slice, one dimension fewer."""


class NewAxis(Slice):
    """As Slice, one dimension more."""

    public_name = "UnsqueezeBackward0"


def _part_of(kind: type[Node], input: Tensor, rule: Callable[..., Layout], *args: Any) -> Tensor:
    """The part of `input` that an index reads, the view that `rule` shows, recorded as `kind`."""
    x = array_of(input, rule.__name__)
    view = x.view_by(rule, *args)
    return as_view(kind, input, view, (x.shape, rule, args))


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """`input[index]`, but along `dim`: one slice, and the dimension is gone from the result.

    >>> norch.select(norch.tensor([[1, 2], [3, 4]]), 1, 0)
    tensor([1, 3])
    """
    x = array_of(input)
    view = x.select(dim, index)
    return as_view(Select, input, view, (x.shape, strides.select, (dim, index)))


def narrow(input: Tensor, dim: int, start: int | Tensor, length: int) -> Tensor:
    """`input[start : start + length]`, but along `dim`: a view.

    >>> norch.narrow(norch.arange(5), 0, 1, 3)
    tensor([1, 2, 3])
    """
    whole = (*INDEX_DTYPES, uint8)
    if isinstance(start, Tensor) and (start.array.ndim or start.dtype not in whole):
        raise RuntimeError(
            f"[narrow] start must be a whole number, got {start.dtype} of shape {start.shape}"
        )
    return _part_of(Slice, input, strides.narrow, dim, start, length)


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The elements whose index in `dim2` is that in `dim1` plus `offset`: a view's last dimension.

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
    x = input.array
    if type(key) is int and x.ndim:
        return select(input, 0, key)
    if isinstance(key, Tensor) and x.ndim:
        if _is_list(key):
            return _select_along(input, 0, key)
        if _is_mask(key) and key.array.ndim and x.shape[: key.array.ndim] == key.array.shape:
            return _select_by_mask(input, key.array)
    if strides.is_basic_index(key):
        view = x.view_by(strides.basic_index, key)
        if not input._requires_grad:
            return as_view(Slice, input, view, None)
        context = x.shape, strides.basic_index, (key,)
        return as_view(_last_step(key), input, view, context)
    seen, positions, place = plan_index(input, key)
    if len(positions) == 1:
        return _select_along(seen, *positions[0])
    rows, numbers = as_rows(seen, positions)
    picked = _select_along(rows, 0, numbers)
    count = numbers.array.ndim
    if place == 0 or not count:
        return picked
    return movedim(picked, tuple(range(count)), tuple(range(place, place + count)))


def _is_list(item: Tensor) -> bool:
    """Whether a tensor in a key lists indices: whole numbers, with a dimension at least."""
    x = item.array
    return x.dtype in INDEX_DTYPES and x.ndim > 0


def _last_step(key: Any) -> type[Node]:
    """What PyTorch, which takes a key item by item, does last: its name is printed."""
    for item in reversed(key) if isinstance(key, tuple) else (key,):
        if item is None:
            return NewAxis
        if type(item) is slice:
            if item != WHOLE:
                return Slice
        elif item is not ...:
            return Select
    return Slice


class Index(Node):
    """dx[index[k]] += dy[k], from zeros."""

    def backward(self, grad: Tensor) -> Gradients:
        shape, dim = self.context
        index = self.saved(0)
        slices = reshape(grad, (*shape[:dim], index.array.numel, *shape[dim + 1 :]))
        return (index_add(constant(grad, 0, shape), dim, reshape(index, -1), slices),)


def _select_along(seen: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices that one tensor of indices names along one dimension, recorded as `Index`."""
    x, shape = seen.array, seen.array.shape
    numbers = x.ops.ravel_multi_index([index.array], shape, (dim,))
    if numbers is not index.array:
        index = plain(numbers)
    if numbers.ndim == 1:
        picked = x.ops.index_select(x, dim, numbers)
    else:
        picked = x.ops.index_select(x, dim, numbers.view_by(strides.view, (numbers.numel,)))
        picked = picked.view_by(strides.view, (*shape[:dim], *numbers.shape, *shape[dim + 1 :]))
    return unary(Index, picked, seen, (index,), (shape, dim))


def _select_by_mask(input: Tensor, mask: Any) -> Tensor:
    """The rows of `input` where a mask of its first dimensions is true: those dimensions as one."""
    shape, count = (mask.numel, *input.array.shape[mask.ndim :]), mask.ndim
    rows = input if count == 1 else reshape(input, shape)
    x = rows.array
    places = x.ops.nonzero(mask if count == 1 else reshape_array(mask, (mask.numel,)))
    numbers = places.view_by(strides.select, 1, 0)
    picked = x.ops.index_select(x, 0, numbers)
    return unary(Index, picked, rows, (plain(numbers),), (shape, 0))


def plan_index(input: Tensor, key: Any) -> tuple[Tensor, list[tuple[int, Tensor]], int]:
    """An advanced key as its basic part, seen already, the tensors of indices with the dimensions
    they stand for, and where their own dimensions go.
    """
    seen, arrays, place = _split_key(input, key)
    positions: list[tuple[int, Tensor]] = []
    for dim, item in arrays:
        found = (item,)
        if _is_mask(item):
            shape = item.array.shape
            if seen.array.shape[dim : dim + len(shape)] != shape:
                raise IndexError(
                    f"[index] a mask of shape {shape} cannot pick from shape {seen.array.shape} "
                    f"at dimension {dim}: the sizes must be equal"
                )
            found = nonzero(item, as_tuple=True)
        positions += [(dim + k, one) for k, one in enumerate(found)]
    return seen, positions, place


def _split_key(input: Tensor, key: Any) -> tuple[Tensor, tuple[tuple[int, Tensor], ...], int]:
    """The basic part of a key, seen; its lists of indices and masks; where their dimensions go."""
    is_array = isinstance(key, Tensor) and (_is_mask(key) or _is_list(key))
    if is_array and 0 < key.array.ndim <= input.array.ndim:
        return input, ((0, key),), 0  # nothing to split
    items = key if isinstance(key, tuple) else (key,)
    input, given = _without_truths(input, [_convert_item(item, input.array.ops) for item in items])
    plan = strides.plan_index(input.array.shape, given, _dims_of)
    if not all(type(item) is slice and item == WHOLE for item in plan.basic):
        input = _part_of(Slice, input, strides.basic_index, plan.basic)
    return input, plan.arrays, plan.place


def as_rows(seen: Tensor, positions: list[tuple[int, Tensor]]) -> tuple[Tensor, Tensor]:
    """Several tensors of indices as numbers of rows: `seen` with the dimensions they stand for
    joined into one, the first, and the numbers, in the shape that the tensors broadcast to.
    """
    shape = seen.array.shape
    dims = [dim for dim, _ in positions]
    others = [dim for dim in range(len(shape)) if dim not in dims]
    width = [shape[dim] for dim in others]
    arrays = [index.array for _, index in positions]
    shapes = [array.shape for array in arrays]
    try:
        strides.broadcast_shapes(*shapes)
    except RuntimeError:
        raise IndexError(
            f"[index] tensors of indices of shapes {shapes} do not go together: the sizes must be "
            "equal, or 1"
        ) from None
    numbers = seen.array.ops.ravel_multi_index(arrays, shape, dims)
    front = permute(seen, (*dims, *others)) if dims != list(range(len(dims))) else seen
    return reshape(front, (math.prod(shape[dim] for dim in dims), *width)), plain(numbers)


def _convert_item(item: Any, ops: Any) -> Any:
    """An item of a key; lists of numbers and arrays of other libraries as tensors on the device."""
    if isinstance(item, Tensor):
        dtype = item.array.dtype
        if dtype.is_floating_point:
            raise IndexError(
                "[index] tensors used as indices must hold whole numbers or True and False, "
                f"not {dtype}"
            )
        if dtype is uint8:  # bytes are masks, as in PyTorch
            return plain(ops.cast(item.array, bool_))
        return item
    if isinstance(item, (list, tuple, range)):
        return plain(_index_array(ops, list(item)))
    if isinstance(item, bool) or strides.is_basic_index(item):
        return item
    if hasattr(item, "__array__"):
        return plain(_index_array(ops, item.tolist()))
    raise IndexError(
        f"[index] {item!r} is no index: expected whole numbers, slices, None, '...', "
        "lists or tensors of whole numbers, or masks"
    )


def _without_truths(input: Tensor, items: list[Any]) -> tuple[Tensor, tuple[Any, ...]]:
    """Each True or False of a key as a new dimension, of which the one slice is taken or not."""
    truths = [_truth_of(item) for item in items]
    named = [_count_dims(item) for item in items]
    rest, dim = input.array.ndim - sum(named), 0
    for k, truth in enumerate(truths):
        if truth is not None:
            input = unsqueeze(input, min(dim, input.array.ndim))
            items[k] = plain(_index_array(input.array.ops, [0] if truth else []))
            dim += 1
        dim += max(rest, 0) if items[k] is ... else named[k]
    return input, tuple(items)


def _count_dims(item: Any) -> int:
    """How many dimensions of the input an item of a key speaks of."""
    if item is None or item is ... or isinstance(item, bool):
        return 0
    return _dims_of(item) if isinstance(item, Tensor) else 1


def _truth_of(item: Any) -> bool | None:
    """True or False, alone or as a tensor without dimensions; None for any other item."""
    if isinstance(item, bool):
        return item
    is_truth = isinstance(item, Tensor) and not item.array.ndim and _is_mask(item)
    return bool(item.array.item()) if is_truth else None


def _index_array(ops: Any, values: list[Any]) -> Any:
    """A list inside square brackets as an array of indices; an empty one picks nothing."""
    dtype = int64 if not values else None
    return ops.from_cpu(norch_cpu_ops.ops.from_list(values, dtype))


def _dims_of(item: Any) -> int:
    """How many dimensions of the input an index tensor stands for."""
    return int(item.array.ndim) if _is_mask(item) else 1


def _is_mask(item: Tensor) -> bool:
    """Whether an index tensor is a mask of bools."""
    return item.array.dtype is bool_


def wrap_index(index: Tensor, shape: tuple[int, ...], dim: int) -> Tensor:
    """Indices along `dim` of a tensor of this shape, negative ones counted from the end; IndexError
    for what is out of range.
    """
    x = long(index).array
    numbers = x.ops.ravel_multi_index([x], shape, (dim,))
    return index if numbers is index.array else plain(numbers)


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
