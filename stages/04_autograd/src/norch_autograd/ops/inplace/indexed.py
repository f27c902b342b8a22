"""The indexed operations in place (`scatter_`, `index_add_`, ...), and writing into places: values
where indices say (`index_put_`, `put_`), the diagonal (`fill_diagonal_`); and into a copy with one
part replaced (`select_scatter`, `put`), which is an edit of a clone.
"""

from __future__ import annotations

from collections.abc import Sequence

from norch_autograd.graph.operands import Operand, in_own_name
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.dtype.convert import clone
from norch_autograd.ops.elementwise.bitwise import bitwise_left_shift, bitwise_right_shift
from norch_autograd.ops.indexing.as_strided import as_strided
from norch_autograd.ops.indexing.gather import index_add, scatter_add
from norch_autograd.ops.indexing.getitem import (
    diagonal,
    getitem,
    narrow,
    select,
    wrapped,
)
from norch_autograd.ops.indexing.index_copy import index_copy, index_fill, masked_scatter
from norch_autograd.ops.indexing.scatter import scatter, scatter_reduce
from norch_autograd.ops.inplace.edit import copy_, edit, fill_, in_place
from norch_autograd.ops.inplace.setitem import setitem
from norch_autograd.ops.reduction.cumulative import cumprod, cumsum
from norch_autograd.ops.reduction.norm import renorm
from norch_autograd.ops.shape.view import expand, reshape
from norch_cpu_ops import int64


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


scatter_add_ = in_place(scatter_add)
scatter_reduce_ = in_place(scatter_reduce)
index_add_ = in_place(index_add)
index_copy_ = in_place(index_copy)
index_fill_ = in_place(index_fill)
masked_scatter_ = in_place(masked_scatter)
cumsum_ = in_place(cumsum)
cumprod_ = in_place(cumprod)
bitwise_left_shift_ = in_place(bitwise_left_shift)
bitwise_right_shift_ = in_place(bitwise_right_shift)


@in_own_name
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A copy of `input` with `src` as slice number `index` along `dim`.

    >>> norch.select_scatter(norch.zeros(2, 2), norch.ones(2), 0, 1)
    tensor([[0., 0.],
            [1., 1.]])
    """
    array_of(input)
    out = clone(input)
    return _with_part("select_scatter", out, select(out, dim, index), src)


@in_own_name
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


@in_own_name
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
    height, width, again = shape[0], shape[1], bool(wrap)  # asked before anything is written
    fill_(as_strided(input, (min(shape),), (sum(strides),)), fill_value)
    if again and len(shape) == 2 and height > width + 1:
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
    if array_of(index).dtype is not int64:
        raise RuntimeError(f"[put_] index must be int64, got {index.array.dtype}")
    if index.array.numel != y.numel:
        raise IndexError(f"[put_] {index.array.numel} indices for {y.numel} elements of source")
    if x.dtype is not y.dtype:
        raise RuntimeError(f"[put_] input is {x.dtype} but source is {y.dtype}: cast one first")
    places, added = reshape(wrapped(index, (x.numel,), 0), -1), reshape(source, -1)

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


@in_own_name
def renorm_(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """`renorm` in place."""
    return edit(input, renorm, p, dim, maxnorm)
