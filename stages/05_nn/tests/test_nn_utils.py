"""Clipping gradients, parameters as a vector, writing, and the summary of a model."""

import math

import pytest

import norch_autograd as norch
import norch_nn as nn
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
