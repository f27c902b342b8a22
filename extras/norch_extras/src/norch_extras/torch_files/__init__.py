"""Files of torch.save, read as data and never run, and torch.hub's cache of weights.

The page book/library/data.md names the hub; `load` reads such files from the moment
this is imported; what reads them (zipfile and more) is imported with the first such file.
"""

from typing import Any, BinaryIO

from norch_extras.torch_files.other_kinds import advice_on, refuse
from norch_nn.serialization.files import Place
from norch_nn.serialization.formats import (
    TORCH_SAVE,
    begins_as_pickle,
    begins_as_zip,
    register_format,
)


def _read_zip(file: BinaryIO, place: Place, mapped: bool) -> Any:
    """Read a zip file of torch.save for `load`."""
    from norch_extras.torch_files import readers

    return readers.read_zip(file, place, mapped)


def _read_pickles(file: BinaryIO, place: Place, mapped: bool) -> Any:
    """Read an older file of torch.save, pickles, for `load`."""
    from norch_extras.torch_files import readers

    return readers.read_pickles(file, place)


register_format("file of another kind", lambda head: advice_on(head) != "", refuse)
register_format(TORCH_SAVE, begins_as_zip, _read_zip)
register_format(TORCH_SAVE, begins_as_pickle, _read_pickles)
