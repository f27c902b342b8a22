"""save and load: nested dicts and lists of tensors and plain values in one safetensors file.

Tensors are stored as safetensors stores them; the structure around them is JSON in the header, so
that reading a file never runs code from it (no pickle). Every value in that JSON is wrapped in a
one-key dict that says what it is, so that tuples, int keys and None come back as they were.
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
from norch_nn.serialization.files import from_bytes, replacing

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
    data = _to_bytes(tensors, {STRUCTURE: json.dumps(structure)})
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
    map_location = _place_of(map_location)
    if hasattr(f, "read"):
        return _from_file_content(f.read(), "the file object", map_location)
    with open(f, "rb") as file:
        return _from_file_content(file.read(), os.fspath(f), map_location)


def _place_of(map_location: Any) -> Any:
    """Return the device that is meant; what is saved here comes from the CPU."""
    if isinstance(map_location, Mapping):
        return map_location.get("cpu")
    if callable(map_location):
        moved = map_location(empty(0), "cpu")
        return None if moved is None else moved.device
    return map_location


def _to_bytes(tensors: Mapping[str, Tensor], metadata: dict[str, str]) -> bytes:
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


def _from_file_content(data: bytes, name: str, map_location: Any) -> Any:
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


RESERVED = "__metadata__"  # safetensors keeps this name for itself


def encode(value: Any, path: str, tensors: dict[str, Tensor]) -> Any:
    """Return `value` as JSON, with every tensor moved to `tensors` under its path.

    >>> tensors = {}
    >>> encode({"w": norch.ones(1), "n": 2}, "", tensors), list(tensors)
    ({'dict': [['w', {'tensor': 'w'}], ['n', {'value': 2}]]}, ['w'])
    """
    if isinstance(value, Tensor):
        name = _free_name(path or "tensor", tensors)
        tensors[name] = value
        return {"tensor": name}
    if value is None or isinstance(value, bool | int | float | str):
        return {"value": value}
    if isinstance(value, Mapping):
        pairs = ((_checked_key(key, path), join(path, key), item) for key, item in value.items())
        return {"dict": [[key, encode(item, below, tensors)] for key, below, item in pairs]}
    if isinstance(value, list | tuple):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [encode(item, join(path, i), tensors) for i, item in enumerate(value)]}
    raise TypeError(
        f"[save] {path or 'the object'} is a {type(value).__name__}: only tensors, numbers, "
        "strings, bools, None, dicts, lists and tuples are saved (call .state_dict() on a model)"
    )


def _checked_key(key: Any, path: str) -> Any:
    """Return a dict key, which may be a str or an int; both come back as they were."""
    if isinstance(key, str) or (isinstance(key, int) and not isinstance(key, bool)):
        return key
    given = type(key).__name__
    raise TypeError(f"[save] a key of {path or 'the dict'} is a {given}: use str or int")


def join(path: str, key: Any) -> str:
    """Return a tensor's name in the file: the keys on its path, joined by dots."""
    return f"{path}.{key}" if path else str(key)


def _free_name(path: str, taken: Mapping[str, Tensor]) -> str:
    """Return `path`, numbered where another tensor or safetensors itself has that name."""
    name, number = path, 1
    while name in taken or name == RESERVED:
        number += 1
        name = f"{path}#{number}"
    return name


def decode(node: Any, tensors: Mapping[str, Tensor]) -> Any:
    """Turn what `encode` made back into the object; ValueError or KeyError if it did not."""
    ((kind, content),) = node.items()
    if kind == "tensor":
        return tensors[content]
    if kind == "value":
        return content
    if kind == "dict":
        return {key: decode(item, tensors) for key, item in content}
    if kind == "list":
        return [decode(item, tensors) for item in content]
    if kind == "tuple":
        return tuple(decode(item, tensors) for item in content)
    raise ValueError(f"unknown kind {kind!r} in the header")
