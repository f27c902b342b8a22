"""The safetensors format: named tensors and a little text, in a file; nothing that runs.

Eight bytes say how long the header is; the header, JSON, says of each tensor its dtype, its shape
and where it lies; then the elements follow, one tensor behind the other. They go from the tensor's
own memory to the file and back: contiguous tensors of the CPU are not copied. Called by
save_load.py; what is nested is taken apart and put together by structure.py.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

import norch_cpu_ops as cpu
from norch_autograd import Tensor
from norch_nn.serialization.files import LoadError, elements_of, read_elements

# Each dtype's name in a file, in the order in which their tensors lie there: the widest first.
DTYPES = {
    "I64": cpu.int64, "F64": cpu.float64, "F32": cpu.float32, "I32": cpu.int32,
    "BF16": cpu.bfloat16, "F16": cpu.float16, "I16": cpu.int16,
    "I8": cpu.int8, "U8": cpu.uint8, "BOOL": cpu.bool_,
}  # fmt: skip
NAMES = {dtype: name for name, dtype in DTYPES.items()}
METADATA = "__metadata__"  # the header's key for the text
MOST_DIMS = 64  # that are multiplied: a product of a million numbers takes minutes
WORD = 8  # bytes of the header's length, and what that is a multiple of


def serialize(
    tensors: Mapping[str, Tensor], metadata: dict[str, str]
) -> Iterator[bytes | memoryview]:
    """Yield the content of a safetensors file in parts: the header, then each tensor's elements."""
    import json  # here and below: slow to import

    kinds = list(NAMES)
    order = sorted(tensors, key=lambda name: (kinds.index(tensors[name].dtype), name.encode()))
    header: dict[str, Any] = {METADATA: metadata}
    end = 0
    for name in order:
        tensor = tensors[name]
        begin, end = end, end + tensor.numel() * tensor.dtype.itemsize
        entry = {"dtype": NAMES[tensor.dtype], "shape": list(tensor.shape)}
        header[name] = {**entry, "data_offsets": [begin, end]}
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % WORD)
    yield len(text).to_bytes(WORD, "little") + text
    for name in order:
        yield elements_of(tensors[name])


def deserialize(file: BinaryIO) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Return the tensors and the text of a file, from its first byte on.

    What is not whole raises LoadError or what `files.explain_damage` makes one of: call it in that.
    """
    import json

    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    length = int.from_bytes(file.read(WORD), "little")
    header = json.loads(file.read(min(length, size)).decode(), object_pairs_hook=_once)
    metadata = header.pop(METADATA, None) or {}
    kinds, end = {}, 0
    for name in sorted(header, key=lambda name: header[name]["data_offsets"]):
        dtype, shape = kinds[name] = _kind_of(name, header[name])
        begin, end = end, end + math.prod(shape) * dtype.itemsize
        offsets = header[name]["data_offsets"]
        if offsets != [begin, end] or not all(type(n) is int for n in offsets):
            raise ValueError(f"tensor {name[:50]!r} is not of the size that its shape says")
    if file.tell() + end != size:
        raise ValueError(f"its tensors have {end} bytes, and {size - file.tell()} are there")
    return {name: read_elements(file, *kind) for name, kind in kinds.items()}, metadata


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object of the header as a dict; ValueError if a name comes twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name comes twice in its header")
    return found


def _kind_of(name: str, entry: dict[str, Any]) -> tuple[cpu.DType, list[int]]:
    """Return the dtype and the shape of a tensor in a file."""
    stored, shape = entry["dtype"], entry["shape"]
    if stored not in DTYPES:
        raise LoadError(
            f"tensor {name!r} is of dtype {stored}, which norch does not have: convert the file "
            "where it was made"
        )
    sizes = shape if type(shape) is list and len(shape) <= MOST_DIMS else [None]
    if not all(type(n) is int and n >= 0 for n in sizes):
        raise ValueError(f"the shape of tensor {name[:50]!r} is none")
    return DTYPES[stored], shape
