"""Layers that round their input to int8 when it comes: re-exported from stage 5, `norch_nn`."""

from norch_extras.quantization import DynamicQuantizedLinear as Linear  # noqa: F401
