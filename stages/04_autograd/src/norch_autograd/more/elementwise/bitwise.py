"""Whole numbers: their bits shifted, common divisors and multiples. None of it has a gradient.

<< multiplies by a power of two, >> divides by one, rounding down. Shifts by more bits than there
are leave 0, or -1 of a negative number. And, or, xor and not are in ops/elementwise.
"""

from __future__ import annotations

from typing import Any

from norch_autograd.graph.grad_mode import no_grad
from norch_autograd.graph.operands import Operand, in_own_name
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.arrays import array_any, constant
from norch_autograd.ops.dtype.convert import to
from norch_autograd.ops.dtype.promotion import common_dtype
from norch_autograd.ops.elementwise.operators import reflect
from norch_autograd.ops.elementwise.power import abs, pow
from norch_autograd.ops.elementwise.rounding import floor_divide, fmod
from norch_autograd.ops.elementwise.where import clamp, masked_fill, where


@in_own_name
def bitwise_left_shift(input: Operand, other: Operand) -> Tensor:
    """`input * 2 ** other`, wrapping around.

    >>> norch.tensor([1, 3]) << 2
    tensor([ 4, 12])
    """
    x, bits = _shift_operands(input, other, "bitwise_left_shift")
    inside = (bits >= 0) & (bits < 8 * x.array.itemsize)
    return x * _power_of_two(bits * inside, x) * to(inside, x.dtype)


@in_own_name
def bitwise_right_shift(input: Operand, other: Operand) -> Tensor:
    """`input / 2 ** other`, rounded down.

    >>> norch.tensor([9, -9]) >> 2
    tensor([ 2, -3])
    """
    x, bits = _shift_operands(input, other, "bitwise_right_shift")
    width = 8 * x.array.itemsize
    bits = masked_fill(bits, bits < 0, width)  # as PyTorch: all bits leave
    for step in (width // 2 - 1, width // 2 - 1, 2):  # no power of two above the largest number
        part = clamp(bits, max=step)
        x, bits = floor_divide(x, _power_of_two(part, x)), bits - part
    return x


def _shift_operands(input: Operand, other: Operand, op: str) -> tuple[Tensor, Tensor]:
    """What a shift was given, a tensor among it, as two tensors of one dtype of whole numbers."""
    tensor: Any = input if isinstance(input, Tensor) else other
    array_of(tensor, op)
    x = input if isinstance(input, Tensor) else constant(tensor, 0, ()) + input
    bits = other if isinstance(other, Tensor) else constant(tensor, 0, ()) + other
    for operand in (x, bits):
        if operand.array.dtype.is_floating_point:
            raise NotImplementedError(f"[{op}] expected whole numbers, got {operand.array.dtype}")
    dtype = (constant(x, 0, (1,)) * constant(bits, 0, (1,))).dtype
    return to(x, dtype), to(bits, dtype)


def _power_of_two(bits: Tensor, like: Tensor) -> Tensor:
    """2 ** bits, in the dtype of `like`."""
    return pow(constant(like, 2, ()), bits)


def gcd(input: Tensor, other: Tensor) -> Tensor:
    """The greatest common divisor, by Euclid's rule; gcd(0, 0) is 0.

    >>> norch.gcd(norch.tensor([12, 7]), norch.tensor([18, 0]))
    tensor([6, 7])
    """
    a, b = _whole_numbers("gcd", input, other)
    with no_grad():
        a, b = a + b * 0, b + a * 0  # both in the broadcast shape
        while array_any(b != 0):
            rest = fmod(a, where(b == 0, 1, b))
            a, b = where(b == 0, a, b), where(b == 0, 0, rest)
        return abs(a)


def lcm(input: Tensor, other: Tensor) -> Tensor:
    """The least common multiple; 0 where one of the two is.

    >>> norch.lcm(norch.tensor([4, 0]), norch.tensor([6, 3]))
    tensor([12,  0])
    """
    a, b = _whole_numbers("lcm", input, other)
    divisor = gcd(a, b)
    return abs(floor_divide(a, where(divisor == 0, 1, divisor)) * b)


def _whole_numbers(op: str, input: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
    """What gcd and lcm were given, as whole numbers of one dtype."""
    array_of(input, op), array_of(other, op)
    dtype = common_dtype(input, other)
    if dtype.is_floating_point or dtype.name == "bool":
        raise NotImplementedError(f"[{op}] expected whole numbers, got {dtype}")
    return to(input, dtype), to(other, dtype)


@reflect
def reversed_left_shift(input: Tensor, other: Any) -> Tensor:
    """`other << input`.

    >>> 3 << norch.tensor([1, 2])
    tensor([ 6, 12])
    """
    return bitwise_left_shift(other, input)


@reflect
def reversed_right_shift(input: Tensor, other: Any) -> Tensor:
    """`other >> input`.

    >>> 12 >> norch.tensor([1, 2])
    tensor([6, 3])
    """
    return bitwise_right_shift(other, input)
