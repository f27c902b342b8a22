"""Functions of each element: their text, the exact value and slopes, where they are looked at.

An exact formula is of numbers of 50 digits and loses none of them: 1 - tanh(x)^2 stands as
1 / cosh(x)^2. Near a zero that is a difference of terms of size 1, the error counts in ulp of 1/8.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import mpmath
from mpmath import mp

from .measure import Worst, evaluate, is_held, listed, rounded

ZERO_SCALE, ZERO_WIDTH = 0.125, 0.25


@dataclass(frozen=True)
class Pointwise:
    """A function of one, two or three numbers."""

    text: str
    value: Callable
    slopes: tuple  # one for each input that has a derivative here, None for another
    points: tuple  # of tuples of numbers
    zeros: tuple = ()  # of the slope
    value_zeros: tuple = ()
    kept: Callable = lambda *_: True  # where the slope keeps its digits: elsewhere, as PyTorch's

    def inputs(self, kind):
        """Return the points whose numbers are normal in a dtype, or 0."""
        return [p for p in self.points if all(is_held(x, kind) for x in p)]


def span(low, high, count):
    """Return numbers at even distances; the ends are among them."""
    return [low + (high - low) * k / (count - 1) for k in range(count)]


TINY = [m * 10.0**e for e in (-300, -36, -16, -9, -7, -6, -5, -4) for m in (1.1, 3.7)]
SMALL = [m * 10.0**e for e in (-3, -2, -1) for m in (1.07, 1.9, 3.1, 4.7, 6.9, 8.8)]
MIDDLE = span(0.97, 12.03, 40)
FAR = [*span(12.5, 104.3, 34), *span(107.7, 745.3, 14)]
HUGE = [m * 10.0**e for e in (3, 4, 8, 15, 30, 37, 300) for m in (1.3, 5.9)]
POSITIVE = [*TINY, *SMALL, *MIDDLE, *FAR, *HUGE, 0.25, 0.5, 1.0, 2.0, 3.0, 16.0]
LINE = [*(-x for x in POSITIVE), *POSITIVE]
MODERATE = [x for x in LINE if abs(x) < 1e5]
NEAR_ONE = [1 + s * m * 10.0**-e for e in range(1, 16) for m in (1.2, 4.3) for s in (-1, 1)]
UNIT = [x for x in (*LINE, *NEAR_ONE, *(-x for x in NEAR_ONE)) if abs(x) < 1]
SHARES = [x for x in (*POSITIVE, *NEAR_ONE, *span(0.02, 0.98, 49)) if 0 < x < 1]
ABOVE_ONE = [x for x in (*POSITIVE, *NEAR_ONE) if x > 1]


def one(points):
    return tuple((float(x),) for x in dict.fromkeys(points))


def sigmoid(x):
    return 1 / (1 + mp.exp(-x))


def logistic_slope(x):
    return mp.exp(-abs(x)) / (1 + mp.exp(-abs(x))) ** 2


def sech2(x):
    return 4 * mp.exp(-2 * abs(x)) / (1 + mp.exp(-2 * abs(x))) ** 2


def below(x):
    """The share of a normal distribution below x."""
    return mp.erfc(-x / mp.sqrt(2)) / 2


def density(x):
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def elu(alpha, sharpness=1, scale=1):
    def value(x):
        return scale * (x if x > 0 else alpha * mp.expm1(x * sharpness))

    def slope(x):
        return mp.mpf(scale) if x > 0 else scale * alpha * sharpness * mp.exp(x * sharpness)

    return value, (slope,)


def softplus(x):
    return mp.log1p(mp.exp(x)) if x <= 20 else x


def gelu_tanh(x):
    return x * sigmoid(2 * mp.sqrt(2 / mp.pi) * (x + mp.mpf("0.044715") * x**3))


def gelu_tanh_slope(x):
    root = 2 * mp.sqrt(2 / mp.pi)
    u = root * (x + mp.mpf("0.044715") * x**3)
    return sigmoid(u) + x * logistic_slope(u) * root * (1 + 3 * mp.mpf("0.044715") * x**2)


def mish(x):
    return x * mp.tanh(mp.log1p(mp.exp(x)))


def mish_slope(x):
    s = mp.log1p(mp.exp(x))
    return mp.tanh(s) + x * sech2(s) * sigmoid(x)


def sinc(x):
    return mp.sinpi(x) / (mp.pi * x)


def sinc_slope(x):
    a = mp.pi * x
    if abs(a) < 1e-3:
        return -mp.pi * a / 3 * (1 - a**2 / 10 * (1 - a**2 / 28 * (1 - a**2 / 54)))
    return (mp.cospi(x) - mp.sinpi(x) / a) / x


def tanhshrink(x):
    if abs(x) < 1e-3:
        return x**3 / 3 * (1 - x**2 * 2 / 5 * (1 - x**2 * 17 / 42 * (1 - x**2 * 62 / 153)))
    return x - mp.tanh(x)


SELU_ALPHA, SELU_SCALE = (
    mp.mpf("1.6732632423543772848170429916717"),
    mp.mpf("1.0507009873554804934193349852946"),
)


def unary(text, value, slope, points=LINE, **details):
    return Pointwise(text, value, (slope,), one(points), **details)


def within(low, high):
    return lambda x, *_: low < x < high


TWO = [0.0, *(s * x for x in (1e-6, 0.013, 0.7, 3.3, 8.7, 17.0, 88.0, 300.0) for s in (-1, 1))]
PAIRS = tuple(itertools.product(TWO, TWO))
POSITIVE_TWO = [1e-6, 0.013, 0.37, 0.7, 0.999, 1.0, 1.002, 2.2, 8.7, 31.0, 300.0, 3e4]
TARGETS = [0.0, 0.3, 0.5, 1.0]


def logaddexp_slope(scale):
    def slope(x, y):
        return 1 / (1 + mp.exp(scale * (y - x)))

    return slope, lambda x, y: slope(y, x)


def binary(text, value, slopes, points=PAIRS, **details):
    return Pointwise(text, value, slopes, tuple(points), **details)


def close(x, y):
    return abs(x - y) < 2


def bce(x, y):
    return -(y * mp.log(x) if y else 0) - ((1 - y) * mp.log1p(-x) if y != 1 else 0)


def bce_logits(x, y):
    return (1 - y) * x + mp.log1p(mp.exp(-x))


POINTWISE = (
    unary("t.exp(x)", mp.exp, mp.exp),
    unary("t.exp2(x)", lambda x: mp.mpf(2) ** x, lambda x: mp.log(2) * mp.mpf(2) ** x),
    unary("t.expm1(x)", mp.expm1, mp.exp, kept=within(-0.5, 1e400)),
    unary("t.log(x)", mp.log, lambda x: 1 / x, [*POSITIVE, *NEAR_ONE]),
    unary(
        "t.log2(x)",
        lambda x: mp.log(x) / mp.log(2),
        lambda x: 1 / (x * mp.log(2)),
        [*POSITIVE, *NEAR_ONE],
    ),
    unary("t.log10(x)", mp.log10, lambda x: 1 / (x * mp.log(10)), [*POSITIVE, *NEAR_ONE]),
    unary("t.log1p(x)", mp.log1p, lambda x: 1 / (1 + x), [*UNIT, *POSITIVE]),
    unary("t.sqrt(x)", mp.sqrt, lambda x: 1 / (2 * mp.sqrt(x)), POSITIVE),
    unary("t.rsqrt(x)", lambda x: 1 / mp.sqrt(x), lambda x: -1 / (2 * x * mp.sqrt(x)), POSITIVE),
    unary("t.reciprocal(x)", lambda x: 1 / x, lambda x: -1 / x**2),
    unary("t.square(x)", lambda x: x * x, lambda x: 2 * x),
    unary("x ** 3", lambda x: x**3, lambda x: 3 * x**2),
    unary(
        "x ** -1.5",
        lambda x: x ** mp.mpf(-1.5),
        lambda x: mp.mpf(-1.5) * x ** mp.mpf(-2.5),
        POSITIVE,
    ),
    unary("x ** 0.5", mp.sqrt, lambda x: 1 / (2 * mp.sqrt(x)), POSITIVE),
    unary("t.sin(x)", mp.sin, mp.cos, MODERATE),
    unary("t.cos(x)", mp.cos, lambda x: -mp.sin(x), MODERATE),
    unary("t.tan(x)", mp.tan, lambda x: 1 / mp.cos(x) ** 2, MODERATE),
    unary(
        "t.asin(x)", mp.asin, lambda x: 1 / mp.sqrt((1 - x) * (1 + x)), UNIT, kept=within(-0.7, 0.7)
    ),
    unary(
        "t.acos(x)",
        mp.acos,
        lambda x: -1 / mp.sqrt((1 - x) * (1 + x)),
        UNIT,
        kept=within(-0.7, 0.7),
    ),
    unary("t.atan(x)", mp.atan, lambda x: 1 / (1 + x * x)),
    unary("t.sinh(x)", mp.sinh, mp.cosh),
    unary("t.cosh(x)", mp.cosh, mp.sinh),
    unary("t.tanh(x)", mp.tanh, sech2, kept=within(-1, 1)),
    unary(
        "t.asinh(x)",
        lambda x: mp.sign(x) * mp.log1p(abs(x) + x * x / (1 + mp.sqrt(1 + x * x))),
        lambda x: 1 / mp.sqrt(1 + x * x),
        kept=within(-100, 100),
    ),
    unary(
        "t.acosh(x)",
        lambda x: mp.log1p(x - 1 + mp.sqrt((x - 1) * (x + 1))),
        lambda x: 1 / mp.sqrt((x - 1) * (x + 1)),
        ABOVE_ONE,
        kept=within(1.5, 100),
    ),
    unary(
        "t.atanh(x)",
        lambda x: (mp.log1p(x) - mp.log1p(-x)) / 2,
        lambda x: 1 / ((1 - x) * (1 + x)),
        UNIT,
        kept=within(-0.7, 0.7),
    ),
    unary("t.sigmoid(x)", sigmoid, logistic_slope, kept=within(-1e400, 1)),
    unary("F.logsigmoid(x)", lambda x: -mp.log1p(mp.exp(-x)), lambda x: 1 / (1 + mp.exp(x))),
    unary("t.erf(x)", mp.erf, lambda x: 2 / mp.sqrt(mp.pi) * mp.exp(-x * x), kept=within(-2, 2)),
    unary(
        "t.erfc(x)",
        mp.erfc,
        lambda x: -2 / mp.sqrt(mp.pi) * mp.exp(-x * x),
        MODERATE,
        kept=within(-2, 2),
    ),
    unary(
        "t.erfinv(x)",
        mp.erfinv,
        lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(mp.erfinv(x) ** 2),
        [x for x in UNIT if abs(x) > 1e-40],
    ),
    unary("t.special.ndtr(x)", below, density, MODERATE, kept=within(-2, 2)),
    unary(
        "t.lgamma(x)",
        lambda x: mp.log(abs(mp.gamma(x))),
        mp.digamma,
        [x for x in POSITIVE if x < 1e5],
        zeros=(1.4616,),
    ),
    unary(
        "t.digamma(x)",
        mp.digamma,
        lambda x: mp.psi(1, x),
        [x for x in POSITIVE if x < 1e5],
        value_zeros=(1.4616,),
    ),
    unary(
        "t.logit(x)",
        lambda x: mp.log(x) - mp.log1p(-x),
        lambda x: 1 / (x * (1 - x)),
        SHARES,
        value_zeros=(0.5,),
    ),
    unary(
        "t.special.entr(x)",
        lambda x: -x * mp.log(x),
        lambda x: -1 - mp.log(x),
        [*POSITIVE, *NEAR_ONE],
        zeros=(0.36788,),
    ),
    unary("t.sinc(x)", sinc, sinc_slope, [x for x in MODERATE if abs(x) < 0.99]),
    Pointwise("F.elu(x)", *elu(1), one(LINE)),
    Pointwise("F.elu(x, 0.3)", *elu(mp.mpf(0.3)), one(LINE)),
    Pointwise("F.selu(x)", *elu(SELU_ALPHA, 1, SELU_SCALE), one(LINE)),
    Pointwise("F.celu(x)", *elu(1), one(LINE)),
    Pointwise("F.celu(x, 3.0)", *elu(3, mp.mpf(1) / 3), one(LINE), kept=within(-6, 1e400)),
    unary(
        "F.gelu(x)",
        lambda x: x * below(x),
        lambda x: below(x) + x * density(x),
        MODERATE,
        zeros=(-0.7518,),
        kept=within(-5, 1e400),
    ),
    unary(
        "F.gelu(x, approximate='tanh')",
        gelu_tanh,
        gelu_tanh_slope,
        [x for x in MODERATE if x > -10],
        zeros=(-0.7524,),
        kept=within(-3, 1e400),
    ),
    unary(
        "F.silu(x)",
        lambda x: x * sigmoid(x),
        lambda x: sigmoid(x) + x * logistic_slope(x),
        [x for x in LINE if x > -88],
        zeros=(-1.2785,),
    ),
    unary("F.mish(x)", mish, mish_slope, zeros=(-1.1924,)),
    unary("F.softplus(x)", softplus, lambda x: sigmoid(x) if x <= 20 else mp.mpf(1)),
    unary(
        "F.softplus(x, 0.5, 9)",
        lambda x: 2 * mp.log1p(mp.exp(x / 2)) if x <= 18 else x,
        lambda x: sigmoid(x / 2) if x <= 18 else mp.mpf(1),
    ),
    unary(
        "F.softsign(x)",
        lambda x: x / (1 + abs(x)),
        lambda x: 1 / (1 + abs(x)) ** 2,
        kept=within(-3, 3),
    ),
    unary("F.tanhshrink(x)", tanhshrink, lambda x: mp.tanh(x) ** 2),
    unary(
        "F.hardswish(x)",
        lambda x: x * min(max(x + 3, 0), 6) / 6,
        lambda x: mp.mpf(0) if x <= -3 else (mp.mpf(1) if x >= 3 else x / 3 + mp.mpf(0.5)),
        zeros=(-1.5,),
    ),
    unary(
        "F.hardsigmoid(x)",
        lambda x: min(max(x + 3, 0), 6) / 6,
        lambda x: mp.mpf(1) / 6 if -3 < x < 3 else mp.mpf(0),
    ),
    binary(
        "t.logaddexp(x, y)",
        lambda x, y: max(x, y) + mp.log1p(mp.exp(-abs(x - y))),
        logaddexp_slope(1),
        kept=close,
        value_zeros=(-0.7,),
    ),
    binary(
        "t.logaddexp2(x, y)",
        lambda x, y: max(x, y) + mp.log1p(mp.mpf(2) ** -abs(x - y)) / mp.log(2),
        logaddexp_slope(mp.log(2)),
        kept=close,
    ),
    binary(
        "t.atan2(x, y)",
        mp.atan2,
        (lambda x, y: y / (x * x + y * y), lambda x, y: -x / (x * x + y * y)),
        [p for p in PAIRS if any(p)],
        kept=within(-50, 50),
    ),
    binary(
        "t.hypot(x, y)",
        mp.hypot,
        (lambda x, y: x / mp.hypot(x, y), lambda x, y: y / mp.hypot(x, y)),
        [p for p in PAIRS if any(p)],
    ),
    binary(
        "t.xlogy(x, y)",
        lambda x, y: x * mp.log(y),
        (lambda x, y: mp.log(y), lambda x, y: x / y),
        itertools.product(TWO, POSITIVE_TWO),
    ),
    binary(
        "t.special.xlog1py(x, y)",
        lambda x, y: x * mp.log1p(y),
        (lambda x, y: mp.log1p(y), lambda x, y: x / (1 + y)),
        itertools.product(TWO, POSITIVE_TWO),
    ),
    binary(
        "t.pow(x, y)",
        lambda x, y: x**y,
        (lambda x, y: y * x ** (y - 1), lambda x, y: x**y * mp.log(x)),
        itertools.product(POSITIVE_TWO, TWO),
    ),
    binary(
        "F.binary_cross_entropy(x, y, reduction='none')",
        bce,
        (lambda x, y: (x - y) / (x * (1 - x)), None),
        [p for p in itertools.product(SHARES, TARGETS) if 1e-9 < p[0] < 1 - 1e-9],
    ),
    binary(
        "F.binary_cross_entropy_with_logits(x, y, reduction='none')",
        bce_logits,
        (lambda x, y: sigmoid(x) if y == 0 else -sigmoid(-x) if y == 1 else sigmoid(x) - y, None),
        itertools.product(LINE[::3], TARGETS),
        zeros=(0.0, -0.8473),
    ),
    binary(
        "F.soft_margin_loss(x, y, reduction='none')",
        lambda x, y: mp.log1p(mp.exp(-x * y)),
        (lambda x, y: -y / (1 + mp.exp(x * y)), None),
        itertools.product(LINE[::2], (-1.0, 1.0)),
    ),
    binary(
        "F.kl_div(x, y, reduction='none')",
        lambda x, y: y * (mp.log(y) - x),
        (lambda x, y: -y, None),
        itertools.product([-x for x in POSITIVE_TWO], [0.013, 0.37, 0.9]),
        value_zeros=(-1.0,),
    ),
    binary(
        "F.kl_div(x, y, reduction='none', log_target=True)",
        lambda x, y: mp.exp(y) * (y - x),
        (lambda x, y: -mp.exp(y), lambda x, y: mp.exp(y) * (y - x + 1)),
        itertools.product([-x for x in POSITIVE_TWO], [-0.013, -3.3, -31.0]),
    ),
    binary(
        "F.poisson_nll_loss(x, y, reduction='none')",
        lambda x, y: mp.exp(x) - y * x,
        (lambda x, y: mp.exp(x) - y, None),
        [
            (x, y)
            for x, y in itertools.product(MODERATE[::2], (0.0, 2.0))
            if abs(x) < 80 and not 0 < y * abs(x - 0.69) < 1
        ],
    ),
    binary(
        "F.gaussian_nll_loss(x, y, v, reduction='none')",
        lambda x, y, v: (mp.log(v) + (x - y) ** 2 / v) / 2,
        (lambda x, y, v: (x - y) / v, None, lambda x, y, v: (1 - (x - y) ** 2 / v) / (2 * v)),
        itertools.product((0.3, 5.0, 31.0), (-2.0, 0.25), (0.013, 2.2, 31.0, 300.0)),
    ),
)


def exact_numbers(function, point, cache):
    """Return the exact value and slopes at a point."""
    if point not in cache:
        numbers = [mpmath.mpf(x) for x in point]
        slopes = [None if f is None else f(*numbers) for f in function.slopes]
        cache[point] = function.value(*numbers), slopes
    return cache[point]


def zero_scale(zeros, point):
    near = any(abs(point[0] - z) < ZERO_WIDTH for z in zeros)
    return ZERO_SCALE if near else 0.0


def computed(library, function, inputs):
    """Return the values and the gradients, as lists, of a function in one library."""
    leaves = [
        x.detach().requires_grad_(slope is not None)
        for x, slope in zip(inputs, function.slopes, strict=True)
    ]
    value = evaluate(library, function.text, leaves)
    wanted = [x for x in leaves if x.requires_grad]
    value.backward(library.ones_like(value))
    return listed(value), [listed(x.grad) for x in wanted]


def measure(library, function, kind, cache, device="cpu", layout=lambda x: x):
    """Return the worst errors of a function in a dtype, of its value and of its gradients; and
    again where they keep their digits.
    """
    columns = [rounded(library, c, kind) for c in zip(*function.inputs(kind), strict=True)]
    points = list(zip(*map(listed, columns), strict=True))
    values, gradients = computed(library, function, [layout(x.to(device)) for x in columns])
    value, slope, kept = Worst(), Worst(), Worst()
    for k, point in enumerate(points):
        try:
            exact, slopes = exact_numbers(function, point, cache)
        except (ZeroDivisionError, ValueError):
            continue  # rounded to an end of the domain
        value.add(values[k], exact, kind, point, zero_scale(function.value_zeros, point))
        scale = zero_scale(function.zeros, point)
        for row, number in zip(gradients, (s for s in slopes if s is not None), strict=True):
            slope.add(row[k], number, kind, point, scale)
            if function.kept(*point):
                kept.add(row[k], number, kind, point, scale)
    return value, slope, value, kept
