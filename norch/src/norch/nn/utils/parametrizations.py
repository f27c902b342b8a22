"""Ready parametrizations: from `norch_extras.parametrize.parametrizations`."""

from norch_extras.parametrize.parametrizations import (
    spectral_norm as spectral_norm,
    weight_norm as weight_norm,
)
