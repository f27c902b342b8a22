"""save and load: safetensors files, written whole or not at all; no pickle."""

# fmt: off
from norch_nn.serialization.safetensors import load as load, save as save
