"""The safetensors format in Python alone, for a Python that cannot load its package (Rust).

It has what `norch_nn.serialization.safetensors` calls, and writes what the package writes, byte for
byte. It checks what a file must hold to be read; the words of its errors are its own.
"""

import ctypes
import json
from math import prod
from typing import NamedTuple

IN_FILE = {
    "float64": "F64",
    "float32": "F32",
    "float16": "F16",
    "bfloat16": "BF16",
    "int64": "I64",
    "int32": "I32",
    "int16": "I16",
    "int8": "I8",
    "uint8": "U8",
    "bool": "BOOL",
}
"""A dtype's name in a file."""
WIDEST_FIRST = ("I64", "F64", "F32", "I32", "BF16", "F16", "I16", "I8", "U8", "BOOL")
"""The order of the elements in a file; tensors of one dtype stand in the order of their names."""
SIZES = {"I64": 8, "F64": 8, "F32": 4, "I32": 4, "BF16": 2, "F16": 2, "I16": 2}
HEAD = 8  # bytes that say how long the header is; it is filled up to a multiple of as many


class SafetensorError(Exception):
    """What is wrong with a file."""


class TensorSpec(NamedTuple):
    """A tensor in memory."""

    dtype: str
    shape: list[int]
    data_ptr: int
    data_len: int


def serialize(specs: dict[str, TensorSpec], metadata: dict[str, str] | None = None) -> bytes:
    """Return the content of a file with these tensors and this text."""
    header: dict[str, object] = {"__metadata__": metadata} if metadata is not None else {}
    parts, end = [], 0
    for name in sorted(specs, key=lambda name: (_place(specs[name]), name.encode())):
        spec = specs[name]
        begin, end = end, end + spec.data_len
        kind = IN_FILE[spec.dtype]
        header[name] = {"dtype": kind, "shape": list(spec.shape), "data_offsets": [begin, end]}
        parts.append(ctypes.string_at(spec.data_ptr, spec.data_len) if spec.data_len else b"")
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % HEAD)
    return b"".join([len(text).to_bytes(HEAD, "little"), text, *parts])


def _place(spec: TensorSpec) -> int:
    if spec.dtype not in IN_FILE:
        raise SafetensorError(f"unknown dtype {spec.dtype!r}")
    return WIDEST_FIRST.index(IN_FILE[spec.dtype])


def deserialize(data: bytes) -> list[tuple[str, dict[str, object]]]:
    """Return names and {"dtype", "shape", "data"}, in the order of the data."""
    start = HEAD + int.from_bytes(data[:HEAD], "little")
    try:
        header = json.loads(data[HEAD:start])
        header.pop("__metadata__", None)
        order = sorted(header, key=lambda name: header[name]["data_offsets"])
        end, found = 0, []
        for name in order:
            begin, end = _piece(header[name], end)
            part = {"dtype": header[name]["dtype"], "shape": header[name]["shape"]}
            found.append((name, part | {"data": data[start + begin : start + end]}))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SafetensorError(f"Error while deserializing header: {error}") from error
    if len(data) != start + end:
        raise SafetensorError("Error while deserializing: the file is not as long as it says")
    return found


def _piece(entry: dict, after: int) -> tuple[int, int]:
    begin, end = entry["data_offsets"]
    if begin != after or end - begin != prod(entry["shape"]) * SIZES.get(entry["dtype"], 1):
        raise ValueError("the places of the data do not fit")
    return begin, end
