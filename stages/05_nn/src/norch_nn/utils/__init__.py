"""Around models: clipping gradients, parameters as one vector, writing text.

`norch.nn.utils` re-exports them.
"""

# fmt: off
# ruff: noqa: I001
from norch_nn.utils.clip_grad import (
    clip_grad_norm as clip_grad_norm, clip_grad_norm_ as clip_grad_norm_,
    clip_grad_value_ as clip_grad_value_, clip_grads_with_norm_ as clip_grads_with_norm_,
    get_total_norm as get_total_norm,
)
from norch_nn.utils.convert_parameters import (
    parameters_to_vector as parameters_to_vector, vector_to_parameters as vector_to_parameters,
)
from norch_nn.utils.generation import KVCache as KVCache, sample_token as sample_token
