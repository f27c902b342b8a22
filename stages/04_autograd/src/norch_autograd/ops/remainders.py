"""Whole-number division and what it leaves over: a staircase, and what stands on its steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from norch_autograd.graph import (
    Gradients,
    Node,
    TensorBase,
    array_of,
    binary,
    plain,
    record,
    with_number,
)

if TYPE_CHECKING:
    from norch_autograd.ops.arithmetic import Number, Operand
    from norch_autograd.tensors import Tensor


class FloorDivide(Node):
    """A staircase: flat almost everywhere."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        flat = grad.new_zeros(grad.array.shape)
        return tuple(flat if self.needs(i) else None for i in range(len(self.edges)))


def floor_divide(input: Tensor, other: Operand) -> Tensor:
    """`input // other`: the quotient rounded down.

    >>> import norch_autograd as norch
    >>> norch.tensor([7, -7]) // 2
    tensor([ 3, -4])
    """
    x = array_of(input)
    if isinstance(other, TensorBase):
        return binary(FloorDivide, x.ops.floor_divide(x, other.array), input, other)
    return with_number(FloorDivide, x.ops.floor_divide(x, other), input)


def rfloor_divide(input: Tensor, other: Number) -> Tensor:
    """`other // input` for a number.

    >>> import norch_autograd as norch
    >>> 7 // norch.tensor([2., 3.])
    tensor([3., 2.])
    """
    x = array_of(input)
    return with_number(FloorDivide, x.ops.floor_divide(other, x), input)


class Remainder(Node):
    """x mod y = x - y floor(x / y), so d = dx - floor(x / y) dy."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        x, y = self.saved(0), self.saved(1)
        dx = grad if self.needs(0) else None
        dy = -grad * (x / y).floor() if self.needs(1) else None
        return dx, dy


def remainder(input: Tensor, other: Operand) -> Tensor:
    """`input % other`: the result has the sign of `other`, as in Python.

    >>> import norch_autograd as norch
    >>> norch.tensor([7., -7.]) % 4
    tensor([3., 1.])
    """
    if not isinstance(input, TensorBase) and isinstance(other, TensorBase):
        return rremainder(other, input)
    x = array_of(input)
    if isinstance(other, TensorBase):
        return binary(Remainder, x.ops.remainder(x, other.array), input, other, (input, other))
    return with_number(Remainder, x.ops.remainder(x, other), input, (None, other))


def rremainder(input: Tensor, other: Number) -> Tensor:
    """`other % input` for a number.

    >>> import norch_autograd as norch
    >>> 7 % norch.tensor([4., 5.])
    tensor([3., 2.])
    """
    x = array_of(input)
    number = plain(x.ops.full((), other, x.dtype))
    return record(Remainder, x.ops.remainder(other, x), (None, input), (number, input))


class Fmod(Node):
    """fmod(x, y) = x - y trunc(x / y), so d = dx - trunc(x / y) dy."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        x, y = self.saved(0), self.saved(1)
        dx = grad if self.needs(0) else None
        dy = -grad * (x / y).trunc() if self.needs(1) else None
        return dx, dy


def fmod(input: Tensor, other: Operand) -> Tensor:
    """The remainder with the sign of `input`, as in C.

    >>> import norch_autograd as norch
    >>> norch.fmod(norch.tensor([7., -7.]), 4)
    tensor([ 3., -3.])
    """
    x = array_of(input)
    if isinstance(other, TensorBase):
        return binary(Fmod, x.ops.fmod(x, other.array), input, other, (input, other))
    return with_number(Fmod, x.ops.fmod(x, other), input, (None, other))
