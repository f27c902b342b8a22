"""Weights computed from other parameters, as torch.nn.utils.parametrize does.

The page book/library/nn_utils.md names them.
"""

from norch_extras.parametrize import (
    parametrizations as parametrizations,
    parametrize as parametrize,
)
from norch_extras.parametrize.spectral_norm import (
    remove_spectral_norm as remove_spectral_norm,
    spectral_norm as spectral_norm,
)
from norch_extras.parametrize.weight_norm import (
    remove_weight_norm as remove_weight_norm,
    weight_norm as weight_norm,
)
