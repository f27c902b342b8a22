"""idx files: the format of MNIST, a small header and then bytes, usually gzip-compressed.

Header: two zero bytes, the type (8 means uint8), the number of dimensions, then each size as a
big-endian 32-bit number. Every error names the file, and the dataset it belongs to.
"""

from __future__ import annotations

import io
import math
import struct

from norch_autograd import Tensor, uint8
from norch_nn.serialization.files import from_bytes

GZIP_MAGIC = b"\x1f\x8b"
UINT8 = 8
LARGEST = 256 << 20  # nothing of ours is larger: a small file must not unpack to all of memory


def unpack(data: bytes, name: str, owner: str = "MNIST") -> bytes:
    """Decompress `data` if it is gzip; a cut or damaged file raises RuntimeError."""
    import gzip  # slow to import
    import zlib

    if data[:2] != GZIP_MAGIC:
        return data
    try:
        content = gzip.GzipFile(fileobj=io.BytesIO(data)).read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise RuntimeError(f"[{owner}] {name} is corrupt ({error}): fetch it again") from error
    if len(content) > LARGEST:
        raise RuntimeError(f"[{owner}] {name} is corrupt: it unpacks to more than {LARGEST} bytes")
    return content


def parse_idx(data: bytes, name: str, owner: str = "MNIST") -> Tensor:
    """Check header and length and return the numbers as a uint8 tensor, or raise RuntimeError.

    >>> parse_idx(bytes([0, 0, 8, 1, 0, 0, 0, 2, 7, 9]), "an example").tolist()
    [7, 9]
    """
    if len(data) < 4 or data[:2] != b"\0\0" or data[2] != UINT8:
        raise RuntimeError(f"[{owner}] {name} is not an idx file of bytes: it starts {data[:4]!r}")
    end = 4 + 4 * data[3]
    if data[3] == 0 or len(data) < end:
        raise RuntimeError(f"[{owner}] {name} is corrupt: its header is cut off")
    shape = struct.unpack(f">{data[3]}I", data[4:end])
    if len(data) - end != math.prod(shape):
        raise RuntimeError(
            f"[{owner}] {name} is corrupt: shape {shape} needs {math.prod(shape)} bytes, "
            f"the file has {len(data) - end}"
        )
    return from_bytes(memoryview(data)[end:], uint8, shape)
