"""Parametrizations, and the spectral norm by hook and by parametrization."""

import copy

import pytest

import norch_autograd as norch
import norch_nn as nn
from norch_extras.parametrize import (
    parametrizations,
    parametrize,
    remove_spectral_norm,
    spectral_norm,
)


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).mT

    def right_inverse(self, x):
        return x.triu()


class Doubled(nn.Module):
    def forward(self, x):
        return 2 * x

    def right_inverse(self, x):
        return x / 2


class Longer(nn.Module):
    def forward(self, x):
        return norch.cat([x, x])


def symmetric():
    return parametrize.register_parametrization(nn.Linear(3, 3), "weight", Symmetric())


def test_a_parametrized_weight_is_computed_and_learned():
    layer = symmetric()
    assert repr(type(layer).__name__) == "'ParametrizedLinear'" and isinstance(layer, nn.Linear)
    assert layer.weight.tolist() == layer.weight.mT.tolist()
    layer(norch.ones(1, 3)).sum().backward()
    grad = layer.parametrizations.weight.original.grad
    assert grad.tolist() == [[1, 2, 2], [0, 1, 2], [0, 0, 1]]
    assert list(layer.state_dict()) == ["bias", "parametrizations.weight.original"]
    copied = copy.deepcopy(layer)
    assert copied.weight.tolist() == layer.weight.tolist()


def test_what_is_assigned_goes_back_through_the_right_inverse():
    layer = symmetric()
    parametrize.register_parametrization(layer, "weight", Doubled())
    before = layer.weight.tolist()
    assert len(layer.parametrizations.weight) == 2
    layer.weight = norch.ones(3, 3)
    assert layer.weight.tolist() == [[1.0] * 3] * 3 != before


def test_a_block_computes_once():
    layer = symmetric()
    assert layer.weight is not layer.weight
    with parametrize.cached():
        first = layer.weight
        with parametrize.cached():
            assert layer.weight is first
        assert layer.weight is first
    assert layer.weight is not first


@pytest.mark.parametrize("leave", [True, False])
def test_a_parametrization_is_removed(leave):
    layer = symmetric()
    computed = layer.weight.detach()
    original = layer.parametrizations.weight.original
    started = original.detach().clone()
    parametrize.remove_parametrizations(layer, "weight", leave_parametrized=leave)
    assert type(layer) is nn.Linear and layer.weight is original
    assert layer.weight.tolist() == (computed if leave else started).tolist()
    assert not parametrize.is_parametrized(layer)


def test_a_buffer_is_parametrized():
    net = nn.Module()
    net.register_buffer("scale", norch.ones(2))
    parametrize.register_parametrization(net, "scale", Doubled())
    assert net.scale.tolist() == [1.0, 1.0] and not list(net.parameters())
    parametrize.remove_parametrizations(net, "scale")
    assert list(net.state_dict()) == ["scale"]


def test_weight_norm_keeps_the_weight():
    layer = nn.Linear(3, 2)
    before = layer.weight.detach().clone()
    parametrizations.weight_norm(layer)
    assert norch.allclose(layer.weight, before)
    parametrize.remove_parametrizations(layer, "weight")
    assert norch.allclose(layer.weight, before) and isinstance(layer.weight, nn.Parameter)


@pytest.mark.parametrize(
    "layer", [nn.Linear(5, 3), nn.Conv2d(2, 4, 3), nn.ConvTranspose1d(3, 2, 2)]
)
@pytest.mark.parametrize("norm", [parametrizations.spectral_norm, spectral_norm])
def test_the_largest_singular_value_becomes_one(layer, norm):
    norch.manual_seed(1)
    layer = norm(copy.deepcopy(layer), n_power_iterations=40)
    shape = {"Linear": (1, 5), "Conv2d": (1, 2, 4, 4), "ConvTranspose1d": (1, 3, 4)}
    kind = next(name for name in shape if isinstance(layer, getattr(nn, name)))
    layer(norch.randn(*shape[kind])).sum().backward()
    weight = layer.weight.detach()
    matrix = (weight.transpose(0, 1) if kind == "ConvTranspose1d" else weight).flatten(1)
    v = norch.ones(matrix.shape[1])
    for _ in range(200):
        v = nn.functional.normalize(matrix.mT @ (matrix @ v), dim=0)
    assert (matrix @ v).norm().item() == pytest.approx(1.0, abs=1e-3)


def test_a_spectral_norm_stands_still_in_evaluation():
    layer = spectral_norm(nn.Linear(3, 2)).eval()
    u = layer.weight_u.tolist()
    layer(norch.ones(1, 3))
    assert layer.weight_u.tolist() == u
    remove_spectral_norm(layer)
    assert list(layer.state_dict()) == ["bias", "weight"]


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda m: parametrize.register_parametrization(m, "nope", Doubled()), ValueError, "nope"),
        (
            lambda m: parametrize.register_parametrization(m, "weight", Longer()),
            ValueError,
            "shape",
        ),
        (lambda m: parametrize.remove_parametrizations(m, "weight"), ValueError, "has none"),
        (lambda m: spectral_norm(m, n_power_iterations=0), ValueError, "above 0, not 0"),
        (lambda m: spectral_norm(m, "nope"), ValueError, "no parameter 'nope'"),
        (lambda m: spectral_norm(spectral_norm(m)), RuntimeError, "has a spectral_norm already"),
        (remove_spectral_norm, ValueError, "has none"),
        (lambda m: parametrizations.spectral_norm(m, "nope"), ValueError, "no parameter 'nope'"),
        (lambda m: parametrizations.spectral_norm(m, dim=5), IndexError, "dim 5 is none of 2"),
    ],
)
def test_refusals(act, error, message):
    with pytest.raises(error, match=message):
        act(nn.Linear(3, 2))


def test_a_spectral_norm_by_a_hook_asks_v_first():
    layer = spectral_norm(nn.Linear(2, 2, bias=False))
    with norch.no_grad():
        layer.weight_orig.copy_(norch.tensor([[0.0, 2.0], [1.0, 0.0]]))
        layer.weight_u.copy_(norch.tensor([1.0, 0.0]))
        layer.weight_v.copy_(norch.tensor([1.0, 0.0]))
    layer(norch.ones(1, 2))
    assert layer.weight_v.tolist() == [0, 1] and layer.weight_u.tolist() == [1, 0]
