"""Models with weights of int8: re-exported from stage 5, `norch_nn`."""

from norch_extras.quantization import quantize_dynamic as quantize_dynamic
