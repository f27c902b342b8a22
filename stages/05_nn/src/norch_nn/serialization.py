"""save and load: nested dicts and lists of tensors and plain values in one safetensors file.

Tensors are stored as safetensors stores them; the structure around them is JSON in the header, so
that reading a file never runs code from it (no pickle). Files appear whole or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from norch_autograd import (
    Tensor,
    bfloat16,
    bool_,
    empty,
    float16,
    float32,
    float64,
    int32,
    int64,
    uint8,
)
from norch_nn.buffers import from_bytes
from norch_nn.files import replacing
from norch_nn.structure import decode, encode

STRUCTURE = "norch.structure"
# safetensors' name in a file, in its writer, our dtype
DTYPES = (
    ("F64", "float64", float64),
    ("F32", "float32", float32),
    ("F16", "float16", float16),
    ("BF16", "bfloat16", bfloat16),
    ("I64", "int64", int64),
    ("I32", "int32", int32),
    ("U8", "uint8", uint8),
    ("BOOL", "bool", bool_),
)


def save(obj: Any, f: Any, pickle_module: Any = None, pickle_protocol: int = 2) -> None:
    """Write `obj` to a path or an open file: tensors and plain values in dicts, lists and tuples.

    The last two arguments are PyTorch's for its pickles; these files never are.

    Raises TypeError for any other object and OSError where the file cannot be written; an older
    file of that name is then untouched.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save({"w": norch.ones(2), "epoch": 3}, folder + "/a.safetensors")
    ...     load(folder + "/a.safetensors")
    {'w': tensor([1., 1.]), 'epoch': 3}
    """
    import json  # here and below: slow to import

    if pickle_module is not None:
        raise ValueError("[save] safetensors files hold no pickles: leave pickle_module out")
    tensors: dict[str, Tensor] = {}
    structure = encode(obj, "", tensors)
    data = to_bytes(tensors, {STRUCTURE: json.dumps(structure)})
    if hasattr(f, "write"):
        f.write(data)
        return
    with replacing(f) as file:
        file.write(data)


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
) -> Any:
    """Read what `save` wrote, or any other safetensors file as a dict of tensors.

    Raises FileNotFoundError, or RuntimeError that names the file when its content is not whole.
    `map_location` is the device the tensors go to: a device, or a dict or a function that gives
    one. The other arguments say how PyTorch reads pickles; these files are never pickles.
    """
    if pickle_module is not None:
        raise ValueError("[load] safetensors files hold no pickles: leave pickle_module out")
    map_location = place_of(map_location)
    if hasattr(f, "read"):
        return from_file_content(f.read(), "the file object", map_location)
    with open(f, "rb") as file:
        return from_file_content(file.read(), os.fspath(f), map_location)


def place_of(map_location: Any) -> Any:
    """Return the device that is meant; what is saved here comes from the CPU."""
    if isinstance(map_location, Mapping):
        return map_location.get("cpu")
    if callable(map_location):
        moved = map_location(empty(0), "cpu")
        return None if moved is None else moved.device
    return map_location


def to_bytes(tensors: Mapping[str, Tensor], metadata: dict[str, str]) -> bytes:
    """Return the content of a safetensors file."""
    from safetensors import TensorSpec, serialize

    names = {dtype: name for _, name, dtype in DTYPES}
    # The arrays must stay alive until `serialize` has read them through their addresses.
    arrays = {name: t.detach().cpu().contiguous().array for name, t in tensors.items()}
    specs = {
        name: TensorSpec(
            dtype=names[a.dtype], shape=list(a.shape), data_ptr=a.data_ptr, data_len=a.nbytes
        )
        for name, a in arrays.items()
    }
    return serialize(specs, metadata)


def from_file_content(data: bytes, name: str, map_location: Any) -> Any:
    """Check and decode the content of a safetensors file."""
    import json

    from safetensors import SafetensorError, deserialize

    dtypes = {stored: dtype for stored, _, dtype in DTYPES}
    try:
        tensors = {
            key: from_bytes(entry["data"], dtypes[entry["dtype"]], entry["shape"])
            for key, entry in deserialize(data)  # type: ignore[no-untyped-call]
        }
        if map_location is not None:
            tensors = {key: t.to(map_location) for key, t in tensors.items()}
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        metadata = header.get("__metadata__", {})
        if STRUCTURE not in metadata:
            return tensors
        return decode(json.loads(metadata[STRUCTURE]), tensors)
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise RuntimeError(
            f"[load] {name} is not a whole safetensors file ({error}): "
            "it is corrupt, or of another kind"
        ) from error
