"""Tensors and plain values in files: safetensors, written whole or not at all; no pickle."""

# fmt: off
from norch_nn.serialization.safetensors import load as load, save as save
