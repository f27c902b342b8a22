"""The per-user cache of built libraries: where it lies, what in it is whole, what is left over.

A library lies beside a file of its checksum, and is loaded only if the two agree: a disk that was
full or a machine that went down would otherwise end Python in the middle of a kernel. Called by
compiler.py; compiles nothing itself.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

_OWNER = "owner"  # a file that whoever uses a temporary folder holds locked as long as it lives
_FALLBACK = "norch-cuda-sim-"
_BUILDING = "building-"


@lru_cache(maxsize=1)
def cache_directory() -> Path:
    """Where built libraries are kept; a temporary folder, announced, if that cannot be written."""
    folder = _preferred_directory()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        reason = error.strerror or error
    fallback = _temporary_directory()
    print(
        f"norch: cannot write {folder} ({reason}); kernels are built in {fallback}, "
        "and again by the next process",
        file=sys.stderr,
    )
    return fallback


def _preferred_directory() -> Path:
    if chosen := os.environ.get("NORCH_CACHE"):
        return Path(chosen) / "cuda-sim"
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "norch" / "cuda-sim"
    caches = "Library/Caches" if sys.platform == "darwin" else ".cache"
    return Path.home() / caches / "norch" / "cuda-sim"


def _temporary_directory() -> Path:
    """Make a folder that this process removes at its end, or the next one after it was killed."""
    parent = Path(tempfile.gettempdir())
    remove_left_over(parent, _FALLBACK)
    folder = Path(tempfile.mkdtemp(prefix=_FALLBACK, dir=parent))
    _own(folder)  # the file stays open, and so locked, until the process ends
    process = os.getpid()

    def remove() -> None:
        if os.getpid() == process:  # and not a fork of it
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder


@contextmanager
def building_directory(parent: Path) -> Iterator[Path]:
    """Give a folder to build in, beside what it will become, and remove it."""
    remove_left_over(parent, _BUILDING)
    with tempfile.TemporaryDirectory(prefix=_BUILDING, dir=parent) as folder:
        owner = _own(Path(folder))
        try:
            yield Path(folder)
        finally:
            os.close(owner)


def _own(folder: Path) -> int:
    """Lock the folder's owner file for as long as this process lives."""
    file = os.open(folder / _OWNER, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(file, fcntl.LOCK_EX)
    return file


def remove_left_over(parent: Path, prefix: str) -> None:
    """Remove the folders of killed processes: those whose owner file nobody holds any more."""
    for folder in parent.glob(f"{prefix}*"):
        try:
            with open(folder / _OWNER) as owner:
                fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue  # held, not ours, or made this very moment


# ---- whole or not ------------------------------------------------------------------------


def seal(library: Path) -> None:
    """Write the checksum of a library that was just built, both down to the disk."""
    sum_file = _sum_file(library)
    sum_file.write_text(_checksum(library))
    for path in (library, sum_file):
        with open(path, "rb") as file:
            os.fsync(file.fileno())


def publish(library: Path, target: Path) -> None:
    """Move a sealed library to where the next process finds it: the checksum first."""
    _sum_file(library).replace(_sum_file(target))
    library.replace(target)


def is_whole(library: Path) -> bool:
    """Whether a library is in the cache as it was built; one that was damaged is announced."""
    if not library.exists():
        return False
    try:
        if _sum_file(library).read_text() == _checksum(library):
            return True
    except (OSError, UnicodeDecodeError):
        pass  # no checksum, or not one
    print(f"norch: {library} is damaged; it is built again", file=sys.stderr)
    library.unlink(missing_ok=True)
    return False


def _sum_file(library: Path) -> Path:
    return library.with_suffix(".sum")


def _checksum(library: Path) -> str:
    data = library.read_bytes()
    return f"{zlib.crc32(data):08x} {len(data)}\n"
