"""Raw bytes to tensors, for files: safetensors and idx.

Called by `serialization` and by the datasets. The bytes are copied into stage 2's aligned memory.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

from norch_autograd import Tensor, bfloat16, float16, float32, frombuffer, zeros
from norch_cpu_ops import DType


def from_bytes(data: bytes | bytearray | memoryview, dtype: DType, shape: Sequence[int]) -> Tensor:
    """Return the little-endian numbers in `data` as a tensor of `shape`.

    >>> from_bytes(b"abcd", norch.uint8, (2, 2)).tolist()
    [[97, 98], [99, 100]]
    """
    count = math.prod(shape)
    if len(data) != count * dtype.itemsize:
        raise ValueError(
            f"[from_bytes] shape {tuple(shape)} of {dtype} needs {count * dtype.itemsize} bytes, "
            f"not {len(data)}"
        )
    if count == 0:
        return zeros(*shape, dtype=dtype)
    if dtype == bfloat16:
        return from_bytes(widened(data), float32, shape).to(bfloat16)
    if dtype == float16:
        wide = struct.pack(f"{count}f", *struct.unpack(f"<{count}e", data))
        return from_bytes(wide, float32, shape).to(float16)
    return frombuffer(data, dtype=dtype).clone().reshape(tuple(shape))


def widened(data: bytes | bytearray | memoryview) -> bytearray:
    """Turn bfloat16 into float32: its bytes are the upper half of a float32's."""
    wide = bytearray(2 * len(data))
    wide[2::4] = data[0::2]
    wide[3::4] = data[1::2]
    return wide
