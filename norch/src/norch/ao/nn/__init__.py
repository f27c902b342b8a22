"""Layers whose weights are int8: `norch.ao.nn.quantized.dynamic`."""
