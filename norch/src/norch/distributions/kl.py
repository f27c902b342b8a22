"""kl_divergence under PyTorch's longer name: from `norch_extras.distributions`."""

from norch_extras.distributions import kl_divergence as kl_divergence
