"""Distribution under PyTorch's longer name: from `norch_extras.distributions`."""

from norch_extras.distributions import Distribution as Distribution
