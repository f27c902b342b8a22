"""Whole-number division and its remainders: floor_divide, remainder (Python's), fmod (C's).

The quotient is constant between its jumps, so its gradient is zero; a remainder's follows from
that. `div` with a rounding mode (arithmetic.py) records `FloorDivide` too.
"""

from __future__ import annotations

from norch_autograd.graph.broadcast import binary, binary_with_number
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import Operand
from norch_autograd.graph.record import record
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.constants import constant
from norch_autograd.ops.dtype.promotion import from_numpy
from norch_autograd.ops.elementwise.rounding import trunc


class FloorDivide(Node):
    """dx = dy = 0: the quotient is constant between its jumps."""

    def backward(self, grad: Tensor) -> Gradients:
        zero = constant(grad, 0)
        return tuple(zero if self.needs(i) else None for i in range(len(self.edges)))


def floor_divide(input: Tensor, other: Operand) -> Tensor:
    """`input // other`: the quotient rounded down.

    >>> norch.tensor([7, -7]) // 2
    tensor([ 3, -4])
    """
    if not isinstance(input, Tensor) and isinstance(other, Tensor):
        return binary_with_number(
            FloorDivide, other.array.ops.floor_divide(input, other.array), other
        )
    x = array_of(input)
    if isinstance(other, Tensor):
        return binary(FloorDivide, x.ops.floor_divide(x, other.array), input, other)
    if not isinstance(other, (int, float)) and hasattr(other, "__array__"):
        return floor_divide(input, from_numpy(other, x))
    return binary_with_number(FloorDivide, x.ops.floor_divide(x, other), input)


class Remainder(Node):
    """x mod y = x - y floor(x / y), so d = dx - floor(x / y) dy."""

    def backward(self, grad: Tensor) -> Gradients:
        x, y = self.saved(0), self.saved(1)
        dx = grad if self.needs(0) else None
        dy = -grad * floor_divide(x, y) if self.needs(1) else None
        return dx, dy


def remainder(input: Tensor, other: Operand) -> Tensor:
    """`input % other`: the result has the sign of `other`, as in Python.

    >>> norch.tensor([7., -7.]) % 4
    tensor([3., 1.])
    """
    if not isinstance(input, Tensor) and isinstance(other, Tensor):
        y = other.array
        out = y.ops.remainder(input, y)
        return record(Remainder, out, (None, other), (constant(other, input, (), out.dtype), other))
    x = array_of(input)
    if isinstance(other, Tensor):
        return binary(Remainder, x.ops.remainder(x, other.array), input, other, (input, other))
    if not isinstance(other, (int, float)) and hasattr(other, "__array__"):
        return remainder(input, from_numpy(other, x))
    return binary_with_number(Remainder, x.ops.remainder(x, other), input, (None, other))


class Fmod(Node):
    """fmod(x, y) = x - y trunc(x / y), so d = dx - trunc(x / y) dy."""

    def backward(self, grad: Tensor) -> Gradients:
        x, y = self.saved(0), self.saved(1)
        dx = grad if self.needs(0) else None
        dy = -grad * trunc(x / y) if self.needs(1) else None
        return dx, dy


def fmod(input: Tensor, other: Operand) -> Tensor:
    """The remainder with the sign of `input`, as in C.

    >>> norch.fmod(norch.tensor([7., -7.]), 4)
    tensor([ 3., -3.])
    """
    x = array_of(input)
    if isinstance(other, Tensor):
        return binary(Fmod, x.ops.fmod(x, other.array), input, other, (input, other))
    return binary_with_number(Fmod, x.ops.fmod(x, other), input, (None, other))
