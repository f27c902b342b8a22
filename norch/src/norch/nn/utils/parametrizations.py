"""Ready parametrizations: re-exported from stage 5, `norch_nn.utils.parametrizations`."""

from norch_nn.utils.parametrizations import (
    spectral_norm as spectral_norm,
    weight_norm as weight_norm,
)
