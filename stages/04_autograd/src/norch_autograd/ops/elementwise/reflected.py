"""The operators Python calls when the tensor stands on the right: `2 + x`, `1 / x`, `2 ** x`.

Numbers, NumPy's numbers and tensors are taken; at anything else Python is told `NotImplemented`,
and raises TypeError or asks the other side. `Tensor` has each under its dunder name; `rsub` is in
arithmetic.py and `rmatmul` in linalg/matmul.py.
"""

from __future__ import annotations

from typing import Any

from norch_autograd.graph.tensor_base import Tensor
from norch_autograd.ops.dtype.promotion import from_numpy
from norch_autograd.ops.elementwise.arithmetic import add, div, mul, reciprocal
from norch_autograd.ops.elementwise.integer_division import floor_divide, remainder
from norch_autograd.ops.elementwise.power import pow, rpow


def _taken(other: Any) -> Any:
    """`other` as a tensor or a Python number; None if it is neither."""
    if isinstance(other, (int, float, Tensor)):
        return other
    is_number = hasattr(other, "item") and getattr(other, "shape", None) == ()
    return other.item() if is_number else None


def radd(input: Tensor, other: Any) -> Tensor:
    """`other + input`.

    >>> 1 + norch.tensor([1., 2.])
    tensor([2., 3.])
    """
    number = _taken(other)
    return NotImplemented if number is None else add(input, number)


def rmul(input: Tensor, other: Any) -> Tensor:
    """`other * input`.

    >>> 3 * norch.tensor([1., 2.])
    tensor([3., 6.])
    """
    number = _taken(other)
    return NotImplemented if number is None else mul(input, number)


def rdiv(input: Tensor, other: Any) -> Tensor:
    """`other / input`: the one operator here that takes NumPy's arrays, as PyTorch's does.

    >>> 1 / norch.tensor([2., 4.])
    tensor([0.5000, 0.2500])
    """
    number = _taken(other)
    if number is None:
        if not hasattr(other, "__array__"):
            return NotImplemented  # type: ignore[no-any-return]
        number = from_numpy(other, input.array)
    if isinstance(number, Tensor):
        return div(number, input)
    inverse = reciprocal(input)
    return inverse if type(number) is int and number == 1 else inverse * number


def rpower(input: Tensor, other: Any) -> Tensor:
    """`other ** input`.

    >>> 2 ** norch.tensor([1., 2., 3.])
    tensor([2., 4., 8.])
    """
    number = _taken(other)
    if number is None:
        return NotImplemented  # type: ignore[no-any-return]
    return rpow(input, number) if isinstance(number, (int, float)) else pow(number, input)


def rfloor_divide(input: Tensor, other: Any) -> Tensor:
    """`other // input`.

    >>> 7 // norch.tensor([2., 3.])
    tensor([3., 2.])
    """
    number = _taken(other)
    return NotImplemented if number is None else floor_divide(number, input)


def rremainder(input: Tensor, other: Any) -> Tensor:
    """`other % input`.

    >>> 7 % norch.tensor([4., 5.])
    tensor([3., 2.])
    """
    number = _taken(other)
    return NotImplemented if number is None else remainder(number, input)
