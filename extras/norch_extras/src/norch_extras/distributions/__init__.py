"""Distributions: drawing from them, and the probability of what was drawn; for policies and VAEs.

The page book/library/autograd.md names them.
"""

from norch_extras.distributions.continuous import Normal as Normal, Uniform as Uniform
from norch_extras.distributions.discrete import Bernoulli as Bernoulli, Categorical as Categorical
from norch_extras.distributions.distribution import Distribution as Distribution
from norch_extras.distributions.kl import kl_divergence as kl_divergence
