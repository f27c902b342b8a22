"""Assignment by index, recorded like every other edit in place: `x[key] = value`, `index_put_`,
`put_`, `index_copy_`; and into a copy (`put`), which is an edit of a clone.

Further edits by index are in more/inplace.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import norch_cpu_ops
import norch_strides as strides
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.record import record
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.dtype.convert import clone, to
from norch_autograd.ops.elementwise.where import masked_fill
from norch_autograd.ops.indexing.gather import index_add, index_select
from norch_autograd.ops.indexing.getitem import as_rows, getitem, plan_index, wrap_index
from norch_autograd.ops.indexing.index_copy import index_copy, index_fill
from norch_autograd.ops.inplace.edit import (
    copy_,
    edit,
    fill_,
    in_place,
    is_recorded,
    masked_fill_,
    write,
)
from norch_autograd.ops.shape.view import expand, reshape, unsqueeze
from norch_cpu_ops import int64


def setitem(input: Tensor, key: Any, value: Any) -> None:
    """`input[key] = value`.

    >>> x = norch.zeros(3)
    >>> x[1:] = norch.tensor([4., 5.])
    >>> x[[0, 0]] = 1
    >>> x
    tensor([1., 4., 5.])
    """
    if not is_recorded(input, value, "copy_"):
        _write_unrecorded(input, key, value)
    elif strides.is_basic_index(key):
        _write_view(getitem(input, key), value)
    elif _masks_all(input, key) and not (isinstance(value, Tensor) and value.array.ndim):
        masked_fill_(input, key, value)
    else:
        _put_rows(input, key, value)


def _write_unrecorded(input: Tensor, key: Any, value: Any) -> None:
    """`input[key] = value` where nothing is recorded: straight into the places."""
    x = input.array
    if not isinstance(value, (Tensor, int, float)):
        value = plain(x.ops.from_cpu(_from_data(value)))
    if strides.is_basic_index(key):
        part = x.view_by(strides.basic_index, key)
        write(part, _drop_leading_ones(value, part.ndim))
    elif _masks_all(input, key) and not (isinstance(value, Tensor) and value.array.ndim):
        x.ops.copy_(x, masked_fill(plain(x), key, value).array)
    else:
        _write_rows(input, key, value)


def _write_rows(input: Tensor, key: Any, value: Any) -> None:
    """Write where index tensors say, nothing recorded; of repeated indices the last one counts."""
    seen, positions, place = plan_index(plain(input.array), key)
    if len(positions) == 1:
        (dim, index) = positions[0]
        x = seen.array
        numbers = x.ops.ravel_multi_index([index.array], x.shape, (dim,))
    else:
        rows, found = as_rows(seen, positions)
        x, dim, numbers = rows.array, 0, found.array
        if not x.shares_storage(input.array) or place:
            return _put_rows(input, key, value)
    index = numbers.view_by(strides.view, (numbers.numel,))
    slices = (*x.shape[:dim], numbers.numel, *x.shape[dim + 1 :])
    if isinstance(value, Tensor):
        shape = (*x.shape[:dim], *numbers.shape, *x.shape[dim + 1 :])
        spread = expand(to(_drop_leading_ones(value, len(shape)), x.device, x.dtype), shape)
        given = reshape(spread, slices).array
    else:
        given = x.ops.full((), value, x.dtype).view_by(strides.expand, slices)
    x.ops.index_copy_(x, dim, index, given)


def _write_view(part: Tensor, value: Any) -> None:
    """Write a tensor, a number or a list into a view of the tensor that `x[key] = value` edits."""
    if isinstance(value, Tensor):
        copy_(part, _drop_leading_ones(value, part.array.ndim))
    elif isinstance(value, (int, float)):
        fill_(part, value)
    else:
        copy_(part, plain(part.array.ops.from_cpu(_from_data(value))))


def _from_data(value: Any) -> Any:
    """The array of a list, or of another library's array, that is assigned."""
    if isinstance(value, (list, tuple)):
        return norch_cpu_ops.ops.from_list(value, None)
    return norch_cpu_ops.ops.from_buffer(value)


def _drop_leading_ones(value: Any, ndim: int) -> Any:
    """The value of an assignment without its leading sizes of 1 that the target does not have."""
    if not isinstance(value, Tensor) or value.array.ndim <= ndim:
        return value
    shape = value.array.shape
    while len(shape) > ndim and shape[0] == 1:
        shape = shape[1:]
    return value if shape == value.array.shape else reshape(value, shape)


def _masks_all(input: Tensor, key: Any) -> bool:
    """Whether `key` is one mask of the input's own shape."""
    return (
        isinstance(key, Tensor)
        and key.array.dtype.name == "bool"
        and key.array.shape == input.array.shape
    )


def _put_rows(input: Tensor, key: Any, value: Any) -> None:
    """Assign where index tensors say, recorded; of repeated indices the last one counts."""
    seen, positions, _ = plan_index(input, key)
    leading = [dim for dim, _ in positions] == list(range(len(positions)))
    if leading and seen.array.layout == input.array.layout:
        rows, numbers = as_rows(plain(seen.array), positions)
        shape, width = numbers.array.shape, rows.array.shape[1:]
        if width and input.array.numel:  # whole rows are replaced
            values = _expand_value(input, value, (*shape, *width))
            values = reshape(values, numbers.array.numel, math.prod(width))
            edit(input, put_rows, reshape(numbers, -1), values)
            return
    numbers = plain(input.array.ops.arange(0, input.array.numel, 1, norch_cpu_ops.int64))
    places = getitem(reshape(numbers, input.array.shape), key)
    values = reshape(_expand_value(input, value, places.array.shape), places.array.numel, 1)
    edit(input, put_rows, reshape(places, -1), values)


def _expand_value(input: Tensor, value: Any, shape: tuple[int, ...]) -> Tensor:
    """What is written, as a tensor of `input`'s dtype and the shape of the places."""
    if not isinstance(value, Tensor):
        filled = plain(input.array.ops.empty(shape, input.array.dtype))
        _write_view(filled, value)
        return filled
    return expand(to(_drop_leading_ones(value, len(shape)), input.array.dtype), shape)


class IndexPut(Node):
    """Each row takes the gradient of its place, if no later one was written there; what they
    replaced gets none.
    """

    def backward(self, grad: Tensor) -> Gradients:
        index, writer = self.saved(0), self.saved(1)
        dx = index_fill(grad, 0, index, 0) if self.needs(0) else None
        if not self.needs(1):
            return dx, None
        count, n = grad.array.shape[0], index.array.numel
        own = plain(grad.array.ops.arange(count, count + n, 1, index.dtype))
        stands = index_select(writer, 0, index) == own
        return dx, masked_fill(index_select(grad, 0, index), ~unsqueeze(stands, 1), 0)


def put_rows(old: Tensor, index: Tensor, values: Tensor) -> Tensor:
    """What assignment makes of `old`: its leading dimensions counted through as rows, and the rows
    `index` (n,) replaced by `values` (n, width). Each row of the result is copied from where its
    last writer stands.
    """
    n, width = values.array.shape
    count = old.array.numel // max(width, 1)
    rows = reshape(old, count, width)
    ops = rows.array.ops
    row, new = (ops.arange(a, b, 1, index.dtype) for a, b in ((0, count), (count, count + n)))
    writer = plain(ops.scatter(row, 0, index.array, new))
    out = ops.index_select(ops.cat([rows.array, values.array], 0), 0, writer.array)
    return reshape(record(IndexPut, out, (rows, values), (index, writer)), old.array.shape)


index_copy_ = in_place(index_copy)


def index_put_(
    input: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool = False
) -> Tensor:
    """`input[indices] = values`; with `accumulate` they are added, repeated places and all.

    >>> norch.zeros(3).index_put_((norch.tensor([1, 1]),), norch.tensor([2., 3.]), accumulate=True)
    tensor([0., 5., 0.])
    """
    x, y = array_of(input), array_of(values)
    if isinstance(indices, Tensor) or not isinstance(indices, (tuple, list)):
        raise TypeError("[index_put_] indices must be a tuple of tensors")
    if x.dtype is not y.dtype:
        raise RuntimeError(
            f"[index_put_] input is {x.dtype} but values are {y.dtype}: cast one of them first"
        )
    key = tuple(slice(None) if index is None else index for index in indices)
    if not accumulate:
        setitem(input, key, values)
        return input
    numbers = reshape(plain(x.ops.arange(0, x.numel, 1, int64)), x.shape)
    places = getitem(numbers, key)
    spread = reshape(expand(values, places.array.shape), -1)

    def index_put(old: Tensor, where_to: Tensor, added: Tensor) -> Tensor:
        return reshape(index_add(reshape(old, -1), 0, where_to, added), x.shape)

    return edit(input, index_put, reshape(places, -1), spread)


def index_put(
    input: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool = False
) -> Tensor:
    """`index_put_` into a copy.

    >>> norch.index_put(norch.zeros(3), (norch.tensor([1]),), norch.tensor([2.]))
    tensor([0., 2., 0.])
    """
    array_of(input)
    return index_put_(clone(input), indices, values, accumulate)


def put_(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """`source` where `index` says, counted through the flattened input.

    >>> norch.zeros(2, 2).put_(norch.tensor([0, 3]), norch.tensor([1., 2.]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    x, y = array_of(input), array_of(source)
    if array_of(index).dtype is not int64:
        raise RuntimeError(f"[put_] index must be int64, got {index.array.dtype}")
    if index.array.numel != y.numel:
        raise IndexError(f"[put_] {index.array.numel} indices for {y.numel} elements of source")
    if x.dtype is not y.dtype:
        raise RuntimeError(f"[put_] input is {x.dtype} but source is {y.dtype}: cast one first")
    places, added = reshape(wrap_index(index, (x.numel,), 0), -1), reshape(source, -1)

    def put(old: Tensor, where_to: Tensor, new: Tensor) -> Tensor:
        return reshape(index_put(reshape(old, -1), (where_to,), new, accumulate), x.shape)

    return edit(input, put, places, added)


def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """`put_`, the edit in place, of a copy.

    >>> norch.put(norch.zeros(3), norch.tensor([2]), norch.tensor([7.]))
    tensor([0., 0., 7.])
    """
    array_of(input)
    return put_(clone(input), index, source, accumulate)
