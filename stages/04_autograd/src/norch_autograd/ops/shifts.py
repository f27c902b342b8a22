"""Moving the bits of whole numbers: << multiplies by a power of two, >> divides by one, rounding
down. Shifts by more bits than there are leave 0, or -1 of a negative number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from norch_autograd.graph import TensorBase, array_of

if TYPE_CHECKING:
    from norch_autograd.ops.arithmetic import Operand
    from norch_autograd.tensors import Tensor


def bitwise_left_shift(input: Operand, other: Operand) -> Tensor:
    """`input * 2 ** other`, wrapping around.

    >>> import norch_autograd as norch
    >>> norch.tensor([1, 3]) << 2
    tensor([ 4, 12])
    """
    x, bits = _operands(input, other, "bitwise_left_shift")
    inside = (bits >= 0) & (bits < 8 * x.array.itemsize)
    shifted: Tensor = x * _power(bits * inside, x) * inside.to(x.dtype)
    return shifted


def bitwise_right_shift(input: Operand, other: Operand) -> Tensor:
    """`input / 2 ** other`, rounded down.

    >>> import norch_autograd as norch
    >>> norch.tensor([9, -9]) >> 2
    tensor([ 2, -3])
    """
    x, bits = _operands(input, other, "bitwise_right_shift")
    width = 8 * x.array.itemsize
    bits = bits + (bits < 0).to(bits.dtype) * (2 * width)  # as PyTorch: all bits leave
    for step in (width // 2 - 1, width // 2 - 1, 2):  # no power of two above the largest number
        part = bits.clamp(max=step)
        x, bits = x.floor_divide(_power(part, x)), bits - part
    return x


def _operands(input: Operand, other: Operand, op: str) -> tuple[Tensor, Tensor]:
    """The two as tensors of one dtype of whole numbers."""
    tensor: Any = input if isinstance(input, TensorBase) else other
    array_of(tensor, op)
    x = input if isinstance(input, TensorBase) else tensor.new_full((), 0) + input
    bits = other if isinstance(other, TensorBase) else tensor.new_full((), 0) + other
    for operand in (x, bits):
        if operand.array.dtype.is_floating_point:
            raise RuntimeError(f"[{op}] expected whole numbers, got {operand.array.dtype}")
    dtype = (x.new_zeros((1,)) * bits.new_zeros((1,))).dtype
    return x.to(dtype), bits.to(dtype)


def _power(bits: Tensor, like: Tensor) -> Tensor:
    """2 ** bits, in the dtype of `like`."""
    return like.new_full((), 2).pow(bits)


def reversed_left_shift(input: Tensor, other: Operand) -> Tensor:
    """`other << input`."""
    return bitwise_left_shift(other, input)


def reversed_right_shift(input: Tensor, other: Operand) -> Tensor:
    """`other >> input`."""
    return bitwise_right_shift(other, input)
