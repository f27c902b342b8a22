"""Guests: the ranks at rank 0's port, what each says of itself, and the lines that pass.

`rendezvous` makes a rank's introduction; `meeting` and `pmi` have a guest for each connection.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import sys
from contextlib import suppress
from typing import NamedTuple

READY = b"ready\n"
ALARM = b"alarm "
WORD = b"norch "
"""How rank 0's process greets, and how a rank introduces itself: nobody else does."""

GONE = b"""[distributed] the process that rank 0 left at the place of the meeting has gone: was it
killed, or is rank 0's host down, or cut off?
"""

_HELLO = re.compile(r"norch (\S+) (\S+) (\d+) (\d+) (\S+) (\S+)")

LINE_BYTES = 4096
"""What a rank says in one line is shorter."""


class Hello(NamedTuple):
    """What a rank says of itself: all but rank, host and process must be the same on all."""

    version: str
    job: str
    rank: int
    size: int
    host: str
    process: str

    def line(self) -> bytes:
        """Return the line that a rank sends first."""
        return WORD + " ".join(str(part) or "-" for part in self).encode() + b"\n"


def own_process() -> str:
    """Return this process's number, and in which container that is its number."""
    with suppress(OSError):
        return f"{os.getpid()}@{os.readlink('/proc/self/ns/pid')}"
    return f"{os.getpid()}@{sys.platform}"


def greeting(me: Hello) -> bytes:
    """Return what the meeting of a rank's job says to whoever connects."""
    return WORD + f"{me.job}\n".encode()


def read_hello(line: bytes) -> Hello | None:
    """Return what a rank has said of itself; None where no rank has said this."""
    found = _HELLO.fullmatch(line.decode(errors="replace"))
    if found is None:
        return None
    version, job, rank, size, host, process = found.groups()
    return Hello(version, job.removeprefix("-"), int(rank), int(size), host, process)


class Guest:
    """One who has connected, and who it says it is."""

    __slots__ = ("has_finished", "hello", "is_up", "socket", "unread")

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(True)
        self.socket = connection
        self.unread = b""
        self.hello: Hello | None = None
        self.is_up = False  # whether its MPI has started
        self.has_finished = False  # whether its MPI has said goodbye

    def lines(self) -> list[bytes] | None:
        """Return the whole lines that have come; None when it has gone, or floods this process."""
        with suppress(OSError):
            more = self.socket.recv(LINE_BYTES)
            *lines, self.unread = (self.unread + more).split(b"\n")
            return lines if more and len(self.unread) < LINE_BYTES else None
        return None

    def tell(self, line: bytes) -> None:
        """Send it a line, if it still is there."""
        with suppress(OSError):
            self.socket.sendall(line)

    def name(self) -> str:
        """Return the rank as messages call it."""
        assert self.hello is not None
        return f"rank {self.hello.rank} of {self.hello.size}"

    def number_here(self) -> int:
        """Return the number of the rank's process, if it is one of this host; else 0."""
        assert self.hello is not None
        number, _, place = self.hello.process.partition("@")
        is_here = self.hello.host == socket.gethostname() and own_process().endswith(f"@{place}")
        return int(number) if is_here else 0

    def end(self) -> None:
        """End a rank of this host; one of another is cut off, and its MPI says so."""
        with suppress(OSError):
            if number := self.number_here():
                os.kill(number, signal.SIGKILL)
            self.socket.shutdown(socket.SHUT_RDWR)
