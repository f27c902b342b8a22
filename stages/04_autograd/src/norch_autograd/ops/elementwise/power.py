"""Powers, roots, absolute values, logarithms of sums of powers, and the two functions of a right
triangle, atan2 and hypot.

The gradients are PyTorch's where the formula has none: x**2 and x**0 at 0, 0**t, sqrt at 0.
"""

from __future__ import annotations

import math

from norch_autograd.graph.broadcast import binary
from norch_autograd.graph.family import family
from norch_autograd.graph.grad_mode import no_grad
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import Number, Operand, in_own_name
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.dtype.convert import to
from norch_autograd.ops.dtype.promotion import common_dtype, from_numpy
from norch_autograd.ops.elementwise.exponential import exp, log, log1p
from norch_autograd.ops.elementwise.rounding import sign
from norch_autograd.ops.elementwise.where import masked_fill, maximum, minimum, where
from norch_autograd.types.dtype import get_default_dtype
from norch_cpu_ops import float32, promote_types


class Pow(Node):
    """d(x^p) = p x^(p-1) dx, for a number p; 0 when p = 0."""

    def backward(self, grad: Tensor) -> Gradients:
        exponent = self.context
        if exponent == 0:
            return (grad * 0,)
        return (grad * (self.saved(0) ** (exponent - 1) * exponent),)


class PowTensor(Node):
    """d(x^y) = y x^(y-1) dx + x^y log(x) dy; dx is 0 where y = 0, dy is 0 where x = 0 <= y."""

    public_name = "PowBackward1"

    def backward(self, grad: Tensor) -> Gradients:
        x, y = self.saved(0), self.saved(1)
        dx = dy = None
        if self.needs(0):
            power = to(y, grad.dtype)  # of whole numbers the least has no predecessor
            dx = masked_fill(grad * (power * x ** (power - 1)), y == 0, 0)
        if self.needs(1):
            logarithm = to(log(x), grad.dtype)  # a whole number's is float32
            dy = grad * masked_fill(self.saved(2) * logarithm, (x == 0) & (y >= 0), 0)
        return dx, dy


class PowOfNumber(Node):
    """d(c^x) = c^x log(c) dx, and 0 for 0^x with x >= 0."""

    public_name = "PowBackward2"

    def backward(self, grad: Tensor) -> Gradients:
        base = self.context
        result = self.saved(0)
        if base == 0:
            return (grad * masked_fill(result * -math.inf, self.saved(1) >= 0, 0),)
        return (grad * (result * (math.log(base) if base > 0 else math.nan)),)


def pow(input: Operand, exponent: Operand) -> Tensor:
    """`input ** exponent`; either may be a number, not both.

    >>> norch.pow(norch.tensor([1., 2., 3.]), 2)
    tensor([1., 4., 9.])
    """
    if not isinstance(input, Tensor):
        return rpow(exponent, input)  # type: ignore[arg-type]
    x = array_of(input)
    if isinstance(exponent, Tensor):
        y = x.ops.pow(x, exponent.array)
        return binary(PowTensor, y, input, exponent, (input, exponent, y))
    if not isinstance(exponent, (int, float)) and hasattr(exponent, "__array__"):
        return pow(input, from_numpy(exponent, x))
    if exponent == 2 and (x.dtype.is_floating_point or isinstance(exponent, int)):
        return unary(Pow, x.ops.square(x), input, (input,), exponent)
    if x.dtype.name == "bool" and isinstance(exponent, bool):
        return plain(x.ops.logical_or(x, not exponent))
    return unary(Pow, x.ops.pow(x, exponent), input, (input,), exponent)


def rpow(input: Tensor, base: Number) -> Tensor:
    """`base ** input` for a number: what Python asks for in `2 ** x`.

    >>> 2 ** norch.tensor([1., 2., 3.])
    tensor([2., 4., 8.])
    """
    x = array_of(input)
    y = x.ops.pow(base, x)
    return unary(PowOfNumber, y, input, (y, input), base)


class Square(Node):
    """d(x^2) = 2 x dx."""

    on_arrays = True

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * (self.saved(0) * 2),)


def square(input: Tensor) -> Tensor:
    """`input ** 2`.

    >>> norch.square(norch.tensor([1., -2.]))
    tensor([1., 4.])
    """
    x = array_of(input)
    return unary(Square, x.ops.square(x), input, (input,))


class Logaddexp(Node):
    """dx = dz / (1 + b^(y - x)), dy alike, with the base b."""

    def backward(self, grad: Tensor) -> Gradients:
        x, y = self.saved(0), self.saved(1)
        dx = grad / (1 + _raise(self.saved(2), y - x)) if self.needs(0) else None
        dy = grad / (1 + _raise(self.saved(2), x - y)) if self.needs(1) else None
        return dx, dy


def _raise(base: float, power: Tensor) -> Tensor:
    """The power of logaddexp's base, e or 2; a rounded factor log(2) would multiply its error."""
    return exp(power) if base == math.e else rpow(power, base)


@family("logaddexp{}")
def _log_of_sum(name: str, input: Tensor, other: Tensor) -> Tensor:
    """logaddexp and logaddexp2: the larger one, and what the other adds; halves in float32."""
    array_of(input), array_of(other)
    base, dtype = 2.0 if name else math.e, common_dtype(input, other)
    dtype = dtype if dtype.is_floating_point else get_default_dtype()
    x, y = to(input, dtype), to(other, dtype)
    with no_grad():
        a, b = (to(side, promote_types(dtype, float32)) for side in (x, y))
        larger = maximum(a, b)
        gap = masked_fill(larger - minimum(a, b), a == b, 0)  # inf - inf would be NaN
        out = to(larger + log1p(_raise(base, -gap)) / math.log(base), dtype)
    return binary(Logaddexp, out.array, x, y, (x, y, base))


logaddexp = _log_of_sum("")("""
    `log(exp(input) + exp(other))`, safe for large elements.

    >>> norch.logaddexp(norch.tensor([1000.]), norch.tensor([0.]))
    tensor([1000.])
""")
logaddexp2 = _log_of_sum("2")("""
    `log2(2**input + 2**other)`, safe for large elements.

    >>> norch.logaddexp2(norch.tensor([3.]), norch.tensor([3.]))
    tensor([4.])
""")


class Sqrt(Node):
    """d sqrt(x) = dx / (2 sqrt(x)): infinite at 0, as in PyTorch."""

    on_arrays = True

    def backward(self, grad: Tensor) -> Gradients:
        return (grad / (self.saved(0) * 2),)


def sqrt(input: Tensor) -> Tensor:
    """The square root of each element.

    >>> norch.sqrt(norch.tensor([4., 9.]))
    tensor([2., 3.])
    """
    x = array_of(input)
    y = x.ops.sqrt(x)
    return unary(Sqrt, y, input, (y,))


class Rsqrt(Node):
    """d x^(-1/2) = -1/2 x^(-3/2) dx."""

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * self.saved(0) ** 3 * -0.5,)


def rsqrt(input: Tensor) -> Tensor:
    """`1 / sqrt(input)`.

    >>> norch.rsqrt(norch.tensor([4., 16.]))
    tensor([0.5000, 0.2500])
    """
    x = array_of(input)
    y = x.ops.rsqrt(x)
    return unary(Rsqrt, y, input, (y,))


class Abs(Node):
    """d|x| = sign(x) dx: 0 at 0."""

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * sign(self.saved(0)),)


def abs(input: Tensor) -> Tensor:
    """The absolute value of each element.

    >>> norch.abs(norch.tensor([-1., 2.]))
    tensor([1., 2.])
    """
    x = array_of(input)
    return unary(Abs, x.ops.abs(x), input, (input,))


class Atan2(Node):
    """d atan2(y, x) = (x dy - y dx) / (x^2 + y^2)."""

    def backward(self, grad: Tensor) -> Gradients:
        y, x = (to(self.saved(i), grad.dtype) for i in range(2))  # squares of whole numbers wrap
        squares = x * x + y * y
        scaled = masked_fill(grad / squares, squares == 0, 0)
        dy = scaled * x if self.needs(0) else None
        dx = -scaled * y if self.needs(1) else None
        return dy, dx


def atan2(input: Tensor, other: Tensor) -> Tensor:
    """The angle of the point (other, input), between -pi and pi.

    >>> norch.atan2(norch.tensor([0.]), norch.tensor([-1.]))
    tensor([3.1416])
    """
    y = array_of(input)
    return binary(Atan2, y.ops.atan2(y, array_of(other)), input, other, (input, other))


class Hypot(Node):
    """d = (x dx + y dy) / hypot(x, y)."""

    def backward(self, grad: Tensor) -> Gradients:
        x, y, length = (self.saved(i) for i in range(3))
        dx = grad * (x / length) if self.needs(0) else None  # 1 / length may overflow
        return dx, grad * (y / length) if self.needs(1) else None


def hypot(input: Tensor, other: Tensor) -> Tensor:
    """The length of the side opposite the right angle: sqrt(x^2 + y^2), without overflow.

    >>> norch.hypot(norch.tensor([3.]), norch.tensor([4.]))
    tensor([5.])
    """
    array_of(input), array_of(other)
    dtype = common_dtype(input, other)
    if not dtype.is_floating_point:
        raise NotImplementedError(f"[hypot] has no kernel for {dtype}: convert to float first")
    with no_grad():
        a, b = (abs(to(side, promote_types(dtype, float32))) for side in (input, other))
        long, short = maximum(a, b), minimum(a, b)
        ratio = where(long == 0, 0.0, short / long)
        infinite = (a == math.inf) | (b == math.inf)  # beside a NaN too
        length = to(where(infinite, math.inf, long * sqrt(1 + square(ratio))), dtype)
    x, y = to(input, dtype), to(other, dtype)
    return binary(Hypot, length.array, x, y, (x, y, length.array))


@in_own_name
def exp2(input: Tensor) -> Tensor:
    """2 to the power of each element.

    >>> norch.exp2(norch.tensor([0., 3.]))
    tensor([1., 8.])
    """
    return pow(2.0, input)
