"""kl_divergence: how far one distribution is from another of its kind, as a formula."""

from __future__ import annotations

import math
from collections.abc import Callable

from norch_autograd import Tensor, where
from norch_extras.distributions.continuous import Normal, Uniform
from norch_extras.distributions.discrete import Bernoulli, Categorical
from norch_extras.distributions.distribution import Distribution
from norch_nn.functional import softplus


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """Return KL(p | q), the mean under p of log p(x) - log q(x); inf where q forbids what p draws.

    >>> kl_divergence(Normal(1.0, 1.0), Normal(0.0, 1.0))
    tensor(0.5000)
    """
    for kind, formula in FORMULAS.items():
        if isinstance(p, kind) and isinstance(q, kind):
            return formula(p, q)
    raise NotImplementedError(
        f"[kl_divergence] no formula for {type(p).__name__} and {type(q).__name__}: estimate it by "
        "the mean of p.log_prob(x) - q.log_prob(x) over x = p.sample((n,))"
    )


def _normal(p: Normal, q: Normal) -> Tensor:
    """KL of two normal distributions."""
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


def _uniform(p: Uniform, q: Uniform) -> Tensor:
    """KL of two uniform distributions: inf where p draws outside of q."""
    outside = (q.low > p.low) | (q.high < p.high)
    return where(outside, math.inf, ((q.high - q.low) / (p.high - p.low)).log())


def _bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    """KL of two Bernoulli distributions: a term for 1 and one for 0."""
    one = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    zero = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    one = where(p.probs == 0, 0.0, where(q.probs == 0, math.inf, one))
    zero = where(p.probs == 1, 0.0, where(q.probs == 1, math.inf, zero))
    return one + zero


def _categorical(p: Categorical, q: Categorical) -> Tensor:
    """KL of two categorical distributions, summed over the classes."""
    terms = p.probs * (p.logits - q.logits)
    return where(p.probs == 0, 0.0, where(q.probs == 0, math.inf, terms)).sum(-1)


FORMULAS: dict[type, Callable[..., Tensor]] = {
    Normal: _normal,
    Uniform: _uniform,
    Bernoulli: _bernoulli,
    Categorical: _categorical,
}
