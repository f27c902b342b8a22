"""The safetensors format: named tensors and a little text, as bytes and back; nothing that runs.

Called by save_load.py; what is nested is taken apart and put together by structure.py.
"""

from __future__ import annotations

from collections.abc import Mapping

from norch_autograd import (
    Tensor,
    bfloat16,
    bool_,
    float16,
    float32,
    float64,
    int8,
    int32,
    int64,
    uint8,
)
from norch_cpu_ops import DType
from norch_nn.serialization.files import LoadError, from_bytes

# safetensors' name in a file, in its writer, our dtype
DTYPES = (
    ("F64", "float64", float64),
    ("F32", "float32", float32),
    ("F16", "float16", float16),
    ("BF16", "bfloat16", bfloat16),
    ("I64", "int64", int64),
    ("I32", "int32", int32),
    ("I8", "int8", int8),
    ("U8", "uint8", uint8),
    ("BOOL", "bool", bool_),
)


def to_file_content(tensors: Mapping[str, Tensor], metadata: dict[str, str]) -> bytes:
    """Return the content of a safetensors file."""
    from safetensors import TensorSpec, serialize  # here and below: slow to import

    names = {dtype: name for _, name, dtype in DTYPES}
    # The arrays must stay alive until `serialize` has read them through their addresses.
    arrays = {name: t.detach().cpu().contiguous().array for name, t in tensors.items()}
    specs = {
        name: TensorSpec(
            dtype=names[a.dtype], shape=list(a.shape), data_ptr=a.data_ptr, data_len=a.nbytes
        )
        for name, a in arrays.items()
    }
    content: bytes = serialize(specs, metadata)
    return content


def from_file_content(data: bytes) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Return the tensors and the text of a file; ValueError if it is not whole."""
    import json

    from safetensors import SafetensorError, deserialize

    try:
        entries = deserialize(data)[::-1]
        tensors = {}
        while entries:  # each is a copy of its elements, which goes when it has been used
            key, entry = entries.pop()
            tensors[key] = from_bytes(entry["data"], _dtype_of(key, entry["dtype"]), entry["shape"])
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    except SafetensorError as error:
        raise ValueError(str(error)) from error
    return tensors, header.get("__metadata__", {})


def _dtype_of(name: str, stored: str) -> DType:
    """Return the dtype of a tensor in a file."""
    for known, _, dtype in DTYPES:
        if known == stored:
            return dtype
    raise LoadError(
        f"tensor {name!r} is of dtype {stored}, which norch does not have: convert the file where "
        "it was made"
    )
