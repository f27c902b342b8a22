"""Further activations against their formulas in plain floats; gradients at kinks are PyTorch's."""

import math

import pytest
from layer_checks import X, check_at_200, check_formula, check_in_place, check_slope, layer_name

import norch_autograd as norch
import norch_extras.nn as further
import norch_nn as nn
from norch_extras.nn import (
    CELU,
    GLU,
    Hardsigmoid,
    Hardswish,
    Hardtanh,
    Mish,
    ReLU6,
    RReLU,
    Softmin,
    Softshrink,
    Softsign,
    Tanhshrink,
    Threshold,
    glu,
    gumbel_softmax,
    hardswish,
    hardtanh,
    mish,
    relu6,
    softsign,
    tanhshrink,
)


def softplus(x):
    return math.log1p(math.exp(x))


def celu(x, alpha):
    return x if x > 0 else alpha * math.expm1(x / alpha)


def softshrink(x, lambd):
    return math.copysign(max(abs(x) - lambd, 0.0), x)


@pytest.mark.parametrize(
    ("layer", "formula"),
    [
        (RReLU().eval(), lambda x: x if x > 0 else (1 / 8 + 1 / 3) / 2 * x),
        (ReLU6(), lambda x: min(max(x, 0), 6)),
        (Hardtanh(), lambda x: min(max(x, -1), 1)),
        (Hardtanh(-3, 2), lambda x: min(max(x, -3), 2)),
        (Hardsigmoid(), lambda x: min(max(x + 3, 0), 6) / 6),
        (Hardswish(), lambda x: x * min(max(x + 3, 0), 6) / 6),
        (Threshold(0.5, -7), lambda x: x if x > 0.5 else -7),
        (Softshrink(), lambda x: softshrink(x, 0.5)),
        (Softshrink(2), lambda x: softshrink(x, 2)),
        (CELU(2), lambda x: celu(x, 2)),
        (CELU(-2), lambda x: celu(x, -2)),
        (Mish(), lambda x: x * math.tanh(softplus(x))),
        (Softsign(), lambda x: x / (1 + abs(x))),
        (Tanhshrink(), lambda x: x - math.tanh(x)),
    ],
    ids=layer_name,
)
def test_formula_and_gradient(layer, formula):
    check_formula(layer, formula)


@pytest.mark.parametrize(
    ("layer", "x", "slope"),
    [
        (RReLU(0.5, 0.5), 0.0, 0.5),
        (ReLU6(), 0.0, 0.0),
        (ReLU6(), 6.0, 0.0),
        (Hardtanh(), -1.0, 0.0),
        (Hardtanh(), 1.0, 0.0),
        (Hardsigmoid(), -3.0, 0.0),
        (Hardsigmoid(), 3.0, 0.0),
        (Hardswish(), -3.0, 0.0),
        (Hardswish(), 3.0, 1.0),
        (Threshold(0.5, 0.5), 0.5, 0.0),
        (Softshrink(), 0.5, 0.0),
        (Softshrink(), -0.5, 0.0),
        (CELU(0.5), 0.0, 1.0),
        (Softsign(), 0.0, 1.0),
    ],
    ids=str,
)
def test_gradient_at_a_kink_is_pytorchs(layer, x, slope):
    check_slope(layer, x, slope)


@pytest.mark.parametrize(
    ("function", "values", "slopes"),
    [
        (further.celu, [-1, 200], [0, 1]),
        (mish, [0, 200], [0, 1]),
        (tanhshrink, [-199, 199], [1, 1]),
        (hardswish, [0, 200], [0, 1]),
        (softsign, [-200 / 201, 200 / 201], [1 / 201**2, 1 / 201**2]),
    ],
)
def test_no_nan_at_x_200(function, values, slopes):
    check_at_200(function, values, slopes)


@pytest.mark.parametrize(
    "make", ["ReLU6", "Hardtanh", "Hardsigmoid", "Hardswish", "RReLU", "CELU", "Mish"]
)
def test_inplace_overwrites_and_keeps_the_gradient(make):
    shown = make not in ("Hardsigmoid", "Hardswish")  # PyTorch does not print these two
    check_in_place(getattr(further, make), shown=shown)


def test_softmin_and_glu():
    x = norch.tensor(X, dtype=norch.float64, requires_grad=True)
    assert norch.allclose(Softmin(1)(x), nn.Softmax(1)(-x))
    halves = GLU(0)(x)
    assert norch.allclose(halves[0], x[0] * norch.sigmoid(x[1]))
    assert norch.gradcheck(GLU(0), (x,)) and norch.gradcheck(Softmin(0), (x,))
    assert glu(norch.ones(2, 0)).shape == (2, 0)


def test_rrelu_draws_slopes_between_the_bounds_while_training():
    norch.manual_seed(0)
    y = RReLU(0.25, 0.5)(norch.full((1000,), -1.0))
    assert -0.5 <= y.min().item() < -0.49 and -0.26 < y.max().item() <= -0.25


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (lambda: Hardtanh(1, 1), ValueError, "min_val 1 must lie below max_val 1"),
        (lambda: hardtanh(norch.zeros(1), 2, 1), ValueError, "min_val 2 must not exceed"),
        (lambda: relu6(norch.zeros(1).bool()), RuntimeError, "cannot be kept between 0 and 6"),
        (lambda: hardtanh(norch.zeros(1).byte()), RuntimeError, "between -1 and 1: cast it"),
        (lambda: further.celu(norch.zeros(1), 0), RuntimeError, "alpha must not be 0"),
        (lambda: further.softshrink(norch.zeros(1), -1), RuntimeError, "0 or more, not -1"),
        (lambda: glu(norch.zeros(2, 3)), RuntimeError, "dimension -1 of size 3 has no two"),
        (lambda: glu(norch.zeros(2, 2), 2), IndexError, "out of range"),
        (lambda: glu(norch.tensor(1.0)), RuntimeError, "a number has no halves"),
    ],
)
def test_bad_arguments(action, error, message):
    with pytest.raises(error, match=message):
        action()


def test_threshold_keeps_whole_numbers():
    y = Threshold(0.5, 20)(norch.tensor([-1, 0, 3]))
    assert y.dtype is norch.int64 and y.tolist() == [20, 20, 3]


def test_whole_numbers_stay_whole_between_bounds():
    x = norch.tensor([7, -3, 1])
    assert relu6(x).tolist() == [6, 0, 1] and relu6(x).dtype is norch.int64
    assert hardtanh(x, -1.5, 2.5).tolist() == [2, -1, 1]


@pytest.mark.parametrize(("shape", "dim"), [((2, 0), -1), ((0, 4), 0), ((0, 0), 1)])
def test_glu_of_nothing(shape, dim):
    x = norch.zeros(shape, requires_grad=True)
    glu(x, dim).sum().backward()
    assert glu(x, dim).shape == x.grad.shape == shape


@pytest.mark.parametrize("dtype", [norch.float16, norch.bfloat16])
def test_halves_above_11_do_not_overflow_in_between(dtype):
    x = norch.tensor([12.0, 19.0], dtype=dtype, requires_grad=True)
    y = mish(x)
    y.sum().backward()
    assert y.tolist() == [12.0, 19.0] and x.grad.tolist() == [1.0, 1.0]


def test_a_hard_gumbel_softmax_learns_through_the_soft_one():
    logits = norch.zeros(5, 4, requires_grad=True)
    y = gumbel_softmax(logits, hard=True)
    assert ((y - y.round()).abs() < 1e-6).all() and y.sum().item() == pytest.approx(5)
    (y * norch.arange(4.0)).sum().backward()
    assert logits.grad.abs().sum().item() > 0
