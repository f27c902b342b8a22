"""Weights of int8: the rounding of rows, products with them, and the gradient that is refused."""

import numpy as np
import pytest

import norch_autograd as norch
from norch_autograd.more.nn.quantized import linear_int8, quantize_rows


def draw(*shape, seed=0):
    return norch.tensor(np.random.default_rng(seed).standard_normal(shape).astype("float32"))


def test_each_row_is_rounded_by_its_own_scale():
    weight = draw(6, 40).mT.contiguous().mT * norch.tensor([[1e-20], [1e-3], [1], [9], [1e5], [0]])
    whole, scale = quantize_rows(weight)
    assert (whole.dtype, scale.dtype, scale.shape) == (norch.int8, norch.float32, (6,))
    assert whole.abs().amax(1).tolist() == [127] * 5 + [0]
    np.testing.assert_allclose(scale[:5], weight.abs().amax(1)[:5] / 127, rtol=1e-6)
    error = (whole * scale[:, None] - weight).abs()
    assert (error <= scale[:, None] * 0.5001).all() and (error > scale[:, None] * 0.4).any()


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16"])
def test_weights_of_any_real_dtype_are_rounded(dtype):
    weight = draw(3, 5).to(getattr(norch, dtype))
    assert quantize_rows(weight)[0].tolist() == quantize_rows(weight.float())[0].tolist()


def test_rows_that_cannot_be_rounded_are_refused():
    with pytest.raises(ValueError, match=r"\[quantize_rows\] a row with infinity or NaN"):
        quantize_rows(norch.tensor([[1.0, 2.0], [0.0, float("nan")]]))
    with pytest.raises(ValueError, match="infinity"):
        quantize_rows(norch.tensor([[-float("inf"), 2.0]]))
    with pytest.raises(RuntimeError, match=r"expected \(rows, columns\), got \(3,\)"):
        quantize_rows(draw(3))


@pytest.mark.parametrize("shape", [(30,), (4, 30), (2, 3, 30), (0, 30)])
@pytest.mark.parametrize("device", ["cpu", "cuda-sim"])
def test_the_product_is_that_of_the_rounded_rows(shape, device):
    x, bias = draw(*shape, seed=1), draw(7, seed=2)
    whole, scale = quantize_rows(draw(7, 30))
    rows, step = quantize_rows(x.reshape(-1, 30))
    expected = norch.linear(rows.float(), whole.float()) * step[:, None] * scale + bias
    given = [tensor.to(device) for tensor in (x, whole, scale, bias)]
    found = linear_int8(*given)
    assert found.device.type == device and found.shape == (*shape[:-1], 7)
    np.testing.assert_allclose(found.cpu().reshape(-1, 7), expected, rtol=1e-5, atol=1e-5)


def test_without_columns_there_is_the_bias():
    whole, scale = quantize_rows(norch.zeros(3, 0))
    assert linear_int8(norch.zeros(2, 0), whole, scale, scale).tolist() == [[1.0] * 3] * 2


def test_a_gradient_is_refused_when_it_is_asked_for():
    x = draw(2, 5).requires_grad_()
    y = linear_int8(x, *quantize_rows(draw(3, 5)))  # a forward pass alone needs no `no_grad`
    assert y.grad_fn.name() == "LinearInt8Backward0"
    with pytest.raises(RuntimeError, match=r"\[linear_int8\].*no gradient.*train the float model"):
        y.sum().backward()
    assert x.grad is None
    with norch.no_grad():
        assert linear_int8(x, *quantize_rows(draw(3, 5))).grad_fn is None


@pytest.mark.parametrize("wants", ["scale", "bias"])
def test_a_gradient_of_any_operand_is_refused(wants):
    whole, scale = quantize_rows(draw(3, 5))
    given = {"scale": scale, "bias": draw(3)}
    given[wants].requires_grad_()
    y = linear_int8(draw(2, 5), whole, **given)
    assert y.requires_grad
    with pytest.raises(RuntimeError, match=r"\[linear_int8\].*no gradient"):
        y.sum().backward()
    assert given[wants].grad is None
