"""Clipping gradients, parameters as a vector, writing, and the summary of a model."""

import math
from types import SimpleNamespace

import pytest

import norch_autograd as norch
import norch_nn as nn
from norch_extras.parametrize import remove_weight_norm, weight_norm
from norch_extras.parametrize.weight_norm import WeightNorm
from norch_extras.summary import summary
from norch_nn import utils


def two(first=(3.0, 0.0), second=((0.0,), (4.0,))):
    """Two parameters with these gradients, and one without."""
    parameters = []
    for grad in (first, second):
        p = nn.Parameter(norch.zeros(*norch.tensor(grad).shape))
        p.grad = norch.tensor(grad)
        parameters.append(p)
    return [*parameters, nn.Parameter(norch.zeros(2))]


@pytest.mark.parametrize(
    ("norm_type", "length"), [(2, 5.0), (2.0, 5.0), (1, 7.0), (math.inf, 4.0), (3, 91 ** (1 / 3))]
)
def test_clip_grad_norm_shortens_all_by_one_factor(norm_type, length):
    params = two()
    total = utils.clip_grad_norm_(iter(params), 1.0, norm_type)
    assert total.item() == pytest.approx(length) and total.shape == ()
    assert params[0].grad.tolist() == pytest.approx([3 / length, 0], rel=1e-5)
    assert params[1].grad[1].item() == pytest.approx(4 / length, rel=1e-5)
    assert params[2].grad is None


def test_clip_grad_norm_leaves_short_gradients_alone():
    params = two()
    before = params[0].grad
    assert utils.clip_grad_norm_(params, 100.0).item() == 5
    assert params[0].grad is before and before.tolist() == [3, 0]
    assert utils.clip_grad_norm_([], 1.0).item() == 0
    assert utils.clip_grad_norm_(params[0], 1.5).item() == 3


def test_clip_grad_norm_of_infinite_gradients():
    with pytest.raises(RuntimeError, match="the length of the gradients is inf"):
        utils.clip_grad_norm_(two((math.inf, 0.0)), 1.0, error_if_nonfinite=True)
    assert utils.clip_grad_norm_(two((math.inf, 0.0)), 1.0).item() == math.inf


def test_clip_grad_value():
    params = two()
    utils.clip_grad_value_(params, 3.5)
    assert params[0].grad.tolist() == [3, 0] and params[1].grad.tolist() == [[0], [3.5]]


def test_parameters_to_vector_and_back():
    layer, other = nn.Linear(3, 2), nn.Linear(3, 2)
    objects = list(other.parameters())
    vector = utils.parameters_to_vector(layer.parameters())
    assert vector.tolist() == [*layer.weight.flatten().tolist(), *layer.bias.tolist()]
    utils.vector_to_parameters(vector, other.parameters())
    assert norch.equal(other.weight, layer.weight) and norch.equal(other.bias, layer.bias)
    assert all(a is b for a, b in zip(objects, other.parameters(), strict=True))
    (vector**2).sum().backward()
    assert norch.allclose(layer.bias.grad, 2 * layer.bias)
    with pytest.raises(RuntimeError, match="8 numbers are needed, the vector has 7"):
        utils.vector_to_parameters(vector[:7], other.parameters())
    with pytest.raises(TypeError, match="a Tensor is expected, not list"):
        utils.vector_to_parameters([1.0], other.parameters())


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


def test_a_cache_holds_what_was_joined():
    pieces = norch.randn(3, 2, 4, 7, 5).unbind(0)  # (N, heads, steps, width) of k, v, and q
    cache = utils.KVCache(8)
    for first, last in ((0, 4), (4, 5), (5, 7)):
        k, v = cache.extend(*(x[:, :, first:last] for x in pieces[:2]))
    assert cache.past == 7 and norch.equal(k, pieces[0]) and norch.equal(v, pieces[1])
    attended = (
        nn.functional.scaled_dot_product_attention(pieces[2], *kv) for kv in ((k, v), pieces[:2])
    )
    assert norch.allclose(*attended)


def test_a_cache_takes_the_dtype_of_what_comes_and_records_nothing():
    cache = utils.KVCache(2)
    k, v = cache.extend(
        norch.ones(1, 1, 1, 2, dtype=norch.float64, requires_grad=True),
        norch.ones(1, 1, 1, 3, dtype=norch.float16),
    )
    assert k.dtype == norch.float64 and v.dtype == norch.float16 and v.shape == (1, 1, 1, 3)
    assert not k.requires_grad


@pytest.mark.parametrize(
    ("k", "v"),
    [
        ((2, 1, 2, 4), (2, 1, 2, 5)),  # one head where two were: it would be repeated
        ((1, 2, 2, 4), (1, 2, 2, 5)),
        ((2, 2, 2, 1), (2, 2, 2, 5)),
        ((2, 2, 2, 4), (2, 2, 2, 1)),
        ((2, 2, 2, 4), (2, 2, 1, 5)),
        ((2, 2, 1, 4), (2, 2, 2, 5)),
        ((2, 2, 2, 4), (2, 1, 2, 5)),
        ((2, 2, 4), (2, 2, 5)),
        ((4,), (5,)),
    ],
)
def test_a_cache_never_repeats_what_does_not_fit(k, v):
    cache = utils.KVCache(6)
    full = (2, 2, 1, 4), (2, 2, 1, 5)
    cache.extend(*map(norch.zeros, full))
    held = cache.k.clone(), cache.v.clone()
    with pytest.raises(ValueError, match=r"\[KVCache\] keys .* and values .* do not fit"):
        cache.extend(norch.ones(*k), norch.ones(*v))
    assert cache.past == 1 and norch.equal(cache.k[:, :, :1], held[0][:, :, :1])
    assert norch.equal(cache.v[:, :, :1], held[1][:, :, :1])


@pytest.mark.parametrize(("k", "v"), [((1, 2, 3, 4), (1, 2, 1, 4)), ((1, 2, 3, 4), (1, 1, 3, 4))])
def test_a_cache_begins_with_keys_and_values_of_the_same_steps(k, v):
    cache = utils.KVCache(6)
    with pytest.raises(ValueError, match=r"\[KVCache\] keys .* and values .* do not fit"):
        cache.extend(norch.ones(*k), norch.ones(*v))
    assert cache.k is None and cache.past == 0


def test_a_full_cache_is_refused_whole():
    cache = utils.KVCache(3)
    cache.extend(norch.zeros(1, 1, 2, 1), norch.zeros(1, 1, 2, 1))
    with pytest.raises(ValueError, match="2 of 3 steps are taken, 2 more do not fit"):
        cache.extend(norch.ones(1, 1, 2, 1), norch.ones(1, 1, 2, 1))
    assert cache.past == 2 and cache.k[0, 0, 1, 0] == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"temperature": 0.0}, "temperature must be above 0, not 0.0"),
        ({"temperature": math.nan}, "temperature must be above 0"),
        ({"top_k": 0}, "top_k must be 1 or more, or None for all, not 0"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        utils.sample_token(norch.zeros(1, 3), **options)
