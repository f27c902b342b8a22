"""Activations against their formulas in plain Python floats; gradients at kinks are PyTorch's."""

import math

import pytest

import norch_autograd as norch
import norch_nn as nn
from norch_nn import functional as F

X = [[-4.5, -1.25, -0.25], [0.25, 2.5, 5.5]]  # no kink among them


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def softplus(x):
    return math.log1p(math.exp(x))


def elu(x, alpha=1.0):
    return x if x > 0 else alpha * math.expm1(x)


def celu(x, alpha):
    return x if x > 0 else alpha * math.expm1(x / alpha)


def gelu(x):
    return x * (1 + math.erf(x / math.sqrt(2))) / 2


def gelu_tanh(x):
    return x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2


def softshrink(x, lambd):
    return math.copysign(max(abs(x) - lambd, 0.0), x)


@pytest.mark.parametrize(
    ("layer", "formula"),
    [
        (nn.LeakyReLU(), lambda x: x if x > 0 else 0.01 * x),
        (nn.LeakyReLU(0.3), lambda x: x if x > 0 else 0.3 * x),
        (nn.RReLU().eval(), lambda x: x if x > 0 else (1 / 8 + 1 / 3) / 2 * x),
        (nn.PReLU(), lambda x: x if x > 0 else 0.25 * x),
        (nn.PReLU(3, init=0.5), lambda x: x if x > 0 else 0.5 * x),
        (nn.ReLU6(), lambda x: min(max(x, 0), 6)),
        (nn.Hardtanh(), lambda x: min(max(x, -1), 1)),
        (nn.Hardtanh(-3, 2), lambda x: min(max(x, -3), 2)),
        (nn.Hardsigmoid(), lambda x: min(max(x + 3, 0), 6) / 6),
        (nn.Hardswish(), lambda x: x * min(max(x + 3, 0), 6) / 6),
        (nn.Threshold(0.5, -7), lambda x: x if x > 0.5 else -7),
        (nn.Softshrink(), lambda x: softshrink(x, 0.5)),
        (nn.Softshrink(2), lambda x: softshrink(x, 2)),
        (nn.ELU(), elu),
        (nn.ELU(0.7), lambda x: elu(x, 0.7)),
        (nn.SELU(), lambda x: 1.0507009873554805 * elu(x, 1.6732632423543772)),
        (nn.CELU(2), lambda x: celu(x, 2)),
        (nn.CELU(-2), lambda x: celu(x, -2)),
        (nn.GELU(), gelu),
        (nn.GELU("tanh"), gelu_tanh),
        (nn.SiLU(), lambda x: x * sigmoid(x)),
        (nn.Mish(), lambda x: x * math.tanh(softplus(x))),
        (nn.Softplus(), softplus),
        (nn.Softplus(2, threshold=3), lambda x: x if 2 * x > 3 else softplus(2 * x) / 2),
        (nn.Softsign(), lambda x: x / (1 + abs(x))),
        (nn.Tanhshrink(), lambda x: x - math.tanh(x)),
        (nn.LogSigmoid(), lambda x: math.log(sigmoid(x))),
    ],
    ids=str,
)
def test_formula_and_gradient(layer, formula):
    layer = layer.double()
    x = norch.tensor(X, dtype=norch.float64).t().contiguous().t().requires_grad_()
    assert not x.is_contiguous()
    expected = norch.tensor([[formula(v) for v in row] for row in X], dtype=norch.float64)
    assert norch.allclose(layer(x), expected, rtol=1e-12, atol=1e-12)
    assert norch.gradcheck(layer, (x,))


@pytest.mark.parametrize(
    ("layer", "x", "slope"),
    [
        (nn.LeakyReLU(0.5), 0.0, 0.5),
        (nn.RReLU(0.5, 0.5), 0.0, 0.5),
        (nn.PReLU(init=0.5), 0.0, 0.5),
        (nn.ReLU6(), 0.0, 0.0),
        (nn.ReLU6(), 6.0, 0.0),
        (nn.Hardtanh(), -1.0, 0.0),
        (nn.Hardtanh(), 1.0, 0.0),
        (nn.Hardsigmoid(), -3.0, 0.0),
        (nn.Hardsigmoid(), 3.0, 0.0),
        (nn.Hardswish(), -3.0, 0.0),
        (nn.Hardswish(), 3.0, 1.0),
        (nn.Threshold(0.5, 0.5), 0.5, 0.0),
        (nn.Softshrink(), 0.5, 0.0),
        (nn.Softshrink(), -0.5, 0.0),
        (nn.ELU(0.5), 0.0, 0.5),
        (nn.CELU(0.5), 0.0, 1.0),
        (nn.LogSigmoid(), 0.0, 0.5),
        (nn.Softsign(), 0.0, 1.0),
        (nn.Softplus(), 20.0, sigmoid(20.0)),
    ],
    ids=str,
)
def test_gradient_at_a_kink_is_pytorchs(layer, x, slope):
    t = norch.tensor(x, requires_grad=True)
    layer(t).backward()
    assert t.grad.item() == pytest.approx(slope, abs=1e-7)


@pytest.mark.parametrize(
    ("function", "values", "slopes"),
    [
        (F.elu, [-1, 200], [0, 1]),
        (F.selu, [-1.7580993, 210.1402], [0, 1.050701]),
        (F.celu, [-1, 200], [0, 1]),
        (F.gelu, [0, 200], [0, 1]),
        (lambda x: F.gelu(x, "tanh"), [0, 200], [0, 1]),
        (F.silu, [0, 200], [0, 1]),
        (F.mish, [0, 200], [0, 1]),
        (F.softplus, [0, 200], [0, 1]),
        (F.logsigmoid, [-200, 0], [1, 0]),
        (F.tanhshrink, [-199, 199], [1, 1]),
        (F.hardswish, [0, 200], [0, 1]),
        (F.softsign, [-200 / 201, 200 / 201], [1 / 201**2, 1 / 201**2]),
    ],
)
def test_softmax_tanh_gelu_sigmoid_nan_at_x_200(function, values, slopes):
    x = norch.tensor([-200.0, 200.0], requires_grad=True)
    y = function(x)
    y.sum().backward()
    assert y.tolist() == pytest.approx(values, abs=1e-5)
    assert x.grad.tolist() == pytest.approx(slopes, abs=1e-5)


@pytest.mark.parametrize(
    "make",
    [
        "LeakyReLU",
        "ReLU6",
        "Hardtanh",
        "Hardsigmoid",
        "Hardswish",
        "RReLU",
        "ELU",
        "SELU",
        "CELU",
        "SiLU",
        "Mish",
    ],
)
def test_inplace_overwrites_and_keeps_the_gradient(make):
    def gradient(inplace):
        norch.manual_seed(0)
        leaf = norch.tensor([-2.0, -0.5, 0.3, 4.0], requires_grad=True)
        hidden = leaf * 1.5
        y = getattr(nn, make)(inplace=inplace)(hidden)
        assert (y is hidden) is inplace
        y.sum().backward()
        return leaf.grad.tolist()

    assert gradient(True) == gradient(False)
    shown = make not in ("Hardsigmoid", "Hardswish")  # PyTorch does not print these two
    assert repr(getattr(nn, make)(inplace=True)).endswith("inplace=True)") is shown


def test_softmin_and_glu():
    x = norch.tensor(X, dtype=norch.float64, requires_grad=True)
    assert norch.allclose(nn.Softmin(1)(x), nn.Softmax(1)(-x))
    halves = nn.GLU(0)(x)
    assert norch.allclose(halves[0], x[0] * norch.sigmoid(x[1]))
    assert norch.gradcheck(nn.GLU(0), (x,)) and norch.gradcheck(nn.Softmin(0), (x,))
    assert F.glu(norch.ones(2, 0)).shape == (2, 0)


def test_prelu_learns_one_slope_a_channel():
    layer = nn.PReLU(2)
    assert list(layer.state_dict()) == ["weight"]
    layer(norch.tensor([[-1.0, -2.0], [3.0, -4.0]])).sum().backward()
    assert layer.weight.grad.tolist() == [-1.0, -6.0]
    assert nn.PReLU(2)(norch.zeros(5, 2, 3, 3)).shape == (5, 2, 3, 3)


def test_rrelu_draws_slopes_between_the_bounds_while_training():
    norch.manual_seed(0)
    y = nn.RReLU(0.25, 0.5)(norch.full((1000,), -1.0))
    assert -0.5 <= y.min().item() < -0.49 and -0.26 < y.max().item() <= -0.25


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (lambda: nn.Hardtanh(1, 1), ValueError, "min_val 1 must lie below max_val 1"),
        (lambda: F.hardtanh(norch.zeros(1), 2, 1), ValueError, "min_val 2 must not exceed"),
        (lambda: F.relu6(norch.zeros(1).bool()), RuntimeError, "cannot be kept between 0 and 6"),
        (lambda: F.hardtanh(norch.zeros(1).byte()), RuntimeError, "between -1 and 1: cast it"),
        (lambda: F.gelu(norch.zeros(1), "erf"), RuntimeError, "'none' or 'tanh', not 'erf'"),
        (lambda: F.celu(norch.zeros(1), 0), RuntimeError, "alpha must not be 0"),
        (lambda: F.softshrink(norch.zeros(1), -1), RuntimeError, "lambd must be 0 or more, not -1"),
        (lambda: F.glu(norch.zeros(2, 3)), RuntimeError, "dimension -1 of size 3 has no two"),
        (lambda: F.glu(norch.zeros(2, 2), 2), IndexError, "out of range"),
        (lambda: F.glu(norch.tensor(1.0)), RuntimeError, "a number has no halves"),
        (lambda: nn.PReLU(2)(norch.zeros(4, 3)), RuntimeError, r"\(2,\) does not fit 3 channels"),
    ],
)
def test_bad_arguments(action, error, message):
    with pytest.raises(error, match=message):
        action()


def test_threshold_keeps_whole_numbers():
    y = nn.Threshold(0.5, 20)(norch.tensor([-1, 0, 3]))
    assert y.dtype is norch.int64 and y.tolist() == [20, 20, 3]


def test_whole_numbers_stay_whole_between_bounds():
    x = norch.tensor([7, -3, 1])
    assert F.relu6(x).tolist() == [6, 0, 1] and F.relu6(x).dtype is norch.int64
    assert F.hardtanh(x, -1.5, 2.5).tolist() == [2, -1, 1]


@pytest.mark.parametrize(("shape", "dim"), [((2, 0), -1), ((0, 4), 0), ((0, 0), 1)])
def test_glu_of_nothing(shape, dim):
    x = norch.zeros(shape, requires_grad=True)
    F.glu(x, dim).sum().backward()
    assert F.glu(x, dim).shape == x.grad.shape == shape


@pytest.mark.parametrize("function", [F.softplus, F.mish])
@pytest.mark.parametrize("dtype", [norch.float16, norch.bfloat16])
def test_halves_above_11_do_not_overflow_in_between(function, dtype):
    x = norch.tensor([12.0, 19.0], dtype=dtype, requires_grad=True)
    y = function(x)
    y.sum().backward()
    assert y.tolist() == [12.0, 19.0] and x.grad.tolist() == [1.0, 1.0]
