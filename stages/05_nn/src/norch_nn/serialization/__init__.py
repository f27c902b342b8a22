"""save and load: safetensors files, written whole or not at all; torch.save's files are read."""

from typing import Any, BinaryIO

from norch_nn.serialization.files import Place
from norch_nn.serialization.formats import (
    TORCH_SAVE,
    begins_as_pickle,
    begins_as_zip,
    register_format,
)
from norch_nn.serialization.save_load import load as load, save as save


def _read_zip(file: BinaryIO, place: Place, mapped: bool) -> Any:
    from norch_nn.serialization import torch_files  # it loads zipfile and more, slow to import

    return torch_files.read_zip(file, place, mapped)


def _read_pickles(file: BinaryIO, place: Place, mapped: bool) -> Any:
    from norch_nn.serialization import torch_files

    return torch_files.read_pickles(file, place)


register_format(TORCH_SAVE, begins_as_zip, _read_zip)
register_format(TORCH_SAVE, begins_as_pickle, _read_pickles)
