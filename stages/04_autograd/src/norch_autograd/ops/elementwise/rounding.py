"""Sign and rounding (sign, floor, ceil, trunc, round, frac), and whole-number division with its
remainders: floor_divide, remainder (Python's), fmod (C's).

All but `frac` and the remainders are constant between their jumps, so the gradient they send is
zero. `div` with a rounding mode (arithmetic.py) records `FloorDivide` too.
"""

from __future__ import annotations

import math

from norch_autograd.graph.broadcast import binary, binary_with_number
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import Operand, in_own_name
from norch_autograd.graph.record import record, unary
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.arrays import constant
from norch_autograd.ops.dtype.convert import detach, float_, to
from norch_autograd.ops.dtype.promotion import from_numpy
from norch_autograd.types.errors import refusal


class Step(Node):
    """dx = 0: a function that is constant between its jumps. The context is the node's name."""

    def backward(self, grad: Tensor) -> Gradients:
        return (constant(grad, 0),)

    def name(self) -> str:
        return str(self.context)


def sign(input: Tensor) -> Tensor:
    """-1, 0 or 1 for each element.

    >>> norch.sign(norch.tensor([-3., 0., 2.]))
    tensor([-1.,  0.,  1.])
    """
    x = array_of(input)
    return unary(Step, x.ops.sign(x), input, (), "SignBackward0")


def floor(input: Tensor) -> Tensor:
    """Each element rounded down.

    >>> norch.floor(norch.tensor([1.5, -1.5]))
    tensor([ 1., -2.])
    """
    x = array_of(input)
    return unary(Step, x.ops.floor(x), input, (), "FloorBackward0")


def ceil(input: Tensor) -> Tensor:
    """Each element rounded up.

    >>> norch.ceil(norch.tensor([1.5, -1.5]))
    tensor([ 2., -1.])
    """
    x = array_of(input)
    return unary(Step, x.ops.ceil(x), input, (), "CeilBackward0")


def trunc(input: Tensor) -> Tensor:
    """Each element rounded towards zero.

    >>> norch.trunc(norch.tensor([1.5, -1.5]))
    tensor([ 1., -1.])
    """
    x = array_of(input)
    return unary(Step, x.ops.trunc(x), input, (), "TruncBackward0")


def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """Each element rounded to the nearest whole number, halves to even.

    >>> norch.round(norch.tensor([0.5, 1.5, 2.6]))
    tensor([0., 2., 3.])
    """
    x = array_of(input)
    if decimals != 0:
        if not x.dtype.is_floating_point:
            raise NotImplementedError(f"[round] decimals are of floats: {x.dtype} has none")
        if not hasattr(type(decimals), "__index__"):
            raise refusal(TypeError, "round", f"expected int, got {decimals!r}", "decimals")
        scale = math.inf if decimals > 308 else 10.0**decimals
        wide = detach(float_(input) if x.dtype.itemsize == 2 else input)  # so that the scale fits
        rounded = to(round(wide * scale) / scale, x.dtype)
        return unary(Step, rounded.array, input, (), "RoundBackward1")
    return unary(Step, x.ops.round(x), input, (), "RoundBackward0")


@in_own_name
def frac(input: Tensor) -> Tensor:
    """What stands after the point: `input - trunc(input)`.

    >>> norch.frac(norch.tensor([1.5, -1.25]))
    tensor([ 0.5000, -0.2500])
    """
    return input - trunc(input)


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
