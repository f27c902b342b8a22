"""New tensors shaped like another (`zeros_like`) or made like another (`new_zeros`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from norch_autograd.arrays import array_from, ops_of
from norch_autograd.creation import made
from norch_autograd.dtype import DType, named
from norch_autograd.ops.shape import sizes_of

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor


def zeros_like(
    input: Tensor, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Zeros in the shape, dtype and on the device of `input`.

    >>> import norch_autograd as norch
    >>> norch.zeros_like(norch.tensor([1, 2]))
    tensor([0, 0])
    """
    return full_like(input, 0, dtype=dtype, device=device, requires_grad=requires_grad)


def ones_like(
    input: Tensor, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Ones in the shape, dtype and on the device of `input`.

    >>> import norch_autograd as norch
    >>> norch.ones_like(norch.tensor([1, 2]))
    tensor([1, 1])
    """
    return full_like(input, 1, dtype=dtype, device=device, requires_grad=requires_grad)


def full_like(
    input: Tensor,
    fill_value: float,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """One value in the shape, dtype and on the device of `input`.

    >>> import norch_autograd as norch
    >>> norch.full_like(norch.zeros(2), 3)
    tensor([3., 3.])
    """
    x = input.array
    ops = x.ops if device is None else ops_of(device)
    return made(ops.full(x.shape, fill_value, named(dtype) or x.dtype), requires_grad)


def empty_like(
    input: Tensor, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Whatever was there, in the shape, dtype and on the device of `input`.

    >>> import norch_autograd as norch
    >>> norch.empty_like(norch.zeros(2)).shape
    norch.Size([2])
    """
    x = input.array
    ops = x.ops if device is None else ops_of(device)
    return made(ops.empty(x.shape, named(dtype) or x.dtype), requires_grad)


def new_zeros(
    input: Tensor,
    *size: Any,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Zeros of another shape with the dtype and device of `input`, or those given.

    >>> import norch_autograd as norch
    >>> norch.tensor([1, 2]).new_zeros(3)
    tensor([0, 0, 0])
    """
    x = input.array
    ops = x.ops if device is None else ops_of(device)
    return made(ops.zeros(sizes_of(size), named(dtype) or x.dtype), requires_grad)


def new_ones(
    input: Tensor,
    *size: Any,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Ones of another shape with the dtype and device of `input`, or those given.

    >>> import norch_autograd as norch
    >>> norch.tensor([1, 2]).new_ones(3)
    tensor([1, 1, 1])
    """
    x = input.array
    ops = x.ops if device is None else ops_of(device)
    return made(ops.ones(sizes_of(size), named(dtype) or x.dtype), requires_grad)


def new_empty(
    input: Tensor,
    *size: Any,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Whatever was there, in another shape, with the dtype and device of `input`, or those given.

    >>> import norch_autograd as norch
    >>> norch.tensor([1, 2]).new_empty(3).shape
    norch.Size([3])
    """
    x = input.array
    ops = x.ops if device is None else ops_of(device)
    return made(ops.empty(sizes_of(size), named(dtype) or x.dtype), requires_grad)


def new_full(
    input: Tensor,
    size: Any,
    fill_value: float,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """One value in another shape with the dtype and device of `input`, or those given.

    >>> import norch_autograd as norch
    >>> norch.tensor([1, 2]).new_full((3,), 7)
    tensor([7, 7, 7])
    """
    x = input.array
    ops = x.ops if device is None else ops_of(device)
    return made(ops.full(tuple(size), fill_value, named(dtype) or x.dtype), requires_grad)


def new_tensor(
    input: Tensor,
    data: Any,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """A tensor of `data` with the dtype and device of `input`, or those given.

    >>> import norch_autograd as norch
    >>> norch.tensor([1., 2.]).new_tensor([3, 4])
    tensor([3., 4.])
    """
    x = input.array
    place = x.device if device is None else device
    return made(array_from(data, named(dtype) or x.dtype, place), requires_grad)
