"""Further edits in place: at places that an index names, along a dim, of bits."""

from __future__ import annotations

from norch_autograd.graph.operands import Operand, in_own_name, number
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.more.elementwise.bitwise import bitwise_left_shift, bitwise_right_shift
from norch_autograd.more.elementwise.special import float_power
from norch_autograd.ops.dtype.convert import clone
from norch_autograd.ops.indexing.as_strided import as_strided
from norch_autograd.ops.indexing.gather import index_add, scatter_add
from norch_autograd.ops.indexing.getitem import diagonal, getitem, narrow, select
from norch_autograd.ops.indexing.index_copy import index_fill, masked_scatter
from norch_autograd.ops.indexing.scatter import scatter, scatter_reduce
from norch_autograd.ops.inplace.edit import copy_, edit, fill_, in_place
from norch_autograd.ops.linalg.norm import renorm
from norch_autograd.ops.reduction.cumulative import cumprod, cumsum
from norch_cpu_ops import float64


def scatter_(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Operand | None = None,
    *,
    value: float | None = None,
    reduce: str | None = None,
) -> Tensor:
    """A further edit in place: `scatter`, stored in `input`.

    >>> norch.zeros(2, 3).scatter_(1, norch.tensor([[2], [0]]), 1.0)
    tensor([[0., 0., 1.],
            [1., 0., 0.]])
    """
    return edit(
        input,
        lambda old, index, source: scatter(old, dim, index, source, reduce=reduce),
        index,
        number(value) if src is None else src,
        op="scatter_",
    )


scatter_add_ = in_place(scatter_add)
scatter_reduce_ = in_place(scatter_reduce)
index_add_ = in_place(index_add)
index_fill_ = in_place(index_fill)
masked_scatter_ = in_place(masked_scatter)
cumsum_ = in_place(cumsum)
cumprod_ = in_place(cumprod)
bitwise_left_shift_ = in_place(bitwise_left_shift)
bitwise_right_shift_ = in_place(bitwise_right_shift)
renorm_ = in_place(renorm)


@in_own_name
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A copy of `input`, edited in place: `src` becomes slice number `index` along `dim`.

    >>> norch.select_scatter(norch.zeros(2, 2), norch.ones(2), 0, 1)
    tensor([[0., 0.],
            [1., 1.]])
    """
    array_of(input)
    out = clone(input)
    return _copy_into_view("select_scatter", out, select(out, dim, index), src)


@in_own_name
def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Tensor:
    """A copy of `input`, edited in place: `src` becomes the slices `start:end:step` along `dim`.

    >>> norch.slice_scatter(norch.zeros(4), norch.ones(2), 0, 1, 3)
    tensor([0., 1., 1., 0.])
    """
    place = dim % max(array_of(input).ndim, 1)
    narrow(input, dim, 0, 0)  # a bad dim speaks up here
    out = clone(input)
    key = (*[slice(None)] * place, slice(start, end, step))
    return _copy_into_view("slice_scatter", out, getitem(out, key), src)


@in_own_name
def diagonal_scatter(
    input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    """A copy of `input`, edited in place: `src` becomes its diagonal.

    >>> norch.diagonal_scatter(norch.zeros(2, 2), norch.ones(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    array_of(input)
    out = clone(input)
    return _copy_into_view("diagonal_scatter", out, diagonal(out, offset, dim1, dim2), src)


def _copy_into_view(op: str, out: Tensor, part: Tensor, src: Tensor) -> Tensor:
    """Edit `out`, a copy of an input, in place: `src` is copied into its view `part`."""
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


def float_power_(input: Tensor, exponent: Operand) -> Tensor:
    """`float_power` in place; RuntimeError unless `input` is float64, as the result is.

    >>> norch.tensor([3.], dtype=norch.float64).float_power_(2)
    tensor([9.], dtype=norch.float64)
    """
    dtype = input.array.dtype
    if dtype is not float64:
        raise RuntimeError(
            f"[float_power_] the base has dtype {dtype}, but the result is {float64}: "
            "use float_power, or make the base a double first"
        )
    return edit(input, float_power, exponent)
