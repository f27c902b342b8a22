"""Writes files as torch.save does, without PyTorch: pickles put together opcode by opcode.

For the tests of `load`. `Global`, `Call` and `Storage` write what a pickle of a tensor holds; `Raw`
writes anything, also what torch.save never would.
"""

import io
import pickle
import struct
import sys
import zipfile
from collections import OrderedDict
from typing import Any, NamedTuple


class Global(NamedTuple):
    """A name in a pickle."""

    module: str
    name: str


class Call(NamedTuple):
    """REDUCE: a name called with arguments."""

    function: Any
    arguments: tuple


class Storage(NamedTuple):
    """The id of a storage in a zip archive."""

    kind: str
    key: str
    count: int
    location: str = "cpu"


class Raw(NamedTuple):
    """Opcodes as they are."""

    opcodes: bytes


def opcodes(value):
    """The opcodes of protocol 2 that put `value` on the stack."""
    if isinstance(value, Raw):
        return value.opcodes
    if isinstance(value, Global):
        return f"c{value.module}\n{value.name}\n".encode()
    if isinstance(value, Call):
        return opcodes(value.function) + opcodes(tuple(value.arguments)) + b"R"
    if isinstance(value, Storage):
        kind = Global("torch", value.kind)
        saved = ("storage", kind, value.key, value.location, value.count, *OLDER)
        return opcodes(saved) + b"Q"
    if isinstance(value, OrderedDict):
        return opcodes(Call(Global("collections", "OrderedDict"), ())) + filled(value)
    if type(value) is dict:
        return b"}" + filled(value)
    if type(value) in (list, tuple):
        inside = b"".join(map(opcodes, value))
        return b"(" + inside + b"t" if type(value) is tuple else b"](" + inside + b"e"
    return pickle.dumps(value, 2)[2:-1]


OLDER = []  # what the id of a storage has besides in an older file: set by `older_file`


def filled(value):
    """The opcodes that fill a dict."""
    return b"(" + b"".join(opcodes(k) + opcodes(v) for k, v in value.items()) + b"u"


def tensor(storage, size, stride, offset=0, requires_grad=False):
    """What a tensor is in a pickle."""
    arguments = (storage, offset, size, stride, requires_grad, OrderedDict())
    return Call(Global("torch._utils", "_rebuild_tensor_v2"), arguments)


def pickled(value, protocol=2):
    """A whole pickle."""
    return b"\x80" + bytes([protocol]) + opcodes(value) + b"."


def zip_file(value, storages=None, order="little", folder="archive", extra=None, **options):
    """A file of PyTorch 1.6 or later; `value` is an object or the bytes of a pickle."""
    content = value if isinstance(value, bytes) else pickled(value)
    entries = {"data.pkl": content, "byteorder": order.encode()}
    entries |= {f"data/{key}": data for key, data in (storages or {}).items()}
    entries |= {"version": b"3\n", **(extra or {})}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", **options) as archive:
        for name, data in entries.items():
            if data is not None:
                archive.writestr(f"{folder}/{name}", data)
    return file.getvalue()


def older_file(value, storages, magic=0x1950A86A20F9469CFC6C):
    """A file of PyTorch before 1.6; `storages` gives (count, bytes) by key."""
    system = {
        "protocol_version": 1001,
        "little_endian": sys.byteorder == "little",
        "type_sizes": {},
    }
    OLDER.append(None)
    try:
        parts = [pickled(part) for part in (magic, 1001, system, value, sorted(storages))]
    finally:
        OLDER.clear()
    for key in sorted(storages):
        count, data = storages[key]
        parts.append(struct.pack("<q", count) + data)
    return b"".join(parts)
