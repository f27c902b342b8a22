"""More ways to read and write by index: take, index_copy, index_fill, masked_scatter, argwhere.

Compositions of `index_select`, `scatter` and `where`, which record themselves.
"""

from __future__ import annotations

import norch_strides as strides
from norch_autograd.graph.operands import Operand, in_own_name
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.arrays import array_any, constant
from norch_autograd.ops.dtype.convert import to, to_bool
from norch_autograd.ops.elementwise.where import clamp, where
from norch_autograd.ops.indexing.gather import index_select
from norch_autograd.ops.indexing.getitem import wrap_index
from norch_autograd.ops.indexing.scatter import scatter
from norch_autograd.ops.shape.join import cat
from norch_autograd.ops.shape.view import expand, reshape
from norch_cpu_ops import int64


def take(input: Tensor, index: Tensor) -> Tensor:
    """The elements that `index` numbers, counted through the flattened input.

    >>> norch.take(norch.tensor([[1, 2], [3, 4]]), norch.tensor([-1, 0]))
    tensor([4, 1])
    """
    if array_of(index).dtype is not int64:
        raise RuntimeError(f"[take] index must be int64, got {index.array.dtype}")
    places = wrap_index(index, (array_of(input).numel,), 0)
    picked = index_select(reshape(input, -1), 0, reshape(places, -1))
    return reshape(picked, index.array.shape)


def _expand_index(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """A list of indices repeated for every element of its slices, as `scatter` takes it."""
    places = [1] * max(input.array.ndim, 1)
    places[dim] = -1
    shape = list(input.array.shape)
    if shape:
        shape[dim] = index.array.numel
    return expand(reshape(index, places), shape) if shape else reshape(index, ())


def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """`input`, with slice `index[k]` replaced by slice k of `source`.

    >>> norch.index_copy(norch.zeros(3), 0, norch.tensor([2, 0]), norch.tensor([5., 6.]))
    tensor([6., 0., 5.])
    """
    x, y = array_of(input), array_of(source)
    place = strides.normalize_dim(dim, x.ndim, "index_copy")
    size = x.shape[place] if x.ndim else 1
    if x.ndim != y.ndim and x.ndim and y.ndim:
        raise IndexError(f"[index_copy] source {y.shape} and input {x.shape} differ in rank")
    if array_of(index).numel != (y.shape[place] if y.ndim else 1):
        raise IndexError(
            f"[index_copy] {index.array.numel} indices for a source of shape {y.shape}: expected "
            f"as many as it has slices along dim {place}"
        )
    if x.dtype is not y.dtype:
        raise RuntimeError(f"[index_copy] input is {x.dtype} but source is {y.dtype}: cast one")
    if index.array.numel and array_any((index < 0) | (index >= size)):
        raise IndexError(
            f"[index_copy] indices {index.array.tolist()} are out of bounds for dimension {place} "
            f"with size {size}"
        )
    where_to = _expand_index(input, place, index)
    if where_to.array.shape != y.shape:
        raise RuntimeError(
            f"[index_copy] source {y.shape} does not match input {x.shape}: expected "
            f"{where_to.array.shape}"
        )
    return scatter(input, place, where_to, source)


@in_own_name
def index_fill(input: Tensor, dim: int, index: Tensor, value: Operand) -> Tensor:
    """`input`, with `value` in the slices that `index` names.

    >>> norch.index_fill(norch.zeros(3), 0, norch.tensor([2, 0]), 7)
    tensor([7., 0., 7.])
    """
    x = array_of(input)
    place = strides.normalize_dim(dim, x.ndim, "index_fill")
    value = _one_value("index_fill", input, value)
    if array_of(index).dtype.name not in ("int64", "int32"):
        raise IndexError(f"[index_fill] expected an index of int64, got {index.array.dtype}")
    if index.array.ndim > 1:
        raise RuntimeError(f"[index_fill] expected a vector of indices, got {index.array.shape}")
    size = x.shape[place] if x.ndim else 1
    rows = to_bool(constant(input, 0, (size,)))
    rows = scatter(rows, 0, reshape(wrap_index(index, x.shape, place), -1), True)
    shape = [1] * x.ndim
    if shape:
        shape[place] = -1
    return where(reshape(rows, shape), value, input)


def fill(input: Tensor, value: Operand) -> Tensor:
    """`value`, a number or a tensor without dimensions, at every index of a tensor like `input`.

    >>> norch.fill(norch.zeros(2), 7)
    tensor([7., 7.])
    """
    array_of(input)
    return where(to_bool(constant(input, 1, ())), _one_value("fill", input, value), input)


def _one_value(op: str, input: Tensor, value: Operand) -> Tensor:
    """The one value that `index_fill` or `fill` writes, as a tensor in the dtype of `input`."""
    if not isinstance(value, Tensor):
        value = constant(input, value, ())
    elif value.array.ndim:
        shape = value.array.shape
        raise RuntimeError(f"[{op}] expected one value, got a tensor of shape {shape}")
    return to(value, input.array.dtype)


def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """`input`, with the elements where `mask` is true replaced by those of `source`, in order.

    >>> mask = norch.tensor([True, False, True])
    >>> norch.masked_scatter(norch.zeros(3), mask, norch.tensor([1., 2., 3.]))
    tensor([1., 0., 2.])
    """
    x, y, m = array_of(input), array_of(source), array_of(mask)
    if m.dtype.name != "bool":
        raise RuntimeError(f"[masked_scatter] expected a mask of bool, got {m.dtype}")
    if x.dtype is not y.dtype:
        raise RuntimeError(
            f"[masked_scatter] input is {x.dtype} but source is {y.dtype}: cast one of them first"
        )
    shape = strides.broadcast_shapes(x.shape, m.shape)
    number = plain(x.ops.cumsum(reshape(expand(mask, shape), -1).array, 0))
    wanted = int(number[-1]) if number.array.numel else 0
    if wanted > y.numel:
        raise RuntimeError(
            f"[masked_scatter] the mask has {wanted} true elements but source {y.numel} elements"
        )
    values = reshape(source, -1)
    if not y.numel:  # something to pick, which the mask then leaves out
        values = cat((values, constant(source, 0, (1,))))
    picked = reshape(index_select(values, 0, clamp(number - 1, min=0)), shape)
    return where(mask, picked, input)


def argwhere(input: Tensor) -> Tensor:
    """Where the elements are not zero, one row of indices for each: `nonzero`.

    >>> norch.argwhere(norch.tensor([0, 1, 2]))
    tensor([[1],
            [2]])
    """
    x = array_of(input)
    return plain(x.ops.nonzero(x))
