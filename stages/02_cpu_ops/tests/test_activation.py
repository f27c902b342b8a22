"""gelu, silu and the backward of the activations, against the formulas in float64."""

import math

import numpy as np
import pytest

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

FLOATS = ("float32", "float64")
SHAPES = ((2, 3, 37), (0, 3), ())
SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1e-40, 3e38, -3e38, 200.0, -200.0, 14.0, -14.0]
erfc = np.vectorize(math.erfc, otypes=[np.float64])
A, B = math.sqrt(8 / math.pi), math.sqrt(8 / math.pi) * 0.044715


def numbers(shape, dtype, seed=0, low=-6.0, high=6.0):
    return np.asarray(np.random.default_rng(seed).uniform(low, high, shape)).astype(dtype)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def slope_of_normal(x):
    return 0.5 * erfc(-x / math.sqrt(2)) + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def slope_of_tanh_gelu(x):
    s = sigmoid(A * x + B * x**3)
    return s + x * s * (1 - s) * (A + 3 * B * x * x)


def slope_of_silu(x):
    return sigmoid(x) * (1 + x * (1 - sigmoid(x)))


FORWARD = {
    "gelu": (ops.gelu, lambda x: x * 0.5 * erfc(-x / math.sqrt(2))),
    "gelu tanh": (lambda a: ops.gelu(a, "tanh"), lambda x: x * sigmoid(A * x + B * x**3)),
    "silu": (ops.silu, lambda x: x * sigmoid(x)),
}
BACKWARD = {
    "gelu": (ops.gelu_backward, slope_of_normal),
    "gelu tanh": (lambda g, a: ops.gelu_backward(g, a, "tanh"), slope_of_tanh_gelu),
    "silu": (ops.silu_backward, slope_of_silu),
    "tanh": (ops.tanh_backward, lambda y: 1 - y * y),
    "sigmoid": (ops.sigmoid_backward, lambda y: y * (1 - y)),
    "relu": (ops.relu_backward, lambda y: y > 0),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", FORWARD)
def test_forward_on_every_layout(check, name, dtype):
    op, formula = FORWARD[name]
    for shape in SHAPES:
        check(op, lambda x: formula(x.astype("float64")), numbers(shape, dtype), dtype=dtype,
              rtol=2e-6 if dtype == "float32" else 1e-13,
              atol=1e-9 if dtype == "float32" else 0)  # fmt: skip


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", BACKWARD)
def test_backward_on_every_layout(check, name, dtype):
    op, formula = BACKWARD[name]
    for shape in SHAPES:
        grad, x = numbers(shape, dtype, 1), numbers(shape, dtype, 2, -2, 2)
        check(op, lambda g, x: g.astype("float64") * formula(x.astype("float64")), grad, x,
              dtype=dtype, rtol=1e-5 if dtype == "float32" else 1e-12,
              atol=2e-6 if dtype == "float32" else 1e-15)  # fmt: skip


@pytest.mark.parametrize(("name", "units"), [("gelu", 12), ("gelu tanh", 20), ("silu", 4)])
def test_float32_is_right_to_a_few_units_in_the_last_place(name, units):
    op, formula = FORWARD[name]
    x = np.linspace(-4, 12, 100_001).astype("float32")
    exact = formula(x.astype("float64"))
    error = np.abs(np.asarray(op(ops.share_buffer(x))) - exact)
    assert (error <= units * np.spacing(np.abs(exact).astype("float32"))).all()


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_ends_of_the_line_as_pytorch(dtype):  # pitfall: NaN at |x| = 200
    x = ops.share_buffer(np.array(SPECIAL, dtype))
    silu, gelu = (np.asarray(op(x)) for op in (ops.silu, ops.gelu))
    for got in (silu, gelu):
        want = np.array([0, 0, np.inf, 3e38, 0, 200, 0], dtype)
        np.testing.assert_allclose(got[[0, 1, 2, 6, 7, 8, 9]], want, atol=1e-37)
        assert np.isnan(got[[3, 4]]).all()
    one = ops.ones((len(SPECIAL),), x.dtype)
    for backward in (ops.gelu_backward, ops.silu_backward):
        slope = np.asarray(backward(one, x))
        np.testing.assert_allclose(slope[[0, 1, 8, 9, 10]], [0.5, 0.5, 1, 0, 1], atol=2e-5)


def test_relu_backward_stops_a_gradient_even_if_it_is_not_finite():
    y = ops.from_list([0.0, 2.0, math.nan, 0.0])
    grad = ops.from_list([math.inf, math.inf, 3.0, math.nan])
    assert ops.relu_backward(grad, y).tolist() == [0.0, math.inf, 3.0, 0.0]


@pytest.mark.parametrize("dtype", [cpu.float16, cpu.bfloat16])
def test_halves_are_computed_in_float32(dtype):
    x = ops.cast(ops.share_buffer(numbers((3, 5), "float32", low=-3, high=3)), dtype)
    wide = ops.cast(x, cpu.float32)
    for op in (ops.gelu, ops.silu):
        assert op(x).tolist() == ops.cast(op(wide), dtype).tolist()
    for op, _ in BACKWARD.values():
        assert op(x, x).tolist() == ops.cast(op(wide, wide), dtype).tolist()


def test_every_instruction_set_gives_the_same_answers(instruction_set):
    x = numbers((3, 67), "float32")
    for op, formula in FORWARD.values():
        np.testing.assert_allclose(np.asarray(op(ops.share_buffer(x))),
                                   formula(x.astype("float64")), rtol=3e-6)  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "message"), [
    (lambda x: ops.gelu(x, "erf"), RuntimeError, r"\[gelu\] approximate must be 'none' or 'tanh'"),
    (lambda x: ops.gelu_backward(x, x, "x"), RuntimeError, r"\[gelu_backward\] approximate"),
    (lambda x: ops.silu(ops.cast(x, cpu.int64)), TypeError, r"\[silu\] expected a floating array"),
    (lambda x: ops.gelu(2.0), TypeError, r"\[gelu\] expected an Array, got float"),
    (lambda x: ops.tanh_backward(ops.ones((2,), cpu.float32), x), RuntimeError,
     r"\[tanh_backward\] grad is float32 \(2,\) but the saved array float32 \(2, 3\)"),
    (lambda x: ops.relu_backward(ops.cast(x, cpu.float64), x), RuntimeError, "both must be alike"),
    (lambda x: ops.sigmoid_backward(ops.cast(x, cpu.int32), ops.cast(x, cpu.int32)), TypeError,
     r"\[sigmoid_backward\] expected a floating array, got int32"),
])  # fmt: skip
def test_bad_input_is_refused_in_words(call, kind, message):
    with pytest.raises(kind, match=message):
        call(ops.ones((2, 3), cpu.float32))
