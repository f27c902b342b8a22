"""Comparisons and logic, element by element, and whether tensors are equal or close.

The results are bools (of the bitwise operations whole numbers): they have no derivative, so nothing
is recorded.
"""

from __future__ import annotations

from norch_autograd.graph.operands import Operand, in_own_name, raw
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.arrays import array_all
from norch_autograd.ops.dtype.convert import double, to
from norch_autograd.ops.elementwise.power import abs
from norch_cpu_ops import bool_, uint8


def eq(input: Tensor, other: Operand) -> Tensor:
    """Where the elements are equal.

    >>> norch.tensor([1, 2]) == norch.tensor([1, 3])
    tensor([ True, False])
    """
    x = array_of(input)
    return plain(x.ops.eq(x, raw(other)))


def ne(input: Tensor, other: Operand) -> Tensor:
    """Where the elements differ.

    >>> norch.tensor([1, 2]) != 2
    tensor([ True, False])
    """
    x = array_of(input)
    return plain(x.ops.ne(x, raw(other)))


def lt(input: Tensor, other: Operand) -> Tensor:
    """Where `input` is smaller.

    >>> norch.tensor([1, 2]) < 2
    tensor([ True, False])
    """
    x = array_of(input)
    return plain(x.ops.lt(x, raw(other)))


def le(input: Tensor, other: Operand) -> Tensor:
    """Where `input` is smaller or equal.

    >>> norch.tensor([1, 3]) <= 2
    tensor([ True, False])
    """
    x = array_of(input)
    return plain(x.ops.le(x, raw(other)))


def gt(input: Tensor, other: Operand) -> Tensor:
    """Where `input` is larger.

    >>> norch.tensor([3, 2]) > 2
    tensor([ True, False])
    """
    x = array_of(input)
    return plain(x.ops.gt(x, raw(other)))


def ge(input: Tensor, other: Operand) -> Tensor:
    """Where `input` is larger or equal.

    >>> norch.tensor([2, 1]) >= 2
    tensor([ True, False])
    """
    x = array_of(input)
    return plain(x.ops.ge(x, raw(other)))


def logical_and(input: Tensor, other: Tensor) -> Tensor:
    """Where both are true (not zero).

    >>> norch.logical_and(norch.tensor([1, 0]), norch.tensor([1, 1]))
    tensor([ True, False])
    """
    x = array_of(input)
    return plain(x.ops.logical_and(x, array_of(other)))


def logical_or(input: Tensor, other: Tensor) -> Tensor:
    """Where either is true (not zero).

    >>> norch.logical_or(norch.tensor([1, 0]), norch.tensor([0, 0]))
    tensor([ True, False])
    """
    x = array_of(input)
    return plain(x.ops.logical_or(x, array_of(other)))


def logical_xor(input: Tensor, other: Tensor) -> Tensor:
    """Where exactly one is true (not zero).

    >>> norch.logical_xor(norch.tensor([1, 1]), norch.tensor([0, 1]))
    tensor([ True, False])
    """
    x = array_of(input)
    return plain(x.ops.logical_xor(x, array_of(other)))


def _on_bits(op: str, input: Operand, other: Operand) -> Tensor:
    """The logic of `&`, `|` or `^`, exchanging its operands if only the second is a tensor."""
    if isinstance(other, Tensor) and not isinstance(input, Tensor):
        input, other = other, input
    x = array_of(input, op)  # type: ignore[arg-type]
    return plain(getattr(x.ops, op)(x, raw(other)))


def bitwise_and(input: Operand, other: Operand) -> Tensor:
    """The logic of `input & other`, bit by bit: those set in both whole numbers.

    >>> norch.tensor([6, 5]) & 4
    tensor([4, 4])
    """
    return _on_bits("bitwise_and", input, other)


def bitwise_or(input: Operand, other: Operand) -> Tensor:
    """The logic of `input | other`, bit by bit: those set in either whole number.

    >>> norch.tensor([6, 5]) | 1
    tensor([7, 5])
    """
    return _on_bits("bitwise_or", input, other)


def bitwise_xor(input: Operand, other: Operand) -> Tensor:
    """The logic of `input ^ other`, bit by bit: those set in exactly one of the whole numbers.

    >>> norch.tensor([6, 5]) ^ 4
    tensor([2, 1])
    """
    return _on_bits("bitwise_xor", input, other)


def logical_not(input: Tensor) -> Tensor:
    """Where the element is false (zero).

    >>> norch.logical_not(norch.tensor([0, 2]))
    tensor([ True, False])
    """
    x = array_of(input)
    return plain(x.ops.logical_not(x))


def bitwise_not(input: Tensor) -> Tensor:
    """The logic of `~input`: for True and False the opposite, else every bit flipped.

    >>> ~norch.tensor([True, False])
    tensor([False,  True])
    """
    x = array_of(input)
    return plain(x.ops.bitwise_not(x))


def isnan(input: Tensor) -> Tensor:
    """Where the element is not a number.

    >>> norch.isnan(norch.tensor([float('nan'), 1.]))
    tensor([ True, False])
    """
    x = array_of(input)
    return plain(x.ops.isnan(x))


def isinf(input: Tensor) -> Tensor:
    """Where the element is infinite.

    >>> norch.isinf(norch.tensor([float('inf'), 1.]))
    tensor([ True, False])
    """
    x = array_of(input)
    return plain(x.ops.isinf(x))


def isfinite(input: Tensor) -> Tensor:
    """Where the element is neither infinite nor NaN.

    >>> norch.isfinite(norch.tensor([1., float('inf')]))
    tensor([ True, False])
    """
    x = array_of(input)
    return plain(x.ops.isfinite(x))


@in_own_name
def isclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """Where `|input - other| <= atol + rtol * |other|`.

    >>> norch.isclose(norch.tensor([1., 2.]), norch.tensor([1., 2.1]))
    tensor([ True, False])
    """
    if array_of(input).dtype is not array_of(other).dtype:
        raise RuntimeError(
            f"[isclose] dtypes {input.dtype} and {other.dtype} differ: convert one with to()"
        )
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if not tolerance >= 0:
            raise RuntimeError(f"[isclose] {name} is {tolerance}: expected 0 or more")
    close = input == other
    if rtol or atol:  # as floats, large whole numbers would be rounded
        close = close | _is_near(input, other, rtol, atol)
    return close | (isnan(input) & isnan(other)) if equal_nan else close


def _is_near(input: Tensor, other: Tensor, rtol: float, atol: float) -> Tensor:
    """Where two finite elements differ by no more than the tolerances allow."""
    if input.dtype is bool_:
        input, other = to(input, uint8), to(other, uint8)
    if not input.dtype.is_floating_point:
        input, other = double(input), double(other)
    near: Tensor = abs(input - other) <= abs(other * rtol) + atol
    return near & isfinite(input) & isfinite(other)


@in_own_name
def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Whether every element is close, as `isclose` says.

    >>> norch.allclose(norch.tensor([1., 2.]), norch.tensor([1., 2.]))
    True
    """
    return array_all(isclose(input, other, rtol, atol, equal_nan))


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether shape and all elements are the same.

    >>> norch.equal(norch.tensor([1, 2]), norch.tensor([1, 2]))
    True
    """
    return array_of(input).shape == array_of(other).shape and array_all(input == other)
