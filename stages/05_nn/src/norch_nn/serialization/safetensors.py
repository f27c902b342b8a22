"""The safetensors format: named tensors and a little text, as bytes and back; nothing that runs.

Called by save_load.py; what is nested is taken apart and put together by structure.py.
"""

from __future__ import annotations

from collections.abc import Mapping

import norch_cpu_ops as cpu
from norch_autograd import Tensor
from norch_nn.serialization.files import LoadError, from_bytes

DTYPES = {
    "F64": cpu.float64,
    "F32": cpu.float32,
    "F16": cpu.float16,
    "BF16": cpu.bfloat16,
    "I64": cpu.int64,
    "I32": cpu.int32,
    "I16": cpu.int16,
    "I8": cpu.int8,
    "U8": cpu.uint8,
    "BOOL": cpu.bool_,
}
"""safetensors' names of dtypes in a file; its writer calls them as we do."""


def to_file_content(tensors: Mapping[str, Tensor], metadata: dict[str, str]) -> bytes:
    """Return the content of a safetensors file."""
    from safetensors import TensorSpec, serialize  # here and below: slow to import

    # The arrays must stay alive until `serialize` has read them through their addresses.
    arrays = {name: t.detach().cpu().contiguous().array for name, t in tensors.items()}
    specs = {
        name: TensorSpec(
            dtype=a.dtype.name, shape=list(a.shape), data_ptr=a.data_ptr, data_len=a.nbytes
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


def _dtype_of(name: str, stored: str) -> cpu.DType:
    """Return the dtype of a tensor in a file."""
    if stored in DTYPES:
        return DTYPES[stored]
    raise LoadError(
        f"tensor {name!r} is of dtype {stored}, which norch does not have: convert the file where "
        "it was made"
    )
