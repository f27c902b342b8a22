"""Aborting: one rank ends all ranks, after its traceback has reached the terminal.

Used by `process_group` for an unhandled error and by `bootstrap`. An abort is immediate: mpiexec
throws away what it has not read yet, so the traceback must have been read first.
"""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from norch_ddp.launch.supervisor import wait_until_read
from norch_ddp.transports.mpi import load_mpi


class FirstToFail:
    """A nameless file that the ranks of one machine share: the first that fails marks it.

    What fails first is the cause; when all fail alike, or because of it, one traceback is enough.
    """

    def __init__(self, node: Any) -> None:
        from tempfile import mkstemp  # slow to import, and only a launched rank needs it

        name = None
        if node.rank == 0:
            self._file, name = mkstemp(prefix="norch-run-")
        name = node.bcast(name)
        if node.rank != 0:
            self._file = os.open(name, os.O_RDWR)
        node.Barrier()
        if node.rank == 0:
            os.unlink(name)  # the open file lives on until the last rank ends

    def claim(self) -> bool:
        """Return True to the first rank of this machine that asks."""
        fcntl.flock(self._file, fcntl.LOCK_EX)
        first = os.fstat(self._file).st_size == 0
        os.write(self._file, b"!")
        fcntl.flock(self._file, fcntl.LOCK_UN)
        return first


def abort_all_ranks(code: int) -> None:
    """Stop every process of the launch with this exit code."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # closed, or no real file: nothing can be kept back
            stream.flush()
            wait_until_read(stream.fileno())
    load_mpi().COMM_WORLD.Abort(code)


def record(fn: Callable[..., Any], error_handler: Any = None) -> Callable[..., Any]:
    """Return `fn`: the launcher shows the traceback of the first rank that fails in any case.

    For scripts that wrap their main in it for torchrun.
    """
    return fn
