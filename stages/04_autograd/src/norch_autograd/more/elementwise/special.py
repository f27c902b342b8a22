"""Functions of one, two or three numbers, most of them composed of those of the other files here.

Where a formula has a hole (0 log 0, sin(0) / 0), the hole is filled before dividing, so that no NaN
enters the derivative by the branch that was not taken.
"""

from __future__ import annotations

import math
from typing import Any

from norch_autograd.graph.broadcast import binary
from norch_autograd.graph.composite import fused
from norch_autograd.graph.family import family
from norch_autograd.graph.grad_mode import no_grad
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import Number, Operand, in_own_name
from norch_autograd.graph.record import record, unary
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.arrays import constant
from norch_autograd.ops.dtype.convert import detach, to
from norch_autograd.ops.dtype.promotion import common_dtype, whole_factor
from norch_autograd.ops.elementwise.comparison import isinf, isnan
from norch_autograd.ops.elementwise.exponential import erfc, log, log1p
from norch_autograd.ops.elementwise.power import pow
from norch_autograd.ops.elementwise.rounding import sign
from norch_autograd.ops.elementwise.trigonometry import sin
from norch_autograd.ops.elementwise.where import clamp, masked_fill, real, where
from norch_autograd.types.dtype import get_default_dtype
from norch_cpu_ops import float32, float64, promote_types


@in_own_name
def float_power(input: Operand, exponent: Operand) -> Tensor:
    """`input ** exponent` in float64, whatever the dtypes were.

    >>> norch.float_power(norch.tensor([2, 3]), 2)
    tensor([4., 9.], dtype=norch.float64)
    """
    wide = [to(x, float64) if isinstance(x, Tensor) else x for x in (input, exponent)]
    return pow(*wide)


def ldexp(input: Tensor, other: Tensor) -> Tensor:
    """`input * 2**other`.

    >>> norch.ldexp(norch.tensor([1., 3.]), norch.tensor([2, 0]))
    tensor([4., 3.])
    """
    array_of(input), array_of(other)
    dtype = common_dtype(input, other)
    wide = dtype if dtype.is_floating_point else get_default_dtype()
    return to(input, wide) * pow(2.0, to(other, wide))


@in_own_name
def sinc(input: Tensor) -> Tensor:
    """`sin(pi x) / (pi x)`, and 1 at 0.

    >>> norch.sinc(norch.tensor([0., 0.5]))
    tensor([1.0000, 0.6366])
    """
    x = real(input)
    angle = to(x, promote_types(x.dtype, float32)) * math.pi  # which a half could not hold
    small = (angle < 0.5) & (angle > -0.5)
    square = masked_fill(angle, ~small, 0) ** 2
    near = 1 - square / (16 * 17)  # the series: around 0 the derivative of sin(a) / a is 0 / 0
    for n in range(14, 0, -2):
        near = 1 - square / (n * (n + 1)) * near
    safe = masked_fill(angle, small, 1)
    return to(where(small, near, sin(safe) / safe), x.dtype)


def _both_real(input: Operand, other: Operand) -> tuple[Tensor, Tensor]:
    """The operands of xlogy or xlog1py as tensors of their common floating-point dtype."""
    if not isinstance(input, Tensor):
        array_of(other)  # type: ignore[arg-type]  # which raises
    dtype = common_dtype(input, other)
    wide = dtype if dtype.is_floating_point else get_default_dtype()
    some: Any = input if isinstance(input, Tensor) else other
    first, second = (
        to(side, wide) if isinstance(side, Tensor) else constant(some, side, (), wide)
        for side in (input, other)
    )
    return first, second


class XLogY(Node):
    """d(x log y) = log(y) dx + x / y dy; dx is 0 where x = 0 and y <= 0."""

    def backward(self, grad: Tensor) -> Gradients:
        x, y = self.saved(0), self.saved(1)
        dx = masked_fill(xlogy(grad, y), (x == 0) & (y <= 0), 0) if self.needs(0) else None
        return dx, grad * x / y if self.needs(1) else None


class XLog1PY(Node):
    """d(x log(1 + y)) = log(1 + y) dx + x / (1 + y) dy; dx is 0 where x = 0 and y <= -1."""

    def backward(self, grad: Tensor) -> Gradients:
        x, y = self.saved(0), self.saved(1)
        dx = masked_fill(xlog1py(grad, y), (x == 0) & (y <= -1), 0) if self.needs(0) else None
        return dx, grad * x / (y + 1) if self.needs(1) else None


@family("{}")
def _x_times_log(name: str, input: Operand, other: Operand) -> Tensor:
    """xlogy and xlog1py: `input` times a logarithm, and 0 where `input` is 0."""
    x, y = _both_real(input, other)
    is_log = name == "xlogy"
    function, one = (log, 1.0) if is_log else (log1p, 0.0)  # of which the logarithm is 0
    with no_grad():
        zero = (x == 0) & ~isnan(y)
        out = masked_fill(x * function(where(zero, one, y)), zero, 0)
    return binary(XLogY if is_log else XLog1PY, out.array, x, y, (x, y))


xlogy = _x_times_log("xlogy")("""
    `input * log(other)`, and 0 where input is 0.

    >>> norch.xlogy(norch.tensor([0., 2.]), norch.tensor([0., 1.]))
    tensor([0., 0.])
""")
xlog1py = _x_times_log("xlog1py")("""
    `input * log1p(other)`, and 0 where input is 0.

    >>> norch.special.xlog1py(norch.tensor([0., 2.]), norch.tensor([-1., 0.]))
    tensor([0., 0.])
""")


class Entr(Node):
    """d(-x log x) = -(1 + log x) dx."""

    def backward(self, grad: Tensor) -> Gradients:
        return (-grad * (log(self.saved(0)) + 1),)


@in_own_name
def entr(input: Tensor) -> Tensor:
    """`-input * log(input)`: 0 at 0, -inf below; their sum over probabilities is the entropy.

    >>> norch.special.entr(norch.tensor([0., 1., -1.]))
    tensor([0., -0., -inf])
    """
    x = real(input)
    with no_grad():
        out = where(x < 0, -math.inf, where(x == 0, 0.0, -xlogy(x, x)))
    return unary(Entr, out.array, x, (x,))


@in_own_name
def ndtr(input: Tensor) -> Tensor:
    """The normal distribution's share below `input`: `erfc(-input / sqrt(2)) / 2`.

    >>> norch.special.ndtr(norch.tensor([0., 100.]))
    tensor([0.5000, 1.0000])
    """
    return erfc(real(input) * -math.sqrt(0.5)) / 2


class Logit(Node):
    """d logit(x) = dx / (x (1 - x)) inside 0 to 1; outside NaN, or 0 where `eps` moved x."""

    def backward(self, grad: Tensor) -> Gradients:
        x, eps = self.saved(0), self.context
        low, outside = (0.0, math.nan) if eps is None else (eps, 0.0)
        return (where((x >= low) & (x <= 1 - low), grad / (x * (1 - x)), outside),)


def _logit_reference(x: Tensor, eps: float | None) -> Tensor:
    """`log(x / (1 - x))` and the clamping before it, recorded step by step."""
    if eps is None:
        x = x * to(where((x < 0) | (x > 1), math.nan, 1.0), x.dtype)  # and so is its derivative
    else:
        x = clamp(x, eps, 1 - eps)
    return log(x / (1 - x))


@fused(_logit_reference)
def _logit(x: Tensor, eps: float | None) -> Tensor:
    """`logit` of a floating-point tensor as one node."""
    return unary(Logit, _logit_reference(detach(x), eps).array, x, (x,), eps)


@in_own_name
def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """`log(x / (1 - x))`, the inverse of sigmoid; `eps`, if not negative, keeps x that far from
    0 and 1.

    >>> norch.logit(norch.tensor([0.5]))
    tensor([0.])
    """
    return _logit(real(input), None if eps is None or eps < 0 else float(eps))


def signbit(input: Tensor) -> Tensor:
    """Whether the sign is minus; it is for -0.0 too.

    >>> norch.signbit(norch.tensor([-1., -0., 2.]))
    tensor([ True,  True, False])
    """
    array_of(input)
    x = detach(input)
    if not x.array.dtype.is_floating_point:
        return x < 0
    return (x < 0) | ((x == 0) & (1 / x < 0))


class CopySign(Node):
    """dx = (z / x) dz, 0 at x = 0; dy = 0."""

    def backward(self, grad: Tensor) -> Gradients:
        dx = grad * self.saved(0) if self.needs(0) else None
        if len(self.edges) == 1:
            return (dx,)
        return dx, constant(grad, 0) if self.needs(1) else None


@in_own_name
def copysign(input: Tensor, other: Operand) -> Tensor:
    """The size of `input` with the sign of `other`.

    >>> norch.copysign(norch.tensor([1., -2.]), norch.tensor([-0., 3.]))
    tensor([-1.,  2.])
    """
    array_of(input)
    dtype = common_dtype(input, other)
    x = to(input, dtype if dtype.is_floating_point else get_default_dtype())
    y = other if isinstance(other, Tensor) else constant(x, other, ())
    with no_grad():
        y = to(y, x.dtype)
        out = where(signbit(y) == signbit(x), x, -x)
        slope = masked_fill(out / x, x == 0, 0)
    if not isinstance(other, Tensor):
        return unary(CopySign, out.array, x, (slope,))
    return binary(CopySign, out.array, x, to(other, x.dtype), (slope,))


class Heaviside(Node):
    """A step has no derivative: a backward pass that arrives here raises."""


def heaviside(input: Tensor, values: Tensor) -> Tensor:
    """0 below 0 and for NaN, 1 above 0, `values` at 0; no backward goes through it.

    >>> norch.heaviside(norch.tensor([-1., 0., 2.]), norch.tensor(0.5))
    tensor([0.0000, 0.5000, 1.0000])
    """
    array_of(input), array_of(values)
    if input.dtype is not values.dtype:
        raise RuntimeError(f"[heaviside] dtypes {input.dtype} and {values.dtype} differ: cast one")
    x = detach(input)
    step = to(x > 0, x.dtype)
    out = where(x == 0, detach(values), step)
    return record(Heaviside, out.array, (input, values))


sgn = sign  # they differ for complex numbers only


@family("is{}inf")
def _is_infinity(sign: str, input: Tensor) -> Tensor:
    """isposinf and isneginf: whether each element is the infinity of this sign."""
    return isinf(input) & (input > 0 if sign == "pos" else input < 0)


isposinf = _is_infinity("pos")("""
    Whether each element is +inf.

    >>> norch.isposinf(norch.tensor([-norch.inf, norch.inf]))
    tensor([False,  True])
""")
isneginf = _is_infinity("neg")("""
    Whether each element is -inf.

    >>> norch.isneginf(norch.tensor([-norch.inf, norch.inf]))
    tensor([ True, False])
""")


@family("f{}")
def _extremum_or_number(name: str, input: Tensor, other: Tensor) -> Tensor:
    """fmax and fmin: the extreme of each pair of elements, of which a number wins against NaN."""
    array_of(input), array_of(other)
    is_ours = input >= other if name == "max" else input <= other
    return where(isnan(other) | is_ours, input, other)


fmax = _extremum_or_number("max")("""
    `maximum`, except that a number wins against NaN.

    >>> norch.fmax(norch.tensor([norch.nan, 1.]), norch.tensor([2., 3.]))
    tensor([2., 3.])
""")
fmin = _extremum_or_number("min")("""
    `minimum`, except that a number wins against NaN.

    >>> norch.fmin(norch.tensor([norch.nan, 1.]), norch.tensor([2., 3.]))
    tensor([2., 1.])
""")


@in_own_name
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """Composed of a product and a sum: `input + value * tensor1 * tensor2`.

    >>> norch.addcmul(norch.tensor([1.]), norch.tensor([2.]), norch.tensor([3.]), value=2)
    tensor([13.])
    """
    array_of(tensor1), array_of(tensor2)
    dtype = common_dtype(input, tensor1, tensor2)
    product = to(tensor1, dtype) * to(tensor2, dtype)
    return input + product * whole_factor("addcmul", value, dtype)


@in_own_name
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """Composed of a quotient and a sum: `input + value * tensor1 / tensor2`.

    >>> norch.addcdiv(norch.tensor([1.]), norch.tensor([6.]), norch.tensor([3.]))
    tensor([3.])
    """
    whole = [not array_of(t, "addcdiv").dtype.is_floating_point for t in (tensor1, tensor2)]
    if all(whole):
        raise RuntimeError("[addcdiv] whole numbers are not divided: use div, or cast to float")
    dtype = common_dtype(input, tensor1, tensor2)
    return input + to(tensor1, dtype) / to(tensor2, dtype) * whole_factor("addcdiv", value, dtype)
