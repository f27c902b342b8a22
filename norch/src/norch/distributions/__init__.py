"""Distributions: from `norch_extras.distributions`."""

from norch.distributions import (
    bernoulli as bernoulli,
    categorical as categorical,
    distribution as distribution,
    kl as kl,
    normal as normal,
    uniform as uniform,
)
from norch_extras.distributions import (
    Bernoulli as Bernoulli,
    Categorical as Categorical,
    Distribution as Distribution,
    Normal as Normal,
    Uniform as Uniform,
    kl_divergence as kl_divergence,
)
