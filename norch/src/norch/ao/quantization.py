"""Models with weights of int8: re-exported from stage 5, `norch_nn`."""

from norch_nn.modules.linear import quantize_dynamic as quantize_dynamic
