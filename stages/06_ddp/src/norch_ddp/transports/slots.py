"""Slots: a few bytes of every rank, brought to every rank, again and again.

A slot holds what a rank states of a call and, behind it, room for a small array, which then needs
no message of its own. `mpi` makes the message between the slots, `statements` starts it for each
call, `inline` reads the arrays. What the bytes mean is not known here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from norch_cpu_ops.ops import copy_, share_buffer

from ..work import Request

STATEMENT_BYTES = 160
ROOM_BYTES = 1024
ROOM_RANKS = 8
"""Groups of more ranks have no room for arrays: everybody receives all slots."""


class Persistent(Request, Protocol):
    """A message that is made once and started again for each round."""

    def start(self) -> None:
        """Start the next round."""


class Places(NamedTuple):
    """Where arrays of one shape and dtype lie, as arrays: in this rank's slot, in everybody's."""

    own: Any
    everybody: list[Any]


class Slots:
    """The slots of all ranks as this one has them; `under_way` while a round is.

    `sent` are the places of the array that was sent last: everybody's have its shape and dtype.
    `connect(own, everybody)` returns the message that sends the one and receives the other.
    """

    __slots__ = (
        "_bytes",
        "_everybody",
        "_message",
        "_own",
        "_places",
        "_starts",
        "room",
        "sent",
        "under_way",
    )

    def __init__(self, size: int, connect: Callable[[bytearray, bytearray], Persistent]) -> None:
        self.room = ROOM_BYTES if size <= ROOM_RANKS else 0
        self.under_way = False
        self._bytes = STATEMENT_BYTES + self.room
        self._starts = range(0, self._bytes * size, self._bytes)
        self._own = bytearray(self._bytes)
        self._everybody = bytearray(self._bytes * size)
        self._places: dict[Any, Places] = {}
        self.sent: Places | None = None
        self._message = connect(self._own, self._everybody)

    def start(self, statement: bytes, array: Any = None) -> None:
        """Send this rank's statement and array, which must fit the room, to everybody."""
        self._own[:STATEMENT_BYTES] = statement
        if array is not None:
            self.sent = self.places(array)
            copy_(self.sent.own, array)
        self._message.start()
        self.under_way = True

    def test(self) -> bool:
        """Move the round on and say whether everybody's slots are here."""
        if self.under_way and self._message.test():
            self.under_way = False
        return not self.under_way

    def agree(self, statement: bytes) -> bool:
        """Return whether everybody has made this statement."""
        for start in self._starts:  # noqa: SIM110 (a generator doubles the time)
            if not self._everybody.startswith(statement, start):
                return False
        return True

    def statements(self) -> list[bytearray]:
        """Return the statements in rank order."""
        return [self._everybody[start : start + STATEMENT_BYTES] for start in self._starts]

    def places(self, like: Any) -> Places:
        """Return where arrays of this shape and dtype lie: made once, then a look in a dict."""
        if self.sent is not None and self.sent.own.alike(like):
            return self.sent
        key = like.dtype, like.shape
        found = self._places.get(key)
        if found is None:
            kind = memoryview(like).format
            own = share_buffer(memoryview(self._own).cast(kind))
            everybody = share_buffer(memoryview(self._everybody).cast(kind))
            starts = [(slot + STATEMENT_BYTES) // like.itemsize for slot in self._starts]
            layouts = [(like.shape, like.strides, start) for start in starts]
            found = Places(own.view(layouts[0]), [everybody.view(one) for one in layouts])
            self._places[key] = found
        return found
