"""The summary of a model, and weight_norm."""

from types import SimpleNamespace

import pytest

import norch_autograd as norch
import norch_nn as nn
from norch_extras.parametrize import remove_weight_norm, weight_norm
from norch_extras.parametrize.norm_hooks import WeightNorm
from norch_extras.summary import summary


def test_summary_counts_and_leaves_no_trace():
    model = nn.Sequential(
        nn.Flatten(),
        nn.Linear(6, 4),
        nn.Sequential(nn.BatchNorm1d(4), nn.Dropout()),
        nn.Linear(4, 2),
    )
    model[1].requires_grad_(False)
    model[2].eval()
    before = {name: t.clone() for name, t in model.state_dict().items()}
    result = summary(model, (5, 2, 3))
    assert result.total == 28 + 8 + 10 and result.trainable == 18
    assert [(row.path, row.output, row.parameters) for row in result.rows] == [
        ("", "(5, 2)", 0),
        ("0", "(5, 6)", 0),
        ("1", "(5, 4)", 28),
        ("2", "(5, 4)", 0),
        ("2.0", "(5, 4)", 8),
        ("2.1", "(5, 4)", 0),
        ("3", "(5, 2)", 10),
    ]
    assert "    2.0: BatchNorm1d" in str(result) and "28" in str(result)
    assert model.training and not model[2].training and not model[0]._hooks_of("forward")
    assert all(norch.equal(t, before[name]) for name, t in model.state_dict().items())


def test_summary_of_several_inputs_and_outputs():
    class Pair(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(4, 2)
            self.unused = nn.Linear(1, 1)
            self.tied = self.table

        def forward(self, names, x):
            return {"rows": self.table(names), "both": (x, [x])}

    result = summary(Pair(), [(3,), (1, 2)], dtypes=[norch.int64, norch.float32])
    assert result.rows[0].output == "(3, 2), (1, 2), (1, 2)" and result.total == 10
    assert [row.output for row in result.rows[1:]] == ["(3, 2)", "not called"]
    with pytest.raises(ValueError, match="1 dtypes were given for 2 inputs"):
        summary(Pair(), [(3,), (1, 2)], dtypes=[norch.int64])


def test_summary_that_fails_leaves_the_model_as_it_was():
    model = nn.Sequential(nn.Linear(3, 2))
    with pytest.raises(RuntimeError, match="4"):
        summary(model, (1, 4))
    assert model.training and not model[0]._hooks_of("forward")


def test_weight_norm_learns_length_and_direction_apart():
    layer, x = nn.Linear(3, 2), norch.randn(4, 3)
    before, weight = layer(x), layer.weight.detach().clone()
    assert weight_norm(layer) is layer
    assert norch.allclose(layer(x), before, atol=1e-6)
    assert list(layer.state_dict()) == ["bias", "weight_g", "weight_v"]
    layer(x).sum().backward()
    v, grad = layer.weight_v, layer.weight_v.grad
    assert norch.allclose((v * grad).sum(1), norch.zeros(2), atol=1e-5)  # the length is g's
    with norch.no_grad():
        layer.weight_g.mul_(2)
    assert norch.allclose(layer(x) - layer.bias, 2 * (before - layer.bias), atol=1e-5)
    remove_weight_norm(layer)
    assert norch.allclose(layer.weight, 2 * weight, atol=1e-6)
    assert sorted(layer.state_dict()) == ["bias", "weight"]


@pytest.mark.parametrize("dim", [0, 1, None])
def test_weight_norm_has_second_derivatives(dim):
    layer = weight_norm(nn.Linear(3, 2).double(), dim=dim)
    x = norch.randn(4, 3, dtype=norch.float64, requires_grad=True)
    g, v = (p.detach().clone().requires_grad_() for p in (layer.weight_g, layer.weight_v))

    def forward(x, g, v):
        weight = WeightNorm("weight", dim).weight_of(SimpleNamespace(weight_g=g, weight_v=v))
        return nn.functional.linear(x, weight, layer.bias.detach()).tanh()

    assert norch.allclose(forward(x, g, v), layer(x).tanh())
    assert norch.gradcheck(forward, (x, g, v))
    assert norch.gradgradcheck(forward, (x, g, v))


def test_weight_norm_is_refused_where_it_cannot_be():
    layer = weight_norm(nn.Conv1d(2, 3, 2), dim=None)
    assert layer.weight_g.shape == ()
    with pytest.raises(RuntimeError, match="a weight_norm already"):
        weight_norm(layer)
    with pytest.raises(ValueError, match="no parameter 'w'"):
        weight_norm(nn.Linear(1, 1), "w")
    with pytest.raises(ValueError, match="has none"):
        remove_weight_norm(nn.Linear(1, 1))
