"""Messages between the Pythons of a page, by MPI's rules: of a pair of ranks, in their order.

A send copies its bytes, and is over at once. What arrives waits until somebody receives it, by its
communicator, source and tag. A worker hears of a message only while its Python stands still, so a
look that finds nothing stands still for a moment: that is what `run_sync` does.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import live_ports  # worker.js makes it: rank, size, send, take, pause
from pyodide.ffi import run_sync, to_js

ANY_SOURCE = -1
ERR_TRUNCATE = 15
MOMENT = 1  # milliseconds


class Error(Exception):
    """MPI's `Exception`: a message is larger than what it goes to."""

    def Get_error_class(self) -> int:
        """Return which error it is: there is one."""
        return ERR_TRUNCATE


class Message(NamedTuple):
    """What came, and the communicator that it came through; the source is one of its ranks."""

    context: str
    source: int
    tag: int | str
    data: bytes


class Status:
    """What became of a receive."""

    source, count, is_cancelled = ANY_SOURCE, 0, False

    def Get_source(self) -> int:
        """Return the rank that sent it."""
        return self.source

    def Get_count(self, kind: str) -> int:
        """Return how many bytes came."""
        return self.count

    def Is_cancelled(self) -> bool:
        """Return whether it was taken back before anything came."""
        return self.is_cancelled


arrived: list[Message] = []  # nobody has asked for them yet
expected: list[Receive] = []  # their messages have not come yet


def send(to: int, message: Message) -> None:
    """Send to a rank of the world; what it sends to itself is there at once."""
    if to == live_ports.rank:
        deliver(message)
    else:
        context, source, tag, data = message
        live_ports.send(to, context, source, tag, to_js(data))


def deliver(message: Message) -> None:
    """Give a message to the first who waits for it, or keep it."""
    for receive in expected:
        if receive.takes(message):
            expected.remove(receive)
            receive.message = message
            return
    arrived.append(message)


def look() -> None:
    """Take in what has come; if nothing has, wait a moment for it."""
    found = live_ports.take()
    if found is None:
        run_sync(live_ports.pause(MOMENT))
        found = live_ports.take()
    while found is not None:
        context, source, tag, data = found
        deliver(Message(context, source, tag, data.to_bytes()))
        found = live_ports.take()


class Receive:
    """One message that is to come, into `memory` or to be kept; `Start` asks for it."""

    def __init__(self, context: str, source: int, tag: int | str, memory: Any = None) -> None:
        self.context, self.source, self.tag, self.memory = context, source, tag, memory
        self.message: Message | None = None
        self.is_over, self.is_cancelled = True, False

    def Start(self) -> Receive:
        """Ask for the next message of this kind."""
        self.is_over = False
        self.message = next(filter(self.takes, arrived), None)
        if self.message is None:
            expected.append(self)
        else:
            arrived.remove(self.message)
        return self

    def takes(self, message: Message) -> bool:
        """Return whether this message is meant."""
        is_source = self.source in (ANY_SOURCE, message.source)
        return is_source and (message.context, message.tag) == (self.context, self.tag)

    def Test(self, status: Status | None = None) -> bool:
        """Return whether the message is here, and in its place."""
        if not self.is_over and self.message is None:
            look()
        if not self.is_over and self.message is not None:
            self.is_over = True
            self.put(self.message.data)
        if self.is_over and status is not None:
            status.is_cancelled = self.is_cancelled
            if self.message is not None:
                status.source, status.count = self.message.source, len(self.message.data)
        return self.is_over

    def put(self, data: bytes) -> None:
        """Write what came into its place."""
        if self.memory is None:
            return
        if len(data) > len(self.memory):
            raise Error(f"a message of {len(data)} bytes for {len(self.memory)}")
        self.memory[: len(data)] = data

    def Wait(self, status: Status | None = None) -> None:
        """Wait for it."""
        while not self.Test(status):
            pass

    def Cancel(self) -> None:
        """Take the question back, unless the message is here."""
        if self in expected:
            expected.remove(self)
            self.is_over = self.is_cancelled = True

    def Free(self) -> None:
        """Forget it: there is nothing to release."""
