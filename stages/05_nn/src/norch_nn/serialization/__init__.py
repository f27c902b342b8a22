"""save and load: safetensors files, written whole or not at all; torch.save's files are read."""

# fmt: off
from norch_nn.serialization.save_load import load as load, save as save
