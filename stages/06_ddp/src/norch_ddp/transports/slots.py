"""Slots: a few bytes of every rank, brought to every rank, again and again.

A slot holds what a rank states of a call and, behind it, room for a small array, which then needs
no message of its own. `mpi` makes the message between the slots, `statements` starts it for each
call, `inline` reads the arrays. What the bytes mean is not known here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from ..work import Request

STATEMENT_BYTES = 160
ROOM_BYTES = 1024
ROOM_RANKS = 8
"""Groups of more ranks have no room for arrays: everybody receives all slots."""


class Persistent(Request, Protocol):
    """A message that is made once and started again for each round."""

    def start(self) -> None:
        """Start the next round."""


class Slots:
    """The slots of all ranks as this one has them; `under_way` while a round is.

    `connect(own, everybody)` returns the message that sends the one and receives the other.
    """

    __slots__ = ("_bytes", "_everybody", "_message", "_own", "_size", "room", "under_way")

    def __init__(self, size: int, connect: Callable[[bytearray, bytearray], Persistent]) -> None:
        self.room = ROOM_BYTES if size <= ROOM_RANKS else 0
        self.under_way = False
        self._size = size
        self._bytes = STATEMENT_BYTES + self.room
        self._own = bytearray(self._bytes)
        self._everybody = bytearray(self._bytes * size)
        self._message = connect(self._own, self._everybody)

    def start(self, statement: bytes, array: Any = None) -> None:
        """Send this rank's statement and array, which must fit the room, to everybody."""
        self._own[:STATEMENT_BYTES] = statement
        if array is not None:
            self._own[STATEMENT_BYTES : STATEMENT_BYTES + array.nbytes] = memoryview(array).cast(
                "B"
            )
        self._message.start()
        self.under_way = True

    def test(self) -> bool:
        """Move the round on and say whether everybody's slots are here."""
        if self.under_way and self._message.test():
            self.under_way = False
        return not self.under_way

    def agree(self) -> bool:
        """Return whether everybody has made this rank's statement."""
        return self.statements().count(self._own[:STATEMENT_BYTES]) == self._size

    def statements(self) -> list[bytearray]:
        """Return the statements in rank order."""
        everybody = self._everybody
        starts = range(0, len(everybody), self._bytes)
        return [everybody[start : start + STATEMENT_BYTES] for start in starts]

    def data(self, like: Any, row: int = 0) -> list[memoryview]:
        """Return from each rank's array the row that has the size and dtype of `like`."""
        length, kind = like.numel, memoryview(like).format
        elements = memoryview(self._everybody).cast(kind)
        per_slot = self._bytes // like.itemsize
        first = STATEMENT_BYTES // like.itemsize + row * length
        starts = range(first, len(elements), per_slot)
        return [elements[start : start + length] for start in starts]
