"""Arithmetic: add, subtract, multiply, divide, negate; the node of each, then its function. `lerp`
is composed of them.

No node here knows about broadcasting or promotion: `binary` (graph/broadcast.py) puts a
`SumToShape` before an operand that was broadcast or cast. A Python number as second operand has no
edge. `plus`, `minus`, `times` and `over` are the operators, which return NotImplemented for what is
no operand; `of_operands` lets a function take what they take. All other operators are in
operators.py.
"""

from __future__ import annotations

from typing import Any

from norch_autograd.graph.broadcast import binary, binary_with_number
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import Number, Operand, in_own_name, number, raw
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.dtype.convert import detach, to
from norch_autograd.ops.dtype.promotion import (
    common_dtype,
    defer_operator,
    of_operands,
    promote_first,
    scale,
)
from norch_autograd.ops.elementwise import power
from norch_autograd.ops.elementwise.rounding import FloorDivide, floor_divide, fmod, trunc
from norch_autograd.ops.elementwise.where import where


class Add(Node):
    """d(x + y) = dx + dy."""

    on_arrays = True

    def backward(self, grad: Tensor) -> Gradients:
        return grad, grad


def plus(input: Tensor, other: Any) -> Tensor:
    """The operator `+` of tensors."""
    x = input.array
    if isinstance(other, Tensor):
        return binary(Add, x + other.array, input, other)
    if isinstance(other, (int, float)):
        return binary_with_number(Add, x.ops.add(x, other), input)
    return defer_operator(plus, input, other)


def add(input: Tensor, other: Operand, *, alpha: Number = 1) -> Tensor:
    """`input + alpha * other`, broadcast.

    >>> norch.add(norch.tensor([1., 2.]), norch.tensor([[10.], [20.]]))
    tensor([[11., 12.],
            [21., 22.]])
    """
    if alpha != 1:
        other = scale("add", input, other, alpha)
    if isinstance(input, Tensor) and isinstance(other, Tensor):
        return binary(Add, input.array + other.array, input, other)
    return of_operands("add", plus, input, other)


class Sub(Node):
    """d(x - y) = dx - dy."""

    on_arrays = True

    def backward(self, grad: Tensor) -> Gradients:
        return grad, -grad if self.needs(1) else None


def minus(input: Tensor, other: Any) -> Tensor:
    """The operator `-` between two operands."""
    x = input.array
    if isinstance(other, Tensor):
        return binary(Sub, x - other.array, input, other)
    if isinstance(other, (int, float)):
        return binary_with_number(Sub, x.ops.sub(x, other), input)
    return defer_operator(minus, input, other)


def sub(input: Tensor, other: Operand, *, alpha: Number = 1) -> Tensor:
    """`input - alpha * other`, broadcast.

    >>> norch.sub(norch.tensor([3., 4.]), 1)
    tensor([2., 3.])
    """
    if alpha != 1:
        other = scale("sub", input, other, alpha)
    if isinstance(input, Tensor) and isinstance(other, Tensor):
        return binary(Sub, input.array - other.array, input, other)
    return of_operands("sub", minus, input, other)


class Rsub(Node):
    """d(c - x) = -dx."""

    public_name = "RsubBackward1"
    on_arrays = True

    def backward(self, grad: Tensor) -> Gradients:
        return (-grad,)


def rsub(input: Tensor, other: Operand, *, alpha: Number = 1) -> Tensor:
    """`other - alpha * input`: what Python asks for in `1 - x`.

    >>> 1 - norch.tensor([3., 4.])
    tensor([-2., -3.])
    """
    x = array_of(input)
    if alpha == 1 and isinstance(other, (int, float)):
        return unary(Rsub, x.ops.sub(other, x), input)
    return sub(other, input, alpha=alpha)  # type: ignore[arg-type]


class Mul(Node):
    """d(x y) = y dx + x dy."""

    on_arrays = True

    def backward(self, grad: Tensor) -> Gradients:
        # ex 4.1 begin
        dx = grad * self.saved(1) if self.needs(0) else None
        dy = grad * self.saved(0) if self.needs(1) else None
        return dx, dy
        # ex 4.1 end


def times(input: Tensor, other: Any) -> Tensor:
    """The operator `*` of tensors."""
    x = input.array
    if isinstance(other, Tensor):
        return binary(Mul, x * other.array, input, other, factors_to_save(input, other))
    if isinstance(other, (int, float)):
        return binary_with_number(Mul, x.ops.mul(x, other), input, (None, other))
    return defer_operator(times, input, other)


def mul(input: Tensor, other: Operand) -> Tensor:
    """`input * other`, broadcast.

    >>> norch.mul(norch.tensor([1., 2.]), norch.tensor([3., 4.]))
    tensor([3., 8.])
    """
    if isinstance(input, Tensor) and isinstance(other, Tensor):
        return binary(Mul, input.array * other.array, input, other, factors_to_save(input, other))
    return of_operands("mul", times, input, other)


def factors_to_save(input: Tensor, other: Tensor) -> tuple[Tensor | None, Tensor | None]:
    """What `mul` keeps, or another product: each factor if the *other* one wants a gradient."""
    return input if other._requires_grad else None, other if input._requires_grad else None


class Div(Node):
    """d(x / y) = dx / y - (x / y) / y dy."""

    on_arrays = True

    def backward(self, grad: Tensor) -> Gradients:
        x, y = self.saved(0), self.saved(1)
        dx = grad / y if self.needs(0) else None
        dy = -grad * (x / y / y) if self.needs(1) else None
        return dx, dy


def over(input: Tensor, other: Any) -> Tensor:
    """The operator `/` of tensors."""
    x = input.array
    if isinstance(other, Tensor):
        saved = input if other._requires_grad else None, other
        return binary(Div, x / other.array, input, other, saved)
    if isinstance(other, (int, float)):
        return binary_with_number(Div, x.ops.div(x, other), input, (None, other))
    return defer_operator(over, input, other)


def div(input: Tensor, other: Operand, *, rounding_mode: str | None = None) -> Tensor:
    """`input / other`, broadcast; `rounding_mode` "floor" or "trunc" rounds, and the gradient is 0.

    >>> norch.div(norch.tensor([7., -7.]), 2, rounding_mode="floor")
    tensor([ 3., -4.])
    """
    if rounding_mode is None:
        return of_operands("div", over, input, other)
    return _div_and_round(promote_first("div", input, other), other, rounding_mode)


def _div_and_round(input: Tensor, other: Operand, rounding_mode: str) -> Tensor:
    """Division, then rounding; whole numbers stay whole, and the gradient is 0."""
    if rounding_mode == "floor":
        return floor_divide(input, other)
    if rounding_mode != "trunc":
        raise RuntimeError(
            f"[div] rounding_mode must be None, 'trunc' or 'floor', got '{rounding_mode}'"
        )
    x, y = detach(input), detach(other) if isinstance(other, Tensor) else other
    dtype = common_dtype(input, other)
    if dtype.is_floating_point:
        quotient = trunc(div(to(x, dtype), y))
    else:
        x = to(x, dtype)
        quotient = floor_divide(sub(x, fmod(x, y)), y)
    if isinstance(other, Tensor):
        return binary(FloorDivide, quotient.array, input, other)
    return binary_with_number(FloorDivide, quotient.array, input)


class Neg(Node):
    """d(-x) = -dx."""

    on_arrays = True

    def backward(self, grad: Tensor) -> Gradients:
        return (-grad,)


def neg(input: Tensor) -> Tensor:
    """`-input`.

    >>> -norch.tensor([1., -2.])
    tensor([-1.,  2.])
    """
    x = array_of(input)
    return unary(Neg, -x, input)


class Reciprocal(Node):
    """d(1 / x) = -(1 / x)^2 dx."""

    on_arrays = True

    def backward(self, grad: Tensor) -> Gradients:
        inverse = self.saved(0)
        return (-grad * inverse * inverse,)


def reciprocal(input: Tensor) -> Tensor:
    """`1 / input`.

    >>> norch.reciprocal(norch.tensor([2., 4.]))
    tensor([0.5000, 0.2500])
    """
    x = array_of(input)
    y = x.ops.reciprocal(x)
    return unary(Reciprocal, y, input, (y,))


def positive(input: Tensor) -> Tensor:
    """`+input`: the same tensor.

    >>> +norch.tensor([1.])
    tensor([1.])
    """
    if array_of(input).dtype.name == "bool":
        raise RuntimeError("[positive] bools have no sign: convert to a number first")
    return input


@in_own_name
def lerp(input: Tensor, end: Tensor, weight: Operand) -> Tensor:
    """`input + weight * (end - input)`.

    >>> norch.lerp(norch.tensor([0.]), norch.tensor([10.]), 0.25)
    tensor([2.5000])
    """
    weight = number(weight)
    for array in (array_of(end), raw(weight)):
        if getattr(array, "dtype", input.dtype) is not input.dtype:
            raise RuntimeError(f"[lerp] expected dtype {input.dtype} as input's, got {array.dtype}")
    way = end - input
    near = input + way * weight
    if not isinstance(weight, Tensor):
        return near if abs(weight) < 0.5 else end - way * (1 - weight)
    return where(power.abs(weight) < 0.5, near, end - way * (1 - weight))  # exact at both ends
