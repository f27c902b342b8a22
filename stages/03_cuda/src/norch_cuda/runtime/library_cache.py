"""The per-user cache of built kernels: where it lies, what in it is whole, what is left over.

A built file lies beside a file of its checksum, and is loaded only if the two agree: a disk that
was full or a machine that went down would otherwise end Python in the middle of a kernel. Called by
compiler.py for the simulator and by nvrtc.py for a GPU; compiles nothing itself.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

_OWNER = "owner"  # a file that whoever uses a temporary folder holds locked as long as it lives
_FALLBACK = "norch-kernels-"
_BUILDING = "building-"


@lru_cache(maxsize=2)
def cache_directory(device: str) -> Path:
    """Where the kernels of "cuda-sim" or "cuda" are kept, once they are built.

    A temporary folder, announced, if that cannot be written.
    """
    folder = _preferred_directory(device)
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


def _preferred_directory(device: str) -> Path:
    """Return where the user wants built kernels: NORCH_CACHE, else the usual cache."""
    if chosen := os.environ.get("NORCH_CACHE"):
        return Path(chosen) / device
    if os.path.isabs(base := os.environ.get("XDG_CACHE_HOME", "")):
        return Path(base) / "norch" / device
    caches = "Library/Caches" if sys.platform == "darwin" else ".cache"
    return Path("/", os.path.expanduser("~"), caches, "norch", device)  # no home: /~ is not there


def _temporary_directory() -> Path:
    """Make a folder that this process removes at its end, or the next one after it was killed."""
    parent = Path(tempfile.gettempdir())
    remove_abandoned(parent, _FALLBACK)
    folder = Path(tempfile.mkdtemp(prefix=_FALLBACK, dir=parent))
    _own(folder)  # the file stays open, and so locked, until the process ends
    process = os.getpid()

    def remove() -> None:
        if os.getpid() == process:  # and not a fork of it
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder


def build_once(target: Path, build: Callable[[Path], None]) -> None:
    """Let `build` write the file that becomes `target`, unless that is there and whole.

    Any number of processes may ask at once: one builds and the others wait for it. What `build`
    raises leaves nothing behind.
    """
    if is_whole(target):
        return
    lock = target.with_suffix(".lock")
    with open(lock, "w") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        try:
            if not is_whole(target):
                with building_directory(target.parent) as folder:
                    built = folder / target.name
                    build(built)
                    seal(built)
                    publish(built, target)
        finally:
            lock.unlink(missing_ok=True)


@contextmanager
def building_directory(parent: Path) -> Iterator[Path]:
    """Give a folder to build a kernel library in, beside what it will become, and remove it."""
    remove_abandoned(parent, _BUILDING)
    with tempfile.TemporaryDirectory(prefix=_BUILDING, dir=parent) as folder:
        owner = _own(Path(folder))
        try:
            yield Path(folder)
        finally:
            os.close(owner)


def _own(folder: Path) -> int:
    """Lock the owner file of a folder of kernel libraries for as long as this process lives."""
    file = os.open(folder / _OWNER, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(file, fcntl.LOCK_EX)
    return file


def remove_abandoned(parent: Path, prefix: str) -> None:
    """Remove killed processes' folders of kernel libraries: those whose owner file nobody holds."""
    for folder in parent.glob(f"{prefix}*"):
        try:
            with open(folder / _OWNER) as owner:
                fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue  # held, not ours, or made this very moment


# ---- whole or not ------------------------------------------------------------------------


def seal(built: Path) -> None:
    """Write the checksum of a file that was just built, both down to the disk."""
    sum_file = _sum_file(built)
    sum_file.write_text(_checksum(built))
    for path in (built, sum_file):
        with open(path, "rb") as file:
            os.fsync(file.fileno())


def publish(built: Path, target: Path) -> None:
    """Move a sealed file to where the next process finds it: the checksum first."""
    _sum_file(built).replace(_sum_file(target))
    built.replace(target)


def is_whole(built: Path) -> bool:
    """Whether a file is in the cache as it was built; one that was damaged is announced."""
    if not built.exists():
        return False
    try:
        if _sum_file(built).read_text() == _checksum(built):
            return True
    except (OSError, UnicodeDecodeError):
        pass  # no checksum, or not one
    print(f"norch: {built} is damaged; it is built again", file=sys.stderr)
    built.unlink(missing_ok=True)
    return False


def _sum_file(built: Path) -> Path:
    """Return the file beside a built one that holds its checksum."""
    return built.with_suffix(".sum")


def _checksum(built: Path) -> str:
    """Return the checksum and the length of a built file."""
    data = built.read_bytes()
    return f"{zlib.crc32(data):08x} {len(data)}\n"
