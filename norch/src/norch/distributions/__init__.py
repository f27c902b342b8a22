"""Distributions: re-exported from stage 5, `norch_nn.distributions`."""

from norch.distributions import (
    bernoulli as bernoulli,
    categorical as categorical,
    distribution as distribution,
    kl as kl,
    normal as normal,
    uniform as uniform,
)
from norch_nn.distributions import (
    Bernoulli as Bernoulli,
    Categorical as Categorical,
    Distribution as Distribution,
    Normal as Normal,
    Uniform as Uniform,
    kl_divergence as kl_divergence,
)
