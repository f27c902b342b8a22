"""Kinds of files that `load` can read beside safetensors: how each begins, and who reads it.

load asks `format_of` first. A package above registers a kind with a function that imports what it
needs when it is called, so that `import norch` stays quick; nothing here opens a file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, BinaryIO, NamedTuple

from norch_nn.serialization.files import LoadError, Place

Read = Callable[[BinaryIO, Place, bool], Any]  # the file, where tensors go, whether it is mapped


class Format(NamedTuple):
    """A kind of file: its name in errors, whether a file's first bytes are its, and its reader."""

    name: str
    starts: Callable[[bytes], bool]
    read: Read


def begins_as_zip(head: bytes) -> bool:
    """Whether these are the first bytes of a zip archive, as torch.save writes since 1.6."""
    return head.startswith(b"PK\3\4")


def begins_as_pickle(head: bytes) -> bool:
    """Whether these are the first bytes of a pickle, and not of a safetensors file."""
    return head[:1] == b"\x80" and head[8:9] != b"{"


def _refuse_torch_save(file: BinaryIO, place: Place, mapped: bool) -> Any:
    """Say who reads a file of torch.save where nobody registered for it."""
    raise LoadError("it is a file of torch.save: `import norch` reads it")


TORCH_SAVE = "file of torch.save"
_formats = [
    Format(TORCH_SAVE, begins_as_zip, _refuse_torch_save),
    Format(TORCH_SAVE, begins_as_pickle, _refuse_torch_save),
]


def register_format(name: str, starts: Callable[[bytes], bool], read: Read) -> None:
    """Let `read` take the files that `starts` knows by their first bytes; the newest goes first."""
    _formats.insert(0, Format(name, starts, read))


def format_of(head: bytes) -> Format | None:
    """Return the registered kind of a file whose first bytes are `head`, or None."""
    return next((kind for kind in _formats if kind.starts(head)), None)
