"""New tensors shaped like another (`zeros_like`) or made like another (`new_zeros`)."""

from __future__ import annotations

from typing import Any

from norch_autograd.creation.factories import make_leaf
from norch_autograd.creation.from_data import array_from, ops_beside
from norch_autograd.graph.family import family
from norch_autograd.graph.operands import in_own_name, number
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.dtype.convert import rearrange
from norch_autograd.ops.shape.view import sizes_of
from norch_autograd.types.dtype import as_dtype
from norch_autograd.types.memory_format import memory_format as MemoryFormat, preserve_format
from norch_cpu_ops import DType


@family("{}_like")
def _like(
    kind: str,
    input: Tensor,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    memory_format: MemoryFormat = preserve_format,
) -> Tensor:
    """A new tensor of zeros, of ones, or of whatever was there, in the shape of `input`."""
    x = array_of(input)
    array = getattr(ops_beside(x, device), kind)(x.shape, as_dtype(dtype) or x.dtype)
    return _make_in_format(array, requires_grad, memory_format)


zeros_like = _like("zeros")("""
    Zeros in the shape, dtype and on the device of `input`.

    >>> norch.zeros_like(norch.tensor([1, 2]))
    tensor([0, 0])
""")
ones_like = _like("ones")("""
    Ones in the shape, dtype and on the device of `input`.

    >>> norch.ones_like(norch.tensor([1, 2]))
    tensor([1, 1])
""")
empty_like = _like("empty")("""
    Whatever was there, in the shape, dtype and on the device of `input`.

    >>> norch.empty_like(norch.zeros(2)).shape
    norch.Size([2])
""")


@in_own_name
def full_like(
    input: Tensor,
    fill_value: float,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    memory_format: MemoryFormat = preserve_format,
) -> Tensor:
    """One value in the shape, dtype and on the device of `input`.

    >>> norch.full_like(norch.zeros(2), 3)
    tensor([3., 3.])
    """
    x = array_of(input)
    ops = ops_beside(x, device)
    return _make_in_format(
        ops.full(x.shape, number(fill_value), as_dtype(dtype) or x.dtype),
        requires_grad,
        memory_format,
    )


def _make_in_format(array: Any, requires_grad: bool, memory_format: MemoryFormat) -> Tensor:
    """A new leaf, its elements in memory in the order asked for."""
    if memory_format is not preserve_format:
        array = rearrange(plain(array), memory_format).array
    return make_leaf(array, requires_grad)


@family("new_{}")
def _new(
    kind: str,
    input: Tensor,
    *sizes: Any,
    size: Any = None,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """A new tensor of another shape, with the dtype and device of `input`."""
    x = array_of(input)
    create = getattr(ops_beside(x, device), kind)
    return make_leaf(create(sizes_of(sizes, size), as_dtype(dtype) or x.dtype), requires_grad)


new_zeros = _new("zeros")("""
    Zeros of another shape with the dtype and device of `input`, or those given.

    >>> norch.tensor([1, 2]).new_zeros(3)
    tensor([0, 0, 0])
""")
new_ones = _new("ones")("""
    Ones of another shape with the dtype and device of `input`, or those given.

    >>> norch.tensor([1, 2]).new_ones(3)
    tensor([1, 1, 1])
""")
new_empty = _new("empty")("""
    Whatever was there, in another shape, with the dtype and device of `input`, or those given.

    >>> norch.tensor([1, 2]).new_empty(3).shape
    norch.Size([3])
""")


@in_own_name
def new_full(
    input: Tensor,
    size: Any,
    fill_value: float,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """One value in another shape with the dtype and device of `input`, or those given.

    >>> norch.tensor([1, 2]).new_full((3,), 7)
    tensor([7, 7, 7])
    """
    x = array_of(input)
    ops = ops_beside(x, device)
    return make_leaf(ops.full(tuple(size), fill_value, as_dtype(dtype) or x.dtype), requires_grad)


def new_tensor(
    input: Tensor,
    data: Any,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """A tensor of `data` with the dtype and device of `input`, or those given.

    >>> norch.tensor([1., 2.]).new_tensor([3, 4])
    tensor([3., 4.])
    """
    x = array_of(input)
    place = x.device if device is None else device
    return make_leaf(array_from(data, as_dtype(dtype) or x.dtype, place), requires_grad)
