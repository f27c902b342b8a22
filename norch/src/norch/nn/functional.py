"""Layers as plain functions: re-exported from stage 5, `norch_nn.functional`."""

from norch_nn.functional import (
    cross_entropy as cross_entropy,
    dropout as dropout,
    linear as linear,
    log_softmax as log_softmax,
    mse_loss as mse_loss,
    relu as relu,
    sigmoid as sigmoid,
    softmax as softmax,
    tanh as tanh,
)
