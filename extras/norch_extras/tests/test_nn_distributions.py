"""Distributions: what is drawn is distributed so, its probability, and gradients to parameters."""

import math

import pytest

import norch_autograd as norch
from norch_extras.distributions import (
    Bernoulli,
    Categorical,
    Distribution,
    Normal,
    Uniform,
    kl_divergence,
)

ROWS = norch.tensor([[0.2, 0.5, 0.3], [0.6, 0.4, 0.0]])
MADE = {
    "normal": lambda: Normal(norch.tensor([0.0, 2.0]), norch.tensor([1.0, 0.5])),
    "uniform": lambda: Uniform(norch.tensor([0.0, -1.0]), norch.tensor([2.0, 3.0])),
    "bernoulli": lambda: Bernoulli(norch.tensor([0.3, 0.8])),
    "bernoulli by logits": lambda: Bernoulli(logits=norch.tensor([-1.0, 2.0])),
}


@pytest.mark.parametrize("name", MADE)
def test_draws_have_the_mean_and_the_variance(name):
    norch.manual_seed(1)
    made = MADE[name]()
    drawn = made.sample((4000,))
    assert drawn.shape == (4000, 2) and made.sample().shape == made.batch_shape == (2,)
    assert norch.allclose(drawn.mean(0), made.mean, atol=0.06)
    assert norch.allclose(drawn.var(0), made.variance, atol=0.1)
    assert norch.allclose(made.stddev**2, made.variance)
    surprise = -made.log_prob(drawn).mean(0)
    assert norch.allclose(surprise, made.entropy(), atol=0.05)
    assert norch.allclose(made.perplexity(), made.entropy().exp())


@pytest.mark.parametrize("name", ["normal", "uniform"])
def test_probabilities_go_both_ways(name):
    made = MADE[name]()
    parts = norch.tensor([[0.1, 0.3], [0.5, 0.9]])
    at = made.icdf(parts)
    assert norch.allclose(made.cdf(at), parts, atol=1e-6)


def test_classes_are_drawn_as_often_as_they_are_likely():
    norch.manual_seed(1)
    made = Categorical(ROWS * 7)
    drawn = made.sample((3000,))
    assert drawn.shape == (3000, 2) and drawn.dtype is norch.int64
    for row, probs in zip(drawn.T, ROWS, strict=True):
        counts = norch.bincount(row, minlength=3)
        assert norch.allclose(counts / 3000, probs, atol=0.03)
    assert made.sample((2, 5)).shape == (2, 5, 2)
    chosen = norch.tensor([1, 0])
    assert norch.allclose(made.log_prob(chosen).exp(), norch.tensor([0.5, 0.6]))
    assert made.log_prob(norch.tensor([[0], [1], [1]])).shape == (3, 2)
    assert made.mean.isnan().all() and made.mode.tolist() == [1, 0]


def test_a_reparameterized_draw_sends_gradients_back():
    loc, scale = (norch.tensor(v, requires_grad=True) for v in (0.5, 2.0))
    made = Normal(loc, scale)
    drawn = made.rsample((4,))
    drawn.sum().backward()
    noise = (drawn - loc) / scale
    assert loc.grad.item() == 4 and math.isclose(
        scale.grad.item(), noise.sum().item(), rel_tol=1e-5
    )
    assert made.has_rsample and not made.sample().requires_grad
    assert Uniform(loc, 3.0).rsample().requires_grad


def test_a_policy_gradient_reaches_the_logits_whoever_asked_first():
    logits = norch.tensor([0.1, 0.2, 0.7], requires_grad=True)
    policy = Categorical(logits=logits)
    with norch.no_grad():
        policy.sample(), policy.probs
    policy.probs[0].backward()
    assert logits.grad is not None
    coin = Bernoulli(probs=norch.tensor(0.3, requires_grad=True))
    with norch.no_grad():
        assert not coin.sample().requires_grad and coin.logits.requires_grad
    assert coin.log_prob(norch.tensor(1.0)).requires_grad


def estimated(p, q, count=20000):
    drawn = p.sample((count,))
    return (p.log_prob(drawn) - q.log_prob(drawn)).mean(0)


@pytest.mark.parametrize(
    ("p", "q"),
    [
        (MADE["normal"](), Normal(0.5, 1.5)),
        (MADE["bernoulli"](), MADE["bernoulli by logits"]()),
        (MADE["uniform"](), Uniform(-3.0, 4.0)),
        (Categorical(ROWS), Categorical(norch.tensor([[0.3, 0.3, 0.4]]))),
    ],
    ids=lambda d: type(d).__name__,
)
def test_the_divergence_is_the_mean_of_the_difference(p, q):
    norch.manual_seed(1)
    assert norch.allclose(kl_divergence(p, q), estimated(p, q), atol=0.05)
    assert norch.allclose(kl_divergence(p, p), norch.zeros(2), atol=1e-6)


def test_the_divergence_is_infinite_where_a_draw_would_be_impossible():
    never, always, fair = (Bernoulli(p) for p in (0.0, 1.0, 0.5))
    assert math.isinf(kl_divergence(fair, never)) and math.isinf(kl_divergence(fair, always))
    assert math.isfinite(kl_divergence(never, fair))
    assert math.isinf(kl_divergence(Uniform(0.0, 2.0), Uniform(0.0, 1.0)))
    some = Categorical(norch.tensor([1.0, 1.0, 0.0]))
    assert math.isinf(kl_divergence(Categorical(norch.ones(3)), some))
    assert math.isfinite(kl_divergence(some, Categorical(norch.ones(3))))


BAD = [
    (lambda: Normal(0.0, 0.0), ValueError, r"\[Normal\] scale must be above 0"),
    (lambda: Normal(norch.tensor([math.nan]), 1.0), ValueError, "loc must be real numbers"),
    (lambda: Uniform(1.0, 1.0), ValueError, r"\[Uniform\] low must be below high"),
    (lambda: Bernoulli(1.5), ValueError, r"\[Bernoulli\] probs must be in \[0, 1\]"),
    (lambda: Bernoulli(0.5, 0.0), ValueError, "give either probs or logits"),
    (lambda: Bernoulli(), ValueError, "give either probs or logits"),
    (lambda: Categorical(), ValueError, "give either probs or logits"),
    (lambda: Categorical(norch.tensor([-1.0, 2.0])), ValueError, "probs must be rows of prob"),
    (lambda: Categorical(norch.zeros(2)), ValueError, "finite numbers, 0 or more, not all"),
    (lambda: Categorical(norch.tensor(1.0)), ValueError, "probs must have a dimension"),
    (lambda: Categorical(logits=norch.tensor([math.nan, 1])), ValueError, "logits must be real"),
    (lambda: Normal(0.0, 1.0).log_prob(1.0), ValueError, "value must be a Tensor, not float"),
    (lambda: Normal(norch.zeros(3), 1.0).log_prob(norch.zeros(2)), ValueError, "not broadcast"),
    (lambda: Bernoulli(0.5).log_prob(norch.tensor(0.5)), ValueError, "value must be 0 or 1"),
    (lambda: Uniform(0.0, 1.0).log_prob(norch.tensor(3.0)), ValueError, "value must be between"),
    (lambda: Categorical(ROWS).log_prob(norch.tensor([3, 0])), ValueError, "numbers from 0 to 2"),
    (lambda: Categorical(ROWS).rsample(), NotImplementedError, "use sample"),
    (lambda: kl_divergence(Normal(0.0, 1.0), Bernoulli(0.5)), NotImplementedError, "estimate it"),
    (lambda: Distribution().entropy(), NotImplementedError, "has no entropy"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "words"), BAD)
def test_what_makes_no_sense_is_refused(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


def test_checks_can_be_left_out():
    wide = Normal(0.0, -1.0, validate_args=False)
    assert wide.log_prob(norch.tensor([1.0])).isnan().all()
    assert math.isinf(Uniform(0.0, 1.0, validate_args=False).log_prob(norch.tensor(3.0)))
    assert repr(Normal(norch.zeros(2), 1.0)).startswith("Normal(loc: norch.Size([2]), scale:")
