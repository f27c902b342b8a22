"""Slots: a few bytes of every rank, brought to every rank, again and again.

A slot holds what a rank states of a call and, behind it, room for a small array, which then needs
no message of its own. `mpi` makes the message between the slots, `statements` starts it for each
call, `inline` reads the arrays. What the bytes mean is not known here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from norch_cpu_ops.ops import copy_, share_buffer
from norch_ddp.transports.work import LOOKS

_LOOKS = range(LOOKS)  # a new range costs as much as a look

STATEMENT_BYTES = 160
ROOM_BYTES = 1024
ROOM_RANKS = 8
"""Groups of more ranks have no slots, but an `agreement`: everybody would receive all of them."""


class Persistent(Protocol):
    """A message that is made once and started again for each round."""

    def Start(self) -> object:
        """Start the next round."""

    def Test(self) -> bool:
        """Move it on and say whether it has arrived, or was not started."""

    def Free(self) -> object:
        """Release it."""


class Places(NamedTuple):
    """Where arrays of one shape and dtype lie, as arrays: in this rank's slot, in everybody's."""

    own: Any
    everybody: list[Any]


class Slots:
    """The slots of all ranks as this one has them; `under_way` while a round is.

    `latest` are the places of the array that was sent last: everybody's have its shape and dtype.
    `connect(memory)` returns the messages that send this rank's slot, and receive the others.
    """

    __slots__ = (
        "_bytes",
        "_everybody",
        "_messages",
        "_offsets",
        "_others",
        "_own",
        "_places",
        "_rank",
        "_starts",
        "_statement",
        "_tests",
        "latest",
        "room",
        "under_way",
    )

    def __init__(
        self, rank: int, size: int, connect: Callable[[memoryview], list[Persistent]]
    ) -> None:
        self.room = ROOM_BYTES
        self.under_way = False
        self._bytes = STATEMENT_BYTES + self.room
        self._offsets = range(0, self._bytes * size, self._bytes)
        self._others = [offset for r, offset in enumerate(self._offsets) if r != rank]
        self._everybody = bytearray(self._bytes * size)
        self._rank = rank
        self._own = memoryview(self._everybody)[self._offsets[rank] :]
        self._statement = b""  # the statement that lies in there
        self._places: dict[Any, Places] = {}
        self.latest: Any = None  # Places, after the first
        self._messages = connect(memoryview(self._everybody))
        self._starts = [message.Start for message in self._messages]  # methods are found once:
        self._tests = [message.Test for message in self._messages]  # a tenth of a round

    def start(self, statement: bytes, array: Any = None) -> bool:
        """Send this rank's statement and array, which must fit the room, to everybody.

        Returns whether everybody's are here after a few looks, and all state the same.
        """
        if statement is not self._statement:
            self._own[:STATEMENT_BYTES] = self._statement = statement
        if array is not None:
            if self.latest is None or not self.latest.own.alike(array):
                self.latest = self.places(array)
            copy_(self.latest.own, array)
        self.under_way = True
        for start in self._starts:
            start()
        for _ in _LOOKS:
            for test in self._tests:
                if not test():
                    break
            else:  # all have arrived
                self.under_way = False
                break
        if self.under_way:
            return False
        for offset in self._others:  # noqa: SIM110 (a generator doubles the time)
            if not self._everybody.startswith(statement, offset):
                return False
        return True

    def close(self) -> None:
        """Release the messages; every rank calls it."""
        for message in self._messages:
            message.Free()

    def test(self) -> bool:
        """Move the round on and say whether everybody's slots are here."""
        if self.under_way:
            self.under_way = not all(test() for test in self._tests)
        return not self.under_way

    def statements(self) -> list[bytearray]:
        """Return the statements in rank order."""
        return [self._everybody[offset:][:STATEMENT_BYTES] for offset in self._offsets]

    def places(self, like: Any) -> Places:
        """Return where arrays of this shape and dtype lie: made once, then a look in a dict."""
        key = like.dtype, like.shape
        found = self._places.get(key)
        if found is None:
            kind: Any = memoryview(like).format
            whole = share_buffer(memoryview(self._everybody).cast(kind))
            starts = [(slot + STATEMENT_BYTES) // like.itemsize for slot in self._offsets]
            everybody = [whole.view((like.shape, like.strides, start)) for start in starts]
            found = Places(everybody[self._rank], everybody)
            self._places[key] = found
        return found
