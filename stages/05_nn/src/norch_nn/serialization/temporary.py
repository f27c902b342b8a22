"""Temporary files of `files.replacing`: locked while they are written, removed when nobody does.

A writer holds a lock (flock) on its file, and the kernel releases it however the process ends:
killed, in another container, before a reboot. So a file whose lock is free is nobody's any more,
and the next save into its folder removes it. Other files are never touched.
"""

from __future__ import annotations

import fcntl
import os
import platform
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO
from zlib import crc32

START, END = ".norch-", ".tmp"
ELSEWHERE_SECONDS = 86400.0
"""Some shared file systems show locks to one machine alone: another's file must be a day old."""


def create(folder: Path, opener: Callable[[str, int], int]) -> tuple[Path, BinaryIO]:
    """Return a new file in `folder` to save to, opened by `opener` and locked till it is closed."""
    while True:
        path = folder / f"{START}{_host()}-{os.urandom(8).hex()}{END}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        file = os.fdopen(opener(str(path), flags), "wb")
        with suppress(OSError):  # a file system without locks: then nothing is removed either
            fcntl.flock(file, fcntl.LOCK_EX)
        if path.exists():
            return path, file
        file.close()  # somebody found it unlocked, a moment ago, and removed it


def is_temporary(path: object) -> bool:
    """Tell whether a path that an error names is a temporary file's, or no path at all."""
    name = os.path.basename(str(path))
    return path is None or (name.startswith(START) and name.endswith(END))


def remove_stale(folder: Path) -> None:
    """Remove the temporary files of saves in `folder` whose writers ended without doing so."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if is_temporary(entry.name):
                with suppress(OSError):
                    _remove_if_free(entry.path)


def _remove_if_free(path: str) -> None:
    """Remove a save's temporary file; OSError if its writer lives or it is no plain file."""
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        found = os.fstat(descriptor)
        is_old = found.st_mtime < time.time() - ELSEWHERE_SECONDS
        is_near = os.path.basename(path).startswith(f"{START}{_host()}-")
        if stat.S_ISREG(found.st_mode) and (is_near or is_old):
            os.unlink(path)
    finally:
        os.close(descriptor)


def _host() -> str:
    """Return this machine's mark in the names of the temporary files of saves."""
    return f"{crc32(platform.node().encode()):08x}"
