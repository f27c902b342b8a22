"""save and load: safetensors files, written whole or not at all; other kinds may be registered."""

from norch_nn.serialization.formats import register_format as register_format
from norch_nn.serialization.save_load import load as load, save as save
