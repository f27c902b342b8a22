"""kl_divergence under PyTorch's longer name: re-exported from stage 5, `norch_nn.distributions`."""

from norch_nn.distributions import kl_divergence as kl_divergence
