"""Distributions: drawing from them, and the probability of what was drawn; for policies and VAEs.

`norch.distributions` re-exports these names.
"""

from norch_nn.distributions.bernoulli import Bernoulli as Bernoulli
from norch_nn.distributions.categorical import Categorical as Categorical
from norch_nn.distributions.distribution import Distribution as Distribution
from norch_nn.distributions.kl import kl_divergence as kl_divergence
from norch_nn.distributions.normal import Normal as Normal
from norch_nn.distributions.uniform import Uniform as Uniform
