"""What files need: a write that is whole or not at all, and raw bytes as tensors.

Called by save_load.py and by the datasets. A reader sees the old file or the new one, and an
interrupted writer leaves no half file; a temporary one that a killed writer leaves is removed by
the next (temporary.py).
"""

from __future__ import annotations

import errno
import io
import math
import os
import pickle
import stat
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from norch_autograd import Tensor, bool_, empty, uint8
from norch_cpu_ops import DType

from .temporary import create, is_temporary, remove_stale

Place = Callable[[Tensor, str], Tensor]  # (elements, where they were saved) -> where they are meant
WRITE_PIECE = 1 << 20  # bytes that go to a file together, or are looked at together
TRUTH = b"\0" + b"\1" * 255  # what a byte becomes as a bool

# What a disk that takes no more is called, and what to do.
NO_ROOM = {
    errno.ENOSPC: "the disk is full: make room on it",
    errno.EDQUOT: "your quota on this disk is used up: remove files of yours",
    errno.EFBIG: "the file would be larger than may be written here: see `ulimit -f`",
}

# What reading a damaged file can raise; every other error is one of the machine or of the program.
DAMAGE = (
    ValueError, LookupError, TypeError, AttributeError, RuntimeError, ArithmeticError, EOFError,
    struct.error,
)  # fmt: skip


class LoadError(pickle.UnpicklingError, RuntimeError):
    """A file that cannot be loaded: both of the types that PyTorch raises for one."""


@contextmanager
def explain_damage(name: str, kind: str) -> Iterator[None]:
    """Raise a LoadError that names the file for all that reading a damaged one raises.

    >>> with explain_damage("a.bin", "list of numbers"):
    ...     int("x")
    Traceback (most recent call last):
    norch_nn.serialization.files.LoadError: [load] a.bin is not a whole list of numbers (...
    """
    try:
        yield
    except LoadError as error:
        if str(error).startswith("[load]"):  # it has the name of a file already
            raise
        raise LoadError(f"[load] {name}: {error}") from error
    except RecursionError:
        raise LoadError(f"[load] {name} is nested too deeply to be read") from None
    except (*DAMAGE, OSError) as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            error.filename = error.filename or name
            raise
        raise LoadError(  # EINVAL: a place in front of the file's beginning
            f"[load] {name} is not a whole {kind} ({str(error)[:200]}): "
            "it is corrupt, or of another kind"
        ) from error


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a temporary file that becomes `path` when the block ends without an exception.

    It gets the permissions of the file it replaces; other hard links keep the old content. What
    cannot be replaced, such as a pipe or /dev/null, is written directly.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = Path(folder, "a.bin")
    ...     with replacing(target) as file:
    ...         _ = file.write(b"new"), target.exists()
    ...     target.read_bytes(), len(os.listdir(folder))
    (b'new', 1)
    """
    target = Path(os.fsdecode(os.path.realpath(path)))
    old = _status(path, target)
    with explain_full_disk(target):
        if old is not None and not stat.S_ISREG(old.st_mode):
            with open(path, "wb") as file:
                yield file
            return
        remove_stale(target.parent)
        temporary, opened = create(target.parent, _opener_like(old))
        try:
            with opened as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
                os.replace(temporary, target)  # while locked: unlocked, it would be taken for stale
        except BaseException:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise


@contextmanager
def explain_full_disk(path: object) -> Iterator[None]:
    """Say in words that a disk has no room for a file, and name the file as its writer knows it.

    >>> with explain_full_disk("a.bin"):
    ...     raise OSError(errno.ENOSPC, "No space left on device")
    Traceback (most recent call last):
    OSError: [Errno 28] [save] the disk is full: make room on it: 'a.bin'
    """
    try:
        yield
    except OSError as error:
        if error.errno and is_temporary(error.filename):
            error.filename = str(path)
        if error.errno in NO_ROOM:
            error.strerror = f"[save] {NO_ROOM[error.errno]}"
        raise


def _status(path: str | os.PathLike[str], target: Path) -> os.stat_result | None:
    """Return what is known of the old file, None if there is none; OSError if it must stay."""
    if target.is_dir() or os.fsdecode(path).endswith(os.sep):  # realpath drops the separator
        raise IsADirectoryError(errno.EISDIR, "is a folder, not a file", os.fsdecode(path))
    if not target.parent.exists() and not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, "its folder does not exist: make it", str(target))
    try:
        old = os.stat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISREG(old.st_mode):
        os.close(os.open(path, os.O_WRONLY))  # PermissionError where it is meant to stay
    return old


def _opener_like(old: os.stat_result | None) -> Callable[[str, int], int]:
    """Return what opens a new file with the permissions, group and owner of `old`, if it may."""

    def opener(name: str, flags: int) -> int:
        if old is None:
            return os.open(name, flags, 0o666)
        descriptor = os.open(name, flags, 0o600)  # nobody may read before the permissions are set
        for owner, group in ((-1, old.st_gid), (old.st_uid, -1)):
            with suppress(PermissionError):
                os.fchown(descriptor, owner, group)
        with suppress(PermissionError):  # a file system without permissions, such as FAT
            os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
        return descriptor

    return opener


def write_all(file: Any, parts: Iterable[bytes | memoryview]) -> None:
    """Write all `parts` to a file to be saved, in several calls where one takes only some bytes.

    Small ones go together: fewer calls, and nothing is left in the file's buffer to fail later.

    >>> file = io.BytesIO()
    >>> write_all(file, [b"ab", b"c"]); file.getvalue()
    b'abc'
    """
    if isinstance(file, io.TextIOBase):
        raise TypeError("[save] the file is open for text: open it with 'wb'")
    small = bytearray()
    for part in parts:
        small += part[:WRITE_PIECE]
        if len(small) >= WRITE_PIECE:
            _write(file, memoryview(small))
            _write(file, memoryview(part)[WRITE_PIECE:])
            small = bytearray()
    _write(file, memoryview(small))
    if hasattr(file, "flush"):
        file.flush()


def _write(file: Any, rest: memoryview) -> None:
    """Write all of `rest` to a file to be saved."""
    while rest:
        count = file.write(rest)
        if count is None and not isinstance(file, io.RawIOBase):
            return  # an object that does not count: it has taken all
        if type(count) is not int or not 0 < count <= len(rest):
            told = f"write() returned {count!r} for {len(rest)} bytes"
            raise OSError(f"[save] {told}: not all saved")
        rest = rest[count:]


def elements_of(tensor: Tensor) -> memoryview:
    """Return the bytes of a tensor's elements in order: its own memory, if they lie so there.

    >>> list(elements_of(norch.arange(6, dtype=norch.uint8).view(2, 3)[:, 1:]))
    [1, 2, 4, 5]
    """
    array = tensor.detach().cpu().contiguous().array
    start = array.offset * array.itemsize
    return memoryview(array.storage_as(uint8))[start : start + array.nbytes]


def read_elements(file: BinaryIO, dtype: DType, shape: Sequence[int]) -> Tensor:
    """Return the next elements of a file that is known to hold them, read to where they stay."""
    result = empty(*shape, dtype=dtype, device="cpu")
    content = memoryview(result.array.storage_as(uint8))
    if file.readinto(content) != len(content):  # type: ignore[attr-defined]
        raise LoadError("it ends too early: the download or the copy did not finish")
    make_true(content, dtype)
    return result


def from_bytes(data: bytes | bytearray | memoryview, dtype: DType, shape: Sequence[int]) -> Tensor:
    """Return the little-endian numbers in `data` as a tensor of `shape`; any bool but 0 is True.

    >>> from_bytes(b"abcd", norch.uint8, (2, 2)).tolist()
    [[97, 98], [99, 100]]
    """
    count = math.prod(shape)
    if len(data) != count * dtype.itemsize:
        raise ValueError(
            f"[from_bytes] shape {tuple(shape)} of {dtype} needs {count * dtype.itemsize} bytes, "
            f"not {len(data)}"
        )
    return read_elements(io.BytesIO(data), dtype, shape)


def make_true(content: memoryview, dtype: DType) -> None:
    """Make every byte but 0 of a bool's elements 1, as kernels expect; of others nothing."""
    if dtype is bool_:
        for start in range(0, len(content), WRITE_PIECE):
            piece = content[start : start + WRITE_PIECE]
            piece[:] = bytes(piece).translate(TRUTH)
