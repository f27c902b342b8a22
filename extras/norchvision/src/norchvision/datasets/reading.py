"""Reading what a dataset's files hold: whatever a file says, it is bounded, and errors name it.

The datasets call this, of files that may be cut short, damaged or made to do harm. A file is read
no further than its header, or its kind, says it goes; a small one that would unpack to all of
memory is an error before it does. Nothing is written, and only plain files are opened: a pipe would
wait for ever.
"""

from __future__ import annotations

import io
import math
import os
import stat
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from norch_autograd import Tensor, uint8
from norch_nn.serialization.files import from_bytes

GZIP_MAGIC = b"\x1f\x8b"
UINT8 = 8
MOST_DIMENSIONS = 4
LARGEST = 256 << 20  # nothing of ours is larger


def first_file(candidates: Iterable[Path]) -> Path | None:
    """Return the first that is a file; else the first that cannot be read, for the error to come.

    Such a one is a folder, a link in a circle, or lies where one may not look.
    """
    in_the_way = None
    for path in candidates:
        if os.path.isfile(path):
            return path
        if in_the_way is None and _is_there(path):
            in_the_way = path
    return in_the_way


def _is_there(path: Path) -> bool:
    """Whether a dataset's path is taken, by whatever; True where that may not be known."""
    try:
        path.lstat()
    except PermissionError:
        return True
    except OSError:
        return False
    return True


@contextmanager
def opened(path: Path, owner: str) -> Iterator[BinaryIO]:
    """Open a dataset's file for reading, decompressed; RuntimeError when it cannot be read."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise RuntimeError(f"[{owner}] cannot read {path}: it is not a plain file")
        with path.open("rb") as file, unpacked(file, str(path), owner) as content:
            yield content
    except OSError as error:
        raise RuntimeError(f"[{owner}] cannot read {path}: {error.strerror or error}") from error


@contextmanager
def unpacked(file: BinaryIO, name: str, owner: str = "MNIST") -> Iterator[BinaryIO]:
    """Give a dataset's file for reading, decompressed if it is gzip; RuntimeError if damaged."""
    import gzip  # slow to import
    import zlib

    packed = file.read(2) == GZIP_MAGIC
    file.seek(0)
    try:
        yield cast(BinaryIO, gzip.GzipFile(fileobj=file)) if packed else file
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise RuntimeError(f"[{owner}] {name} is corrupt ({error}): fetch it again") from error


def parse_idx(data: bytes, name: str, owner: str = "MNIST") -> Tensor:
    """Return the numbers in the bytes of an idx file as a uint8 tensor, or raise RuntimeError.

    >>> parse_idx(bytes([0, 0, 8, 1, 0, 0, 0, 2, 7, 9]), "an example").tolist()
    [7, 9]
    """
    with unpacked(io.BytesIO(data), name, owner) as file:
        return read_idx(file, name, owner)


def read_idx(file: BinaryIO, name: str, owner: str) -> Tensor:
    """Check the header of an idx file, and read as many bytes as it says, and one that is none."""
    start = file.read(4)
    if len(start) < 4 or start[:2] != b"\0\0" or start[2] != UINT8:
        raise RuntimeError(f"[{owner}] {name} is not an idx file of bytes: it starts {start!r}")
    if not 1 <= start[3] <= MOST_DIMENSIONS:
        raise RuntimeError(
            f"[{owner}] {name} is corrupt: its header says that it has {start[3]} dimensions, "
            f"1 to {MOST_DIMENSIONS} are expected"
        )
    sizes = file.read(4 * start[3])
    if len(sizes) < 4 * start[3]:
        raise RuntimeError(f"[{owner}] {name} is corrupt: its header is cut off")
    shape = struct.unpack(f">{start[3]}I", sizes)
    needed = math.prod(shape)
    if math.prod(max(size, 1) for size in shape) > LARGEST:
        raise RuntimeError(
            f"[{owner}] {name} is corrupt: shape {shape} needs {needed} bytes, and no file of a "
            f"dataset unpacks to more than {LARGEST} bytes"
        )
    content = file.read(needed + 1)
    if len(content) != needed:
        found = f"{len(content)}" if len(content) < needed else "more"
        raise RuntimeError(
            f"[{owner}] {name} is corrupt: shape {shape} needs {needed} bytes, the file has {found}"
        )
    return from_bytes(content, uint8, shape)
