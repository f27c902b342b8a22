"""Clipping under PyTorch's longer name: re-exported from stage 5, `norch_nn.utils`."""

from norch_nn.utils import (
    clip_grad_norm_ as clip_grad_norm_,
    clip_grad_value_ as clip_grad_value_,
    clip_grads_with_norm_ as clip_grads_with_norm_,
    get_total_norm as get_total_norm,
)
