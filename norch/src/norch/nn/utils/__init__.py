"""Helpers around models: re-exported from stage 5, `norch_nn.utils`."""

from norch.nn.utils import (
    parametrizations as parametrizations,
    parametrize as parametrize,
    rnn as rnn,
)
from norch_extras.legacy import skip_init as skip_init
from norch_extras.parametrize import (
    remove_spectral_norm as remove_spectral_norm,
    remove_weight_norm as remove_weight_norm,
    spectral_norm as spectral_norm,
    weight_norm as weight_norm,
)
from norch_extras.summary import summary as summary
from norch_nn.utils import (
    KVCache as KVCache,
    clip_grad_norm as clip_grad_norm,
    clip_grad_norm_ as clip_grad_norm_,
    clip_grad_value_ as clip_grad_value_,
    clip_grads_with_norm_ as clip_grads_with_norm_,
    get_total_norm as get_total_norm,
    parameters_to_vector as parameters_to_vector,
    sample_token as sample_token,
    vector_to_parameters as vector_to_parameters,
)
