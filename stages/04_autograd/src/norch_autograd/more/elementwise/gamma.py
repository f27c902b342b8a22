"""The gamma function's family: its logarithm, the derivatives of that, and the logarithm
for several dimensions, mvlgamma, which is composed of it.

All others are computed in float64 by their series for large numbers, to which small ones are moved
by a recurrence f(x + 1) = f(x) + g(x), in `lgamma` to one at 2; those below 1/2 are reflected at
1/2. The derivative of `lgamma` is `digamma`, of that `polygamma(1)`, and so on.
"""

from __future__ import annotations

import math

from norch_autograd.graph.grad_mode import no_grad
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import in_own_name, number
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.arrays import arange_like, constant
from norch_autograd.ops.dtype.convert import to
from norch_autograd.ops.elementwise.comparison import isinf
from norch_autograd.ops.elementwise.exponential import exp, log, log1p
from norch_autograd.ops.elementwise.power import abs
from norch_autograd.ops.elementwise.rounding import floor, round, trunc
from norch_autograd.ops.elementwise.trigonometry import sin, tan
from norch_autograd.ops.elementwise.where import masked_fill, real, where
from norch_autograd.ops.reduction.sum import sum
from norch_autograd.ops.shape.view import unsqueeze
from norch_autograd.types.size import check_room
from norch_cpu_ops import float64

_HIGHEST = 20  # derivative of digamma whose factors are computed as they stand
_STEPS = 10  # how far they are moved: there the series are exact to the last digit
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)  # B2, B4, ...
# Of x, x^2, ... in log(gamma(2 + x)): 1 - gamma, (zeta(2) - 1) / 2, -(zeta(3) - 1) / 3, ...
# fmt: off
_AT_TWO = (
    0.42278433509846714, 0.32246703342411322, -6.7352301053198095e-2, 2.0580808427784548e-2,
    -7.3855510286739853e-3, 2.8905103307415233e-3, -1.192753911703261e-3, 5.0966952474304242e-4,
    -2.2315475845357938e-4, 9.9457512781808534e-5, -4.4926236738133142e-5, 2.0507212775670692e-5,
    -9.4394882752683959e-6, 4.3748667899074878e-6, -2.0392157538013662e-6, 9.5514121304074198e-7,
    -4.492469198764566e-7, 2.1207184805554666e-7, -1.00432248239681e-7, 4.7698101693639806e-8,
    -2.2711094608943165e-8, 1.0838659214896954e-8, -5.1834750419700467e-9, 2.4836745438024783e-9,
    -1.1921401405860912e-9, 5.731367241678862e-10, -2.7595228851242331e-10,
)
# fmt: on


class Lgamma(Node):
    """d lgamma(x) = digamma(x) dx."""

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * digamma(self.saved(0)),)


def lgamma(input: Tensor) -> Tensor:
    """The logarithm of |gamma(x)|: `lgamma(n + 1)` is log(n!). Infinite at 0, -1, -2, ...

    >>> norch.lgamma(norch.tensor([1., 5.])).exp()
    tensor([ 1., 24.])
    """
    array_of(input)
    x = real(input)
    with no_grad():
        wide = to(x, float64)
        upper = wide >= 0.5
        value = _log_gamma(where(upper, wide, 1 - wide))
        off = abs(wide - round(wide))  # from the nearest whole number: exact
        sine = where(off < 1e-8, off, sin(math.pi * off) / math.pi)
        below = -log(sine) - value
        out = to(masked_fill(where(upper, value, below), isinf(wide), math.inf), x.dtype)
    return unary(Lgamma, out.array, x, (x,))


def _log_gamma(x: Tensor) -> Tensor:
    """log(gamma(x)) for x of at least 1/2: Stirling's series for large ones, others moved down to
    where the series at 2 holds, which loses no digits near the zeros at 1 and 2.
    """
    far = x > 11.5
    low, product = where(far, 2.0, x), constant(x, 1)
    for _ in range(_STEPS):
        above = low >= 2.5
        low = where(above, low - 1, low)
        product = where(above, product * low, product)
    below = low < 1.5
    past = low - where(below, 1.0, 2.0)
    near = constant(x, 0)
    for factor in reversed(_AT_TWO):
        near = (near + factor) * past
    near = near + log(product) - where(below, log1p(past), 0.0)
    y = where(far, x, 12.0)
    total = (y - 0.5) * log(y) - y + 0.5 * math.log(2 * math.pi)
    for k, b in enumerate(_BERNOULLI, 1):
        total = total + b / (2 * k * (2 * k - 1)) / y ** (2 * k - 1)
    return where(far, total, near)


class Digamma(Node):
    """d digamma(x) = polygamma(1, x) dx."""

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * polygamma(1, self.saved(0)),)


def digamma(input: Tensor) -> Tensor:
    """The derivative of `lgamma`. -inf at 0, NaN at -1, -2, ...

    >>> norch.digamma(norch.tensor([1., 2.]))
    tensor([-0.5772,  0.4228])
    """
    array_of(input)
    x = real(input)
    with no_grad():
        wide = to(x, float64)
        upper = wide >= 0.5
        value = _digamma(where(upper, wide, 1 - wide))
        tangent = tan(math.pi * (wide - trunc(wide)))
        below = value - math.pi / where(wide == floor(wide), math.nan, tangent)
        pole = where(1 / wide < 0, math.inf, -math.inf)
        out = to(where(wide == 0, pole, where(upper, value, below)), x.dtype)
    return unary(Digamma, out.array, x, (x,))


def _digamma(x: Tensor) -> Tensor:
    """digamma(x) for x of at least 1/2."""
    moved, y = 1 / x, x + _STEPS
    for k in range(1, _STEPS):
        moved = moved + 1 / (x + k)
    total = log(y) - 0.5 / y - moved
    for k, b in enumerate(_BERNOULLI, 1):
        total = total - b / (2 * k) / y ** (2 * k)
    return total


class Polygamma(Node):
    """d polygamma(n, x) = polygamma(n + 1, x) dx."""

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * polygamma(self.context + 1, self.saved(0)),)


@in_own_name
def polygamma(n: int, input: Tensor) -> Tensor:
    """The n-th derivative of `digamma`: `(-1)^(n+1) n! (1 / x^(n+1) + 1 / (x+1)^(n+1) + ...)`.

    >>> norch.polygamma(1, norch.tensor([1.]))  # pi^2 / 6
    tensor([1.6449])
    """
    array_of(input)
    if not 0 <= (n := number(n)) < 2**63:
        raise RuntimeError(f"[polygamma] n is {n}: expected 0 to 2^63 - 1")
    if n == 0:
        return digamma(input)
    x, sign = real(input), 1 if n % 2 else -1
    with no_grad():
        wide = to(x, float64)
        upper = wide >= 0.5
        if n > _HIGHEST:  # in logarithms: neither factor would fit
            value = _high_polygamma(n, where(upper, wide, 1.0))
            value = where(upper, value, _high_polygamma_below(n, wide)) * sign
        else:
            value = _zeta(n + 1, where(upper, wide, 1 - wide)) * float(sign * math.factorial(n))
            value = where(upper, value, -sign * value - _cotangent_derivative(n, wide))
        pole = (wide <= 0) & (wide == floor(wide))
        out = to(masked_fill(value, pole, sign * math.inf), x.dtype)
    return unary(Polygamma, out.array, x, (x,), n)


def polygamma_of(input: Tensor, n: int) -> Tensor:
    """`polygamma(n, input)`, as a method.

    >>> norch.tensor([1.]).polygamma(1)
    tensor([1.6449])
    """
    return polygamma(n, input)


def _cotangent_derivative(n: int, x: Tensor) -> Tensor:
    """The n-th derivative of pi cot(pi x): a polynomial in the cotangent c, since dc = -(1 + c^2)
    dx.
    """
    factors = [0, 1]  # of 1, c, c^2, ...
    for _ in range(n):
        slope = [k * factor for k, factor in enumerate(factors)][1:]
        factors = [-a - b for a, b in zip([*slope, 0, 0], [0, 0, *slope], strict=True)]
    c = 1 / tan(math.pi * (x - floor(x)))
    total = c * 0
    for factor in reversed(factors):
        total = total * c + float(factor)
    return total * math.pi ** (n + 1)


def _zeta(s: int, x: Tensor) -> Tensor:
    """The sum of 1 / (x + k)^s over all k, for x of at least 1/2."""
    return x**-s * _scaled_zeta(s, x)


def _scaled_zeta(s: int, x: Tensor) -> Tensor:
    """The sum of (x / (x + k))^s over all k, for x of at least 1/2: the first terms, and the rest
    by Euler and Maclaurin.
    """
    power = float(s)
    total, y = constant(x, 1), x + _STEPS
    for k in range(1, _STEPS):
        total = total + (x / (x + k)) ** power
    rest = y / (power - 1) + 0.5
    rising = power
    for k, b in enumerate(_BERNOULLI, 1):
        rest = rest + b / math.factorial(2 * k) * rising * y ** (1 - 2 * k)
        rising *= (power + 2 * k - 1) * (power + 2 * k)
    last = (x / y) ** power
    return total + where(last == 0, 0.0, last * rest)


def _high_polygamma(n: int, x: Tensor) -> Tensor:
    """n! times the sum of 1 / (x + k)^(n + 1) over all k, for x of at least 1/2."""
    return exp(math.lgamma(n + 1) - float(n + 1) * log(x)) * _scaled_zeta(n + 1, x)


def _high_polygamma_below(n: int, x: Tensor) -> Tensor:
    """`_high_polygamma` for x below 1/2 and large n: only the few x + k next to 0 count."""
    whole = round(x)
    part = x - whole
    near = abs(part)
    total = constant(x, 0)
    for k in range(-3, 4):
        total = total + where(whole <= k, (near / (part + k)) ** float(n + 1), 0.0)
    return exp(math.lgamma(n + 1) - float(n + 1) * log(near)) * total


@in_own_name
def mvlgamma(input: Tensor, p: int) -> Tensor:
    """The logarithm of the gamma function of p dimensions.

    >>> norch.mvlgamma(norch.tensor([3.]), 1)
    tensor([0.6931])
    """
    if array_of(input).dtype.name == "bool":
        raise RuntimeError("[mvlgamma] expected numbers, got bools: cast them first")
    if p < 1:
        raise RuntimeError(f"[mvlgamma] p is {p}: expected at least 1")
    x = real(input)
    check_room("mvlgamma", x.array.numel * p, 8 * float64.itemsize)  # lgamma's own numbers too
    halves = constant(x, 0.5, (p,)) * arange_like(x, (p,))
    total = sum(lgamma(unsqueeze(x, -1) - halves), -1)
    return total + p * (p - 1) / 4 * math.log(math.pi)
