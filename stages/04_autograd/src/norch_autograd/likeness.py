"""New tensors shaped like another (`zeros_like`) or made like another (`new_zeros`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from norch_autograd.arrays import array_from, on_device, ops_of
from norch_autograd.creation import made
from norch_autograd.dtype import DType, named
from norch_autograd.graph import plain
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


def new_zeros(input: Tensor, *size: Any, dtype: DType | None = None) -> Tensor:
    """Zeros of another shape with the dtype and device of `input`."""
    x = input.array
    return plain(x.ops.zeros(sizes_of(size), named(dtype) or x.dtype))


def new_ones(input: Tensor, *size: Any, dtype: DType | None = None) -> Tensor:
    """Ones of another shape with the dtype and device of `input`."""
    x = input.array
    return plain(x.ops.ones(sizes_of(size), named(dtype) or x.dtype))


def new_empty(input: Tensor, *size: Any, dtype: DType | None = None) -> Tensor:
    """Whatever was there, in another shape, with the dtype and device of `input`."""
    x = input.array
    return plain(x.ops.empty(sizes_of(size), named(dtype) or x.dtype))


def new_full(input: Tensor, size: Any, fill_value: float, dtype: DType | None = None) -> Tensor:
    """One value in another shape with the dtype and device of `input`."""
    x = input.array
    return plain(x.ops.full(tuple(size), fill_value, named(dtype) or x.dtype))


def new_tensor(input: Tensor, data: Any, dtype: DType | None = None) -> Tensor:
    """A tensor of `data` with the dtype and device of `input`."""
    x = input.array
    return plain(on_device(array_from(data, named(dtype) or x.dtype, None), x.device))
