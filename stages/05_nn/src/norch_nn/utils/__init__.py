"""Helpers around models: clipping gradients, parameters as one vector, a summary.

`norch.nn.utils` re-exports them.
"""

from norch_nn.utils import parametrizations, parametrize, rnn
from norch_nn.utils.clip_grad import clip_grad_norm_, clip_grad_value_
from norch_nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters
from norch_nn.utils.init import skip_init
from norch_nn.utils.spectral_norm import remove_spectral_norm, spectral_norm
from norch_nn.utils.summary import summary
from norch_nn.utils.total_norm import clip_grads_with_norm_, get_total_norm
from norch_nn.utils.weight_norm import (
    remove_weight_norm,
    weight_norm,
)

__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
    "parameters_to_vector",
    "parametrizations",
    "parametrize",
    "remove_spectral_norm",
    "remove_weight_norm",
    "rnn",
    "skip_init",
    "spectral_norm",
    "summary",
    "vector_to_parameters",
    "weight_norm",
]
