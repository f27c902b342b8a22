"""One set-up of a folder at a time, and the stamps that tell make what was set up, and when.

setup_env.py calls this: two that install into one environment, or compile in one folder, would
spoil it. The second waits for the first, which may also be killed, and then often has nothing to
do. A stamp has the time at which its set-up began: what is edited meanwhile is newer.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def alone(root: Path) -> Iterator[bool]:
    """Let no other set-up of a folder run meanwhile; say whether one did, and was waited for."""
    holder = os.open(root, os.O_RDONLY)  # locked until it is closed, or this process ends
    try:
        yield wait_for(holder)
    finally:
        os.close(holder)


def wait_for(holder: int) -> bool:
    """Lock an open folder; return whether another process had it locked."""
    try:
        fcntl.flock(holder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("[setup] another make is setting up this folder: waiting for it", flush=True)
        fcntl.flock(holder, fcntl.LOCK_EX)
        return True
    except OSError:  # a file system that knows no locks
        return False
    return False


def now(root: Path) -> int:
    """Return the time as the folder's file system counts it, in nanoseconds."""
    with tempfile.TemporaryFile(dir=root) as file:
        return os.fstat(file.fileno()).st_mtime_ns


def is_fresh(stamps: list[Path], after: Iterable[Path]) -> bool:
    """Tell whether all stamps are of this folder, and not older than what they stand for."""
    try:
        newest = max((path.stat().st_mtime_ns for path in after), default=0)
        times = [stamp.stat().st_mtime_ns for stamp in stamps]
        places = {stamp.read_bytes() for stamp in stamps}
    except OSError:
        return False
    return places == {content()} and min(times) >= newest


def write_stamps(stamps: list[Path], began: int) -> None:
    """Write that this folder was set up at this time."""
    for stamp in stamps:
        stamp.write_bytes(content())
        os.utime(stamp, ns=(began, began))


def content() -> bytes:
    """Return what a stamp says, which tools/stale.sh reads: the folder that was set up."""
    return os.fsencode(os.getcwd()) + b"\n"
