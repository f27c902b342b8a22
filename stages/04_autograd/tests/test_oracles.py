"""The printed examples of the projects norch grew from, as oracles."""

import numpy as np

import norch_autograd as norch


def test_cupytorch_readme():
    a = norch.tensor([[-1.0, 2], [-3.0, 4.0]], requires_grad=True)
    b = norch.tensor([[4.0, 3.0], [2.0, 1.0]], requires_grad=True)
    c = norch.tensor([[1.0, 2.0], [0.0, 2.0]], requires_grad=True)
    d = norch.tensor([1.0, -2.0], requires_grad=True)
    e = a @ b.T
    f = (c.max(1)[0].exp() + e[:, 0] + b.pow(2) + 2 * d.reshape(2, 1).abs()).mean()
    f.backward()
    assert abs(f.item() - 18.889057) < 2e-6
    assert a.grad.tolist() == [[2, 1.5], [2, 1.5]]
    assert b.grad.tolist() == [[0, 4.5], [1, 0.5]]
    np.testing.assert_allclose(c.grad.tolist(), [[0, 3.694528], [0, 3.694528]], rtol=1e-6)
    assert d.grad.tolist() == [1, -1]


def test_pytortto_quick_start():
    x = norch.tensor([[1.1, 2.0, 3.6], [4.7, 3.14, 2.718]], requires_grad=True)
    y = norch.tensor([[2.0, 3.99], [8.4, 1.5], [2.5, 7.8]], requires_grad=True)
    inner = norch.sin((norch.exp(x**1.4) / 3.1 ** norch.log(x)) @ y)
    output = norch.tanh(1 / (norch.cat([inner, y]).mean()))
    output.backward()
    assert str(output) == "tensor(0.3489, grad_fn=<TanhBackward0>)"
    dx = [[-0.0276, 0.6477, -11.827], [27.2554, -5.3062, 1.0978]]
    dy = [[-10.8005, 8.2755], [-0.3336, 0.2187], [0.8972, -0.9684]]
    np.testing.assert_allclose(x.grad.tolist(), dx, atol=6e-5, rtol=2e-5)
    np.testing.assert_allclose(y.grad.tolist(), dy, atol=6e-5, rtol=2e-5)


def test_pynorch_readme():
    x1 = norch.Tensor([[1, 2], [3, 4]], requires_grad=True)
    x2 = norch.Tensor([[4, 3], [2, 1]], requires_grad=True)
    result = (x1 @ x2).sum()
    result.backward()
    assert x1.grad.tolist() == [[7, 3], [7, 3]]
    assert x2.grad.tolist() == [[4, 4], [6, 6]]


def test_mytorch_readme():
    a = norch.ones(1, requires_grad=True)
    b = a + 2
    c = b**2
    c.backward()
    assert (c.tolist(), a.grad.tolist()) == ([9], [6])
