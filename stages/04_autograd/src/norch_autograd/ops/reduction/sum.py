"""Sums, means and products over all dimensions or those named; any, all, count_nonzero.

The backward of a sum is expansion: every summand gets the gradient of its sum. `restore_dims` and
`_restore_dims_of_array` do that for every reduction in this folder.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import norch_strides as strides
from norch_autograd.graph.broadcast import sum_to_shape
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.arrays import array_any, constant
from norch_autograd.ops.dtype.autocast import in_single_precision
from norch_autograd.ops.dtype.convert import to
from norch_autograd.ops.elementwise.where import masked_fill
from norch_autograd.ops.indexing.getitem import narrow
from norch_autograd.ops.shape.join import cat, flip
from norch_autograd.ops.shape.view import expand, reshape, sizes_of
from norch_cpu_ops import DType, int64

Dims = int | Sequence[int] | None


def restore_dims(grad: Tensor, shape: tuple[int, ...], dim: Any, keepdim: bool) -> Tensor:
    """A reduced tensor seen in the shape it was reduced from."""
    if not keepdim and dim is not None:
        grad = reshape(grad, strides.reduced_shape(shape, dim, True))
    return expand(grad, shape)


def _restore_dims_of_array(grad: Any, shape: tuple[int, ...], dim: Any, keepdim: bool) -> Any:
    """`restore_dims` of an array: stage 1 lays it out, nothing is recorded."""
    layout = grad.layout
    if not keepdim and dim is not None:
        found = strides.reshape(layout, strides.reduced_shape(shape, dim, True))
        layout = found or layout  # sizes of 1 always fit in
    return grad.view(strides.broadcast_to(layout, shape))


def reduced_numel(shape: tuple[int, ...], dim: Any) -> int:
    """How many elements go into each result of a reduction over `dim`."""
    reduced = strides.normalize_dims(dim, len(shape), "count") or tuple(range(len(shape)))
    return math.prod(shape[k] for k in reduced)


class Sum(Node):
    """dx = dy for every summand."""

    def backward(self, grad: Tensor) -> Gradients:
        return (restore_dims(grad, *self.context),)

    def kernel(self, grad: Any) -> Any:
        return (_restore_dims_of_array(grad, *self.context),)

    def name(self) -> str:
        return "SumBackward0" if self.context[1] is None else "SumBackward1"


def sum(
    input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """The sum over `dim` (all dimensions if None).

    >>> norch.sum(norch.tensor([[1., 2.], [3., 4.]]), dim=1)
    tensor([3., 7.])
    """
    x = array_of(input)
    if dtype is not None:
        return to(sum(to(input, dtype=dtype), dim, keepdim), dtype)
    return unary(Sum, x.ops.sum(x, dim, keepdim), input, (), (x.shape, dim, keepdim))


def in_dtype(function: Callable[..., Tensor], input: Tensor, dtype: DType, *args: Any) -> Tensor:
    """prod, cumsum or cumprod in `dtype`: the elements cast before, and the result too, as small
    whole numbers would come back as int64.
    """
    array_of(input, function.__name__)
    return to(function(to(input, dtype=dtype), *args), dtype)


def sum_to_size(input: Tensor, *sizes: Any, size: Any = None) -> Tensor:
    """Sum over whatever broadcasting from `size` has added, the way back of `expand`: `input`
    itself where that is nothing.

    >>> norch.ones(2, 3).sum_to_size((1, 3))
    tensor([[2., 2., 2.]])
    """
    wanted = sizes_of(sizes, size)
    shape = array_of(input).shape
    if strides.broadcast_shapes(shape, wanted) != shape:
        raise RuntimeError(
            f"[sum_to_size] shape {shape} does not come from {wanted} by broadcasting"
        )
    whole = input.array.dtype.is_floating_point or shape == wanted
    return sum_to_shape(input, wanted, None if whole else int64) if wanted else sum(input)


class Mean(Node):
    """dx = dy / n for every element."""

    def backward(self, grad: Tensor) -> Gradients:
        shape, dim, keepdim = self.context
        return (restore_dims(grad / reduced_numel(shape, dim), shape, dim, keepdim),)

    def kernel(self, grad: Any) -> Any:
        shape, dim, keepdim = self.context
        return (_restore_dims_of_array(grad / reduced_numel(shape, dim), shape, dim, keepdim),)

    def name(self) -> str:
        return "MeanBackward0" if self.context[1] is None else "MeanBackward1"


def mean(
    input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """The mean over `dim` (all dimensions if None).

    >>> norch.mean(norch.tensor([[1., 2.], [3., 4.]]))
    tensor(2.5000)
    """
    if dtype is not None:
        input = to(input, dtype=dtype)
    x = array_of(input)
    return unary(Mean, x.ops.mean(x, dim, keepdim), input, (), (x.shape, dim, keepdim))


class Prod(Node):
    """dx = dy times the product of the other factors, also where one factor is zero."""

    def backward(self, grad: Tensor) -> Gradients:
        x, y = self.saved(0), self.saved(1)
        shape, dim, keepdim = self.context
        if array_any(x == 0):  # nothing to divide by: multiply the others
            line, d = (reshape(x, -1), 0) if dim is None else (x, dim)
            after = flip(_products_before(flip(line, d), d), d)
            others = reshape(_products_before(line, d) * after, shape)
        else:
            others = restore_dims(y, shape, dim, keepdim) / x
        return (restore_dims(grad, shape, dim, keepdim) * others,)

    def name(self) -> str:
        return "ProdBackward0" if self.context[1] is None else "ProdBackward1"


def _products_before(x: Tensor, dim: int) -> Tensor:
    """For prod's gradient: the products of all elements before each.

    Each round reaches twice as far back.
    """
    if not x.array.ndim:
        return constant(x, 1, ())
    running, reach = shift_along(x, dim, 1, 1.0), 1
    while reach < x.array.shape[dim]:
        running = running * shift_along(running, dim, reach, 1.0)
        reach *= 2
    return running


def shift_along(x: Tensor, dim: int, places: int, filler: float) -> Tensor:
    """The elements `places` further along `dim` (back, if negative), `filler` where none is."""
    size = x.array.shape[dim]
    reach = min(abs(places), size)
    shape = list(x.array.shape)
    shape[dim] = reach
    fill = constant(x, filler, tuple(shape))
    if places > 0:
        return cat([fill, narrow(x, dim, 0, size - reach)], dim)
    return cat([narrow(x, dim, reach, size - reach), fill], dim)


@in_single_precision
def prod(
    input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """The product over `dim` (all elements if None).

    >>> norch.prod(norch.tensor([2., 3., 4.]))
    tensor(24.)
    """
    if dtype is not None:
        return in_dtype(prod, input, dtype, dim, keepdim)
    if dim is not None and (isinstance(dim, bool) or not hasattr(dim, "__index__")):
        raise TypeError(f"[prod] dim must be a whole number, got {type(dim).__name__}")
    x = array_of(input)
    y = x.ops.prod(x, dim, keepdim)
    return unary(Prod, y, input, (input, y), (x.shape, dim, keepdim))


@in_own_name
def nansum(
    input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """The sum over `dim`, NaN counting as 0.

    >>> norch.nansum(norch.tensor([1., float("nan"), 2.]))
    tensor(3.)
    """
    if array_of(input).dtype.is_floating_point:
        input = masked_fill(input, input != input, 0)
    return sum(input, dim, keepdim, dtype=dtype)


@in_own_name
def nanmean(
    input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """The sum over `dim` of what is not NaN, divided by how many these are.

    >>> norch.nanmean(norch.tensor([1., float("nan"), 2.]))
    tensor(1.5000)
    """
    if not array_of(input).dtype.is_floating_point:
        raise RuntimeError(f"[nanmean] expected a floating dtype, got {input.array.dtype}")
    total = nansum(input, dim, keepdim, dtype=dtype)
    return total / sum(input == input, dim, keepdim)


def any(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether some element along `dim` is true (not zero).

    >>> norch.any(norch.tensor([False, True]))
    tensor(True)
    """
    x = array_of(input)
    if isinstance(dim, (tuple, list)) and not dim:
        return _nonzero_mask(input)
    return plain(x.ops.any(x, dim, keepdim))


def all(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether every element along `dim` is true (not zero).

    >>> norch.all(norch.tensor([False, True]))
    tensor(False)
    """
    x = array_of(input)
    if isinstance(dim, (tuple, list)) and not dim:
        return _nonzero_mask(input)
    return plain(x.ops.all(x, dim, keepdim))


def _nonzero_mask(input: Tensor) -> Tensor:
    """What `any` and `all` make of an empty list of dims, which reduces nothing."""
    x = input.array
    truth = x.ops.ne(x, 0)
    return plain(x.ops.cast(truth, x.dtype) if x.dtype.name == "uint8" else truth)


@in_own_name
def count_nonzero(input: Tensor, dim: Dims = None) -> Tensor:
    """The sum of `input != 0`: how many elements along `dim` are not zero.

    >>> norch.count_nonzero(norch.tensor([0, 3, 4]))
    tensor(2)
    """
    array_of(input)
    return sum(input != 0, dim)
