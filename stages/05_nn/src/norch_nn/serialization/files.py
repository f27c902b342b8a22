"""What files need: a write that is whole or not at all, and raw bytes as tensors.

Called by safetensors.py and by the datasets. A reader sees the old file or the new one, and an
interrupted writer leaves neither a half file nor a temporary one.
"""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from norch_autograd import Tensor, bfloat16, float16, float32, frombuffer, zeros
from norch_cpu_ops import DType


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a temporary file that becomes `path` when the block ends without an exception.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = Path(folder, "a.bin")
    ...     with replacing(target) as file:
    ...         _ = file.write(b"new"), target.exists()
    ...     target.read_bytes(), len(os.listdir(folder))
    (b'new', 1)
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder, not a file")
    temporary = target.with_name(f".{target.name}.{os.urandom(4).hex()}.tmp")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


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
        return from_bytes(_widened(data), float32, shape).to(bfloat16)
    if dtype == float16:
        wide = struct.pack(f"{count}f", *struct.unpack(f"<{count}e", data))
        return from_bytes(wide, float32, shape).to(float16)
    return frombuffer(data, dtype=dtype).clone().reshape(tuple(shape))


def _widened(data: bytes | bytearray | memoryview) -> bytearray:
    """Turn bfloat16 into float32: its bytes are the upper half of a float32's."""
    wide = bytearray(2 * len(data))
    wide[2::4] = data[0::2]
    wide[3::4] = data[1::2]
    return wide
