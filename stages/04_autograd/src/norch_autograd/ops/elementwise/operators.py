"""What Python calls for an operator, beside `+ - * /` (arithmetic.py). Tensors, numbers and NumPy's
values are operands; at anything else Python is told `NotImplemented`, and asks the other side.

`operator` makes one of a function: `__lt__ = operator(lt)`. Here too are the operators with the
tensor on the right: `2 + x`, `1 / x`, `2 ** x`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from norch_autograd.graph.operands import Operand
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.dtype.promotion import defer_operator, from_numpy
from norch_autograd.ops.elementwise.arithmetic import over, plus, reciprocal, rsub, times
from norch_autograd.ops.elementwise.power import pow, rpow
from norch_autograd.ops.elementwise.rounding import floor_divide, remainder

OPERANDS = (Tensor, int, float)


def operator(
    function: Callable[[Any, Any], Tensor], arrays: bool = True
) -> Callable[[Any, Any], Tensor]:
    """`function` as an operator: it returns NotImplemented for what is no operand, and for NumPy's
    arrays where PyTorch's does.

    >>> norch.tensor([1, 2]) == None
    False
    """

    @functools.wraps(function, assigned=("__name__", "__qualname__", "__doc__"))
    def wrapper(input: Any, other: Any) -> Tensor:
        if isinstance(other, OPERANDS):
            return function(input, other)
        if arrays:
            return defer_operator(function, input, other)
        number = _as_operand(other)
        return NotImplemented if number is None else function(input, number)

    return wrapper


def _as_operand(other: Any) -> Any:
    """`other` as a tensor or a Python number; None if it is neither. NumPy's arrays are neither:
    they were asked before, and their own answer stands.
    """
    if isinstance(other, OPERANDS):
        return other
    is_number = hasattr(other, "item") and getattr(other, "shape", None) == ()
    return other.item() if is_number else None


def reflect(function: Callable[[Any, Any], Tensor]) -> Callable[[Any, Any], Tensor]:
    """`function`, which takes the right operand first, as the operator of the right operand."""

    @functools.wraps(function, assigned=("__name__", "__qualname__", "__doc__"))
    def wrapper(input: Any, other: Any) -> Tensor:
        array_of(input, function.__name__)
        number = _as_operand(other)
        return NotImplemented if number is None else function(input, number)

    return wrapper


radd = reflect(plus)
rmul = reflect(times)
rminus = reflect(rsub)


def rdiv(input: Tensor, other: Any) -> Tensor:
    """`other / input`: the one operator here that takes NumPy's arrays, as PyTorch's does.

    >>> 1 / norch.tensor([2., 4.])
    tensor([0.5000, 0.2500])
    """
    x, number = array_of(input, "div"), _as_operand(other)
    if number is None:
        if not hasattr(other, "__array__"):
            return NotImplemented  # type: ignore[no-any-return]
        number = from_numpy(other, x)
    if isinstance(number, Tensor):
        return over(number, input)
    inverse = reciprocal(input)
    return inverse if type(number) is int and number == 1 else inverse * number


@reflect
def rpower(input: Tensor, other: Operand) -> Tensor:
    """`other ** input`.

    >>> 2 ** norch.tensor([1., 2., 3.])
    tensor([2., 4., 8.])
    """
    return pow(other, input) if isinstance(other, Tensor) else rpow(input, other)


@reflect
def rfloor_divide(input: Tensor, other: Any) -> Tensor:
    """`other // input`.

    >>> 7 // norch.tensor([2., 3.])
    tensor([3., 2.])
    """
    return floor_divide(other, input)


@reflect
def rremainder(input: Tensor, other: Any) -> Tensor:
    """`other % input`.

    >>> 7 % norch.tensor([4., 5.])
    tensor([3., 2.])
    """
    return remainder(other, input)
