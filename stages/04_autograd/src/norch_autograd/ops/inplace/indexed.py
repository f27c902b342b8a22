"""The indexed operations in place, under PyTorch's names with the underscore.

Assignment through square brackets: `x[key] = value`, recorded like every other edit in place.

Writing into copies and into places: a copy with one part replaced (`select_scatter`), values put
where indices say (`index_put_`, `put_`), the diagonal (`fill_diagonal_`, `diagflat`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import norch_cpu_ops
import norch_strides as strides
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.record import record
from norch_autograd.graph.tensor_base import Operand, Tensor, array_of, plain
from norch_autograd.ops.dtype.convert import clone
from norch_autograd.ops.elementwise.bitwise import bitwise_left_shift, bitwise_right_shift
from norch_autograd.ops.elementwise.where import masked_fill
from norch_autograd.ops.indexing.as_strided import as_strided
from norch_autograd.ops.indexing.gather import index_add, index_select, scatter_add
from norch_autograd.ops.indexing.getitem import (
    as_rows,
    diagonal,
    getitem,
    narrow,
    planned,
    select,
    wrapped,
)
from norch_autograd.ops.indexing.index_copy import index_copy, index_fill, masked_scatter
from norch_autograd.ops.indexing.scatter import scatter, scatter_reduce
from norch_autograd.ops.inplace.edit import copy_, edit, fill_, masked_fill_
from norch_autograd.ops.rearrange.diagonal import diag_embed
from norch_autograd.ops.reduction.cumulative import cumprod, cumsum
from norch_autograd.ops.reduction.norm import norm
from norch_autograd.ops.shape.view import expand, reshape, unsqueeze
from norch_cpu_ops import int64
from norch_strides import normalize_dim


def scatter_(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Operand | None = None,
    *,
    value: float | None = None,
    reduce: str | None = None,
) -> Tensor:
    """`scatter` in place.

    >>> norch.zeros(2, 3).scatter_(1, norch.tensor([[2], [0]]), 1.0)
    tensor([[0., 0., 1.],
            [1., 0., 0.]])
    """
    return edit(
        input,
        lambda old, index, source: scatter(old, dim, index, source, reduce=reduce),
        index,
        value if src is None else src,
        op="scatter_",
    )


def scatter_add_(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """`scatter_add` in place.

    >>> norch.zeros(2).scatter_add_(0, norch.tensor([1, 1]), norch.ones(2))
    tensor([0., 2.])
    """
    return edit(
        input,
        lambda old, index, source: scatter_add(old, dim, index, source),
        index,
        src,
        op="scatter_add_",
    )


def scatter_reduce_(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Tensor:
    """`scatter_reduce` in place.

    >>> norch.ones(2).scatter_reduce_(0, norch.tensor([1, 1]), norch.tensor([4., 3.]), "amax")
    tensor([1., 4.])
    """
    return edit(
        input,
        lambda old, index, source: scatter_reduce(
            old, dim, index, source, reduce, include_self=include_self
        ),
        index,
        src,
        op="scatter_reduce_",
    )


def index_add_(
    input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1
) -> Tensor:
    """`index_add` in place.

    >>> norch.zeros(2).index_add_(0, norch.tensor([1, 1]), norch.ones(2), alpha=3)
    tensor([0., 6.])
    """
    return edit(
        input,
        lambda old, index, source: index_add(old, dim, index, source, alpha=alpha),
        index,
        source,
        op="index_add_",
    )


def index_copy_(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """`index_copy` in place.

    >>> norch.zeros(2).index_copy_(0, norch.tensor([1]), norch.ones(1))
    tensor([0., 1.])
    """
    return edit(
        input,
        lambda old, index, source: index_copy(old, dim, index, source),
        index,
        source,
        op="index_copy_",
    )


def index_fill_(input: Tensor, dim: int, index: Tensor, value: Operand) -> Tensor:
    """`index_fill` in place.

    >>> norch.zeros(2).index_fill_(0, norch.tensor([1]), 7)
    tensor([0., 7.])
    """
    return edit(
        input,
        lambda old, index, value: index_fill(old, dim, index, value),
        index,
        value,
        op="index_fill_",
    )


def masked_scatter_(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """`masked_scatter` in place.

    >>> norch.zeros(2).masked_scatter_(norch.tensor([False, True]), norch.ones(1))
    tensor([0., 1.])
    """
    return edit(input, masked_scatter, mask, source)


def cumsum_(input: Tensor, dim: int) -> Tensor:
    """`cumsum` in place."""
    return edit(input, cumsum, dim)


def cumprod_(input: Tensor, dim: int) -> Tensor:
    """`cumprod` in place."""
    return edit(input, cumprod, dim)


def bitwise_left_shift_(input: Tensor, other: Operand) -> Tensor:
    """`<<=`."""
    return edit(input, bitwise_left_shift, other)


def bitwise_right_shift_(input: Tensor, other: Operand) -> Tensor:
    """`>>=`."""
    return edit(input, bitwise_right_shift, other)


def setitem(input: Tensor, key: Any, value: Any) -> None:
    """`input[key] = value`.

    >>> x = norch.zeros(3)
    >>> x[1:] = norch.tensor([4., 5.])
    >>> x[[0, 0]] = 1
    >>> x
    tensor([1., 4., 5.])
    """
    if strides.is_basic_index(key):
        part = getitem(input, key)
        _put(part, value)
    elif _masks_all(input, key) and not (isinstance(value, Tensor) and value.array.ndim):
        masked_fill_(input, key, value)
    else:
        _put_rows(input, key, value)


def _put(part: Tensor, value: Any) -> None:
    """Write a tensor or a number into a view."""
    if isinstance(value, Tensor):
        copy_(part, _squeezed(value, part.array.ndim))
    elif isinstance(value, (int, float)):
        fill_(part, value)
    else:
        copy_(part, plain(part.array.ops.from_cpu(_from_data(value))))


def _from_data(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return norch_cpu_ops.ops.from_list(value, None)
    return norch_cpu_ops.ops.from_buffer(value)


def _squeezed(value: Any, ndim: int) -> Any:
    """Leading sizes of 1 may be more than the target has, as in PyTorch."""
    shape = value.array.shape
    while len(shape) > ndim and shape[0] == 1:
        shape = shape[1:]
    return value if shape == value.array.shape else value.reshape(shape)


def _masks_all(input: Tensor, key: Any) -> bool:
    """Whether `key` is one mask of the input's own shape."""
    return (
        isinstance(key, Tensor)
        and key.array.dtype.name == "bool"
        and key.array.shape == input.array.shape
    )


def _put_rows(input: Tensor, key: Any, value: Any) -> None:
    """Write where index tensors say; of repeated indices the last one counts."""
    seen, positions, _ = planned(input, key)
    leading = [dim for dim, _ in positions] == list(range(len(positions)))
    if leading and seen.array.layout == input.array.layout:
        _, index, shape, width = as_rows(plain(seen.array), positions)
        if width and input.array.numel:  # whole rows are replaced
            values = _spread(input, value, (*shape, *width))
            values = reshape(values, index.array.numel, math.prod(width))
            edit(input, put_rows, index, values)
            return
    numbers = plain(input.array.ops.arange(0, input.array.numel, 1, norch_cpu_ops.int64))
    places = getitem(reshape(numbers, input.array.shape), key)
    values = reshape(_spread(input, value, places.array.shape), places.array.numel, 1)
    edit(input, put_rows, reshape(places, -1), values)


def _spread(input: Tensor, value: Any, shape: tuple[int, ...]) -> Tensor:
    """What is written, as a tensor of `input`'s dtype and the shape of the places."""
    if not isinstance(value, Tensor):
        filled = plain(input.array.ops.empty(shape, input.array.dtype))
        _put(filled, value)
        return filled
    written: Tensor = _squeezed(value, len(shape)).to(input.array.dtype).expand(shape)
    return written


class IndexPut(Node):
    """Each row takes the blame of its place, if no later one was written there; what they replaced
    gets none.
    """

    __slots__ = ()

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
    """`old`, its leading dimensions counted through as rows, with the rows `index` (n,) replaced by
    `values` (n, width). Each row of the result is copied from where its last writer stands.
    """
    n, width = values.array.shape
    count = old.array.numel // max(width, 1)
    rows = reshape(old, count, width)
    ops = rows.array.ops
    row, new = (ops.arange(a, b, 1, index.dtype) for a, b in ((0, count), (count, count + n)))
    writer = plain(ops.scatter(row, 0, index.array, new))
    out = ops.index_select(ops.cat([rows.array, values.array], 0), 0, writer.array)
    return reshape(record(IndexPut, out, (rows, values), (index, writer)), old.array.shape)


def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A copy of `input` with `src` as slice number `index` along `dim`.

    >>> norch.select_scatter(norch.zeros(2, 2), norch.ones(2), 0, 1)
    tensor([[0., 0.],
            [1., 1.]])
    """
    array_of(input)
    out = clone(input)
    return _with_part("select_scatter", out, select(out, dim, index), src)


def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Tensor:
    """A copy of `input` with `src` in the slices `start:end:step` along `dim`.

    >>> norch.slice_scatter(norch.zeros(4), norch.ones(2), 0, 1, 3)
    tensor([0., 1., 1., 0.])
    """
    place = dim % max(array_of(input).ndim, 1)
    narrow(input, dim, 0, 0)  # a bad dim speaks up here
    out = clone(input)
    key = (*[slice(None)] * place, slice(start, end, step))
    return _with_part("slice_scatter", out, getitem(out, key), src)


def diagonal_scatter(
    input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    """A copy of `input` with `src` as its diagonal.

    >>> norch.diagonal_scatter(norch.zeros(2, 2), norch.ones(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    array_of(input)
    out = clone(input)
    return _with_part("diagonal_scatter", out, diagonal(out, offset, dim1, dim2), src)


def _with_part(op: str, out: Tensor, part: Tensor, src: Tensor) -> Tensor:
    """`out`, whose view `part` gets the elements of `src`."""
    if array_of(src, op).shape != part.array.shape:
        raise RuntimeError(f"[{op}] expected src of {part.array.shape}, got {src.array.shape}")
    copy_(part, src)
    return out


def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """A matrix with all elements of `input` as its diagonal.

    >>> norch.diagflat(norch.tensor([[1], [2]]))
    tensor([[1, 0],
            [0, 2]])
    """
    array_of(input)
    return diag_embed(reshape(input, -1), offset)


def fill_diagonal_(input: Tensor, fill_value: float, wrap: bool = False) -> Tensor:
    """`fill_value` on the main diagonal; with `wrap`, again below it in a tall matrix.

    >>> norch.zeros(2, 2).fill_diagonal_(5)
    tensor([[5., 0.],
            [0., 5.]])
    """
    shape, strides = array_of(input).shape, input.array.strides
    if len(shape) < 2 or (len(shape) > 2 and len(set(shape)) > 1):
        raise RuntimeError(
            f"[fill_diagonal_] expected a matrix, or equal sizes in all dimensions, got {shape}"
        )
    count, step = min(shape), sum(strides)
    view = as_strided(input, (count,), (step,))
    fill_(view, fill_value)
    height, width = shape[0], shape[1]
    if wrap and len(shape) == 2 and height > width + 1:
        for start in range(width + 1, height, width + 1):
            fill_(diagonal(narrow(input, 0, start, height - start)), fill_value)
    return input


def index_put_(
    input: Tensor,
    indices: Sequence[Tensor | None],
    values: Tensor,
    accumulate: bool = False,
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
    input: Tensor,
    indices: Sequence[Tensor | None],
    values: Tensor,
    accumulate: bool = False,
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
    if array_of(index).numel != y.numel:
        raise RuntimeError(f"[put_] {index.array.numel} indices for {y.numel} elements of source")
    if x.dtype is not y.dtype:
        raise RuntimeError(f"[put_] input is {x.dtype} but source is {y.dtype}: cast one first")
    places, added = reshape(wrapped(index, x.numel, 0), -1), reshape(source, -1)

    def put(old: Tensor, where_to: Tensor, new: Tensor) -> Tensor:
        return reshape(index_put(reshape(old, -1), (where_to,), new, accumulate), x.shape)

    return edit(input, put, places, added)


def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """`put_` into a copy.

    >>> norch.put(norch.zeros(3), norch.tensor([2]), norch.tensor([7.]))
    tensor([0., 0., 7.])
    """
    array_of(input)
    return put_(clone(input), index, source, accumulate)


def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """`input`, with every slice along `dim` whose p-norm is above `maxnorm` shortened to it.

    >>> norch.renorm(norch.tensor([[3., 4.], [0., 1.]]), 2, 0, 1.)
    tensor([[0.6000, 0.8000],
            [0.0000, 1.0000]])
    """
    ndim = array_of(input).ndim
    if ndim < 2:
        raise RuntimeError(f"[renorm] expected at least 2 dimensions, got {ndim}")
    if p <= 0 or maxnorm < 0:
        raise RuntimeError(f"[renorm] expected p above 0 and maxnorm of at least 0: {p}, {maxnorm}")
    place = normalize_dim(dim, ndim, "renorm")
    others = tuple(k for k in range(ndim) if k != place)
    lengths = norm(input, p, others, True)
    scale = masked_fill(maxnorm / (lengths + 1e-7), lengths <= maxnorm, 1)
    shortened: Tensor = input * scale
    return shortened


def renorm_(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """`renorm` in place."""
    return edit(input, renorm, p, dim, maxnorm)
