"""Agreement: whether many ranks state the same of a call, at a cost that grows with log N.

Between few ranks everybody's statement goes to everybody (`slots`). Between many, one all-reduce of
sixteen bytes compares their digests; the texts are gathered only where they differ, for the error.
`mpi` makes the messages, `statements` starts a round for each call. It carries no arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b
from struct import Struct
from typing import Any

from norch_ddp.transports.slots import STATEMENT_BYTES, Persistent
from norch_ddp.transports.work import LOOKS, Request

_PAIR = Struct("=qq")
"""A digest d and -1 - d: where their largest among the ranks belong together, all are equal."""


class Agreement:
    """The statements of all ranks, as far as they differ; `under_way` while a round is.

    `connect(memory)` returns the all-reduce that leaves the largest of each number in `memory`;
    `gather(statement, answers)` brings everybody's statement, in rank order.
    """

    __slots__ = (
        "_answers",
        "_gather",
        "_gathering",
        "_message",
        "_own",
        "_pair",
        "_statement",
        "under_way",
    )
    room = 0  # for arrays: none

    def __init__(
        self,
        size: int,
        connect: Callable[[bytearray], Persistent],
        gather: Callable[[bytes, bytearray], Request],
    ) -> None:
        self.under_way = False
        self._statement = b""
        self._own = b""  # its digest, as it is sent
        self._pair = bytearray(_PAIR.size)
        self._message = connect(self._pair)
        self._gather = gather
        self._gathering: Request | None = None
        self._answers = bytearray(STATEMENT_BYTES * size)

    def start(self, statement: bytes, array: Any = None) -> bool:
        """Send this rank's statement; return whether it is known already that all are equal."""
        if statement is not self._statement:
            self._statement, self._own = statement, _digest_pair(statement)
        self._pair[:] = self._own
        self._gathering = None
        self.under_way = True
        self._message.Start()
        return any(self.test() for _ in range(LOOKS)) and self._gathering is None

    def test(self) -> bool:
        """Move the round on and say whether it is over: if ranks differ, with all statements."""
        if self.under_way and self._gathering is None and self._message.Test():
            largest, opposite = _PAIR.unpack(self._pair)
            if largest == -1 - opposite:
                self.under_way = False
            else:  # every rank sees this
                self._gathering = self._gather(self._statement, self._answers)
        if self.under_way and self._gathering is not None:
            self.under_way = not self._gathering.test()
        return not self.under_way

    def statements(self) -> list[bytearray]:
        """Return the statements in rank order; a single one where all are equal."""
        if self._gathering is None:
            return [bytearray(self._statement)]
        starts = range(0, len(self._answers), STATEMENT_BYTES)
        return [self._answers[start:][:STATEMENT_BYTES] for start in starts]

    def close(self) -> None:
        """Release the message; every rank calls it."""
        self._message.Free()


@lru_cache(maxsize=1024)  # a training loop makes the same few calls again and again
def _digest_pair(statement: bytes) -> bytes:
    """Return a statement's digest and its opposite, as an agreement sends them."""
    number = int.from_bytes(blake2b(statement, digest_size=8).digest(), "big", signed=True)
    return _PAIR.pack(number, -1 - number)
