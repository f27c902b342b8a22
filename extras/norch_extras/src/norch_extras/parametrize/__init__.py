"""Weights computed from other parameters, as torch.nn.utils.parametrize does.

The page book/library/nn_utils.md names them.
"""

from norch_extras.parametrize import (
    parametrizations as parametrizations,
    parametrize as parametrize,
)
from norch_extras.parametrize.norm_hooks import (
    remove_spectral_norm as remove_spectral_norm,
    remove_weight_norm as remove_weight_norm,
    spectral_norm as spectral_norm,
    weight_norm as weight_norm,
)
