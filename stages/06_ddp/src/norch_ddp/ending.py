"""How one rank ends all ranks without losing its last words.

Used by `process_group` for an unhandled error and by `bootstrap`. An abort is immediate: mpiexec
throws away what it has not read yet, so the traceback must be seen to leave first.
"""

from __future__ import annotations

import fcntl
import sys
import termios
import time
from contextlib import suppress

from .transport_mpi import load_mpi

PATIENCE = 1.0
"""Seconds after which a reader that does not read is not waited for."""


def end_all_ranks(code: int) -> None:
    """Stop every process of the launch with this exit code."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # closed, or no real file: nothing can be kept back
            stream.flush()
            wait_until_read(stream.fileno())
    load_mpi().COMM_WORLD.Abort(code)


def wait_until_read(pipe: int) -> None:
    """Wait until mpiexec has taken what was written; OSError where `pipe` is no pipe."""
    deadline = time.monotonic() + PATIENCE
    while unread(pipe) and time.monotonic() < deadline:
        time.sleep(0.005)
    time.sleep(0.02)  # from mpiexec's helper on this machine to mpiexec


def unread(pipe: int) -> int:
    """Return how many bytes a pipe holds that its reader has not taken."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)
