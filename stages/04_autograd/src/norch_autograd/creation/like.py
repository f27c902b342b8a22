"""New tensors shaped like another (`zeros_like`) or made like another (`new_zeros`)."""

from __future__ import annotations

from typing import Any

from norch_autograd.creation.factories import made
from norch_autograd.creation.from_data import array_from, ops_beside
from norch_autograd.graph.operands import in_own_name, number
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.dtype.convert import rearranged
from norch_autograd.ops.shape.view import sizes_of
from norch_autograd.types.dtype import named
from norch_autograd.types.memory_format import memory_format as MemoryFormat, preserve_format
from norch_cpu_ops import DType


@in_own_name
def zeros_like(
    input: Tensor,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    memory_format: MemoryFormat = preserve_format,
) -> Tensor:
    """Zeros in the shape, dtype and on the device of `input`.

    >>> norch.zeros_like(norch.tensor([1, 2]))
    tensor([0, 0])
    """
    options = {"dtype": dtype, "device": device, "requires_grad": requires_grad}
    return full_like(input, 0, memory_format=memory_format, **options)


@in_own_name
def ones_like(
    input: Tensor,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    memory_format: MemoryFormat = preserve_format,
) -> Tensor:
    """Ones in the shape, dtype and on the device of `input`.

    >>> norch.ones_like(norch.tensor([1, 2]))
    tensor([1, 1])
    """
    options = {"dtype": dtype, "device": device, "requires_grad": requires_grad}
    return full_like(input, 1, memory_format=memory_format, **options)


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
    return _laid(
        ops.full(x.shape, number(fill_value), named(dtype) or x.dtype), requires_grad, memory_format
    )


def _laid(array: Any, requires_grad: bool, memory_format: MemoryFormat) -> Tensor:
    """A new leaf, its elements in memory in the order asked for."""
    if memory_format is not preserve_format:
        array = rearranged(plain(array), memory_format).array
    return made(array, requires_grad)


def empty_like(
    input: Tensor,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    memory_format: MemoryFormat = preserve_format,
) -> Tensor:
    """Whatever was there, in the shape, dtype and on the device of `input`.

    >>> norch.empty_like(norch.zeros(2)).shape
    norch.Size([2])
    """
    x = array_of(input)
    ops = ops_beside(x, device)
    return _laid(ops.empty(x.shape, named(dtype) or x.dtype), requires_grad, memory_format)


def new_zeros(
    input: Tensor,
    *size: Any,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Zeros of another shape with the dtype and device of `input`, or those given.

    >>> norch.tensor([1, 2]).new_zeros(3)
    tensor([0, 0, 0])
    """
    x = array_of(input)
    ops = ops_beside(x, device)
    return made(ops.zeros(sizes_of(size), named(dtype) or x.dtype), requires_grad)


def new_ones(
    input: Tensor,
    *size: Any,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Ones of another shape with the dtype and device of `input`, or those given.

    >>> norch.tensor([1, 2]).new_ones(3)
    tensor([1, 1, 1])
    """
    x = array_of(input)
    ops = ops_beside(x, device)
    return made(ops.ones(sizes_of(size), named(dtype) or x.dtype), requires_grad)


def new_empty(
    input: Tensor,
    *size: Any,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Whatever was there, in another shape, with the dtype and device of `input`, or those given.

    >>> norch.tensor([1, 2]).new_empty(3).shape
    norch.Size([3])
    """
    x = array_of(input)
    ops = ops_beside(x, device)
    return made(ops.empty(sizes_of(size), named(dtype) or x.dtype), requires_grad)


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
    return made(ops.full(tuple(size), fill_value, named(dtype) or x.dtype), requires_grad)


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
    return made(array_from(data, named(dtype) or x.dtype, place), requires_grad)
