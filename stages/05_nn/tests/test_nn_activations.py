"""Activations against their formulas in plain Python floats; gradients at kinks are PyTorch's."""

import math

import pytest
from layer_checks import check_at_200, check_formula, check_in_place, check_slope, layer_name

import norch_autograd as norch
import norch_nn as nn
from norch_nn import functional as F


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def softplus(x):
    return math.log1p(math.exp(x))


def elu(x, alpha=1.0):
    return x if x > 0 else alpha * math.expm1(x)


def gelu(x):
    return x * (1 + math.erf(x / math.sqrt(2))) / 2


def gelu_tanh(x):
    return x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2


@pytest.mark.parametrize(
    ("layer", "formula"),
    [
        (nn.LeakyReLU(), lambda x: x if x > 0 else 0.01 * x),
        (nn.LeakyReLU(0.3), lambda x: x if x > 0 else 0.3 * x),
        (nn.PReLU(), lambda x: x if x > 0 else 0.25 * x),
        (nn.PReLU(3, init=0.5), lambda x: x if x > 0 else 0.5 * x),
        (nn.ELU(), elu),
        (nn.ELU(0.7), lambda x: elu(x, 0.7)),
        (nn.SELU(), lambda x: 1.0507009873554805 * elu(x, 1.6732632423543772)),
        (nn.GELU(), gelu),
        (nn.GELU("tanh"), gelu_tanh),
        (nn.SiLU(), lambda x: x * sigmoid(x)),
        (nn.Softplus(), softplus),
        (nn.Softplus(2, threshold=3), lambda x: x if 2 * x > 3 else softplus(2 * x) / 2),
        (nn.LogSigmoid(), lambda x: math.log(sigmoid(x))),
    ],
    ids=layer_name,
)
def test_formula_and_gradient(layer, formula):
    check_formula(layer, formula)


@pytest.mark.parametrize(
    ("layer", "x", "slope"),
    [
        (nn.LeakyReLU(0.5), 0.0, 0.5),
        (nn.PReLU(init=0.5), 0.0, 0.5),
        (nn.ELU(0.5), 0.0, 0.5),
        (nn.LogSigmoid(), 0.0, 0.5),
        (nn.Softplus(), 20.0, sigmoid(20.0)),
    ],
    ids=str,
)
def test_gradient_at_a_kink_is_pytorchs(layer, x, slope):
    check_slope(layer, x, slope)


@pytest.mark.parametrize(
    ("function", "values", "slopes"),
    [
        (F.elu, [-1, 200], [0, 1]),
        (F.selu, [-1.7580993, 210.1402], [0, 1.050701]),
        (F.gelu, [0, 200], [0, 1]),
        (lambda x: F.gelu(x, "tanh"), [0, 200], [0, 1]),
        (F.silu, [0, 200], [0, 1]),
        (F.softplus, [0, 200], [0, 1]),
        (F.logsigmoid, [-200, 0], [1, 0]),
    ],
)
def test_softmax_tanh_gelu_sigmoid_nan_at_x_200(function, values, slopes):
    check_at_200(function, values, slopes)


@pytest.mark.parametrize("make", ["LeakyReLU", "ELU", "SELU", "SiLU"])
def test_inplace_overwrites_and_keeps_the_gradient(make):
    check_in_place(getattr(nn, make))


def test_prelu_learns_one_slope_a_channel():
    layer = nn.PReLU(2)
    assert list(layer.state_dict()) == ["weight"]
    layer(norch.tensor([[-1.0, -2.0], [3.0, -4.0]])).sum().backward()
    assert layer.weight.grad.tolist() == [-1.0, -6.0]
    assert nn.PReLU(2)(norch.zeros(5, 2, 3, 3)).shape == (5, 2, 3, 3)


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (lambda: F.gelu(norch.zeros(1), "erf"), RuntimeError, "'none' or 'tanh', not 'erf'"),
        (lambda: nn.PReLU(2)(norch.zeros(4, 3)), RuntimeError, r"\(2,\) does not fit 3 channels"),
    ],
)
def test_bad_arguments(action, error, message):
    with pytest.raises(error, match=message):
        action()


@pytest.mark.parametrize("dtype", [norch.float16, norch.bfloat16])
def test_halves_above_11_do_not_overflow_in_between(dtype):
    x = norch.tensor([12.0, 19.0], dtype=dtype, requires_grad=True)
    y = F.softplus(x)
    y.sum().backward()
    assert y.tolist() == [12.0, 19.0] and x.grad.tolist() == [1.0, 1.0]


def test_an_option_given_twice_is_said_in_the_name_that_was_called():
    with pytest.raises(TypeError, match=r"^\[leaky_relu_\] .*inplace=True"):
        F.leaky_relu_(norch.ones(2), 0.1, True)
