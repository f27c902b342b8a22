"""The ring all-reduce on bare memory, for arrays of a megabyte and more.

The same steps as in the readable `norch_ddp.collectives.ring`, which it is tested against, but in
pieces of half a megabyte that stay in the cache between the message that brings them and the sum
that reads them; two pieces are on their way at a time. `mpi` uses it where it measured it to be
faster.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from typing import Any

from norch_cpu_ops import float32
from norch_cpu_ops.ops import add_, copy_, empty, from_list, full, maximum, minimum, mul_
from norch_ddp.transports.work import Limit, Request, Work

RING_BYTES = 1 << 20
"""From here on the ring may be the faster way."""

PIECE_BYTES = 1 << 19
PIECES_UNDER_WAY = 2

LARGEST_PROBE_BYTES = 64 << 20
PROBES = 4
ENOUGH_SECONDS = 0.2
"""Where a probe takes longer, the network sets the time and not the way: once is enough."""

PassOn = Callable[[Any, Any, int], Request]
"""Starts to send the first to the right neighbour and to receive the second from the left one; the
number tells pieces apart that are on their way at once."""


class RingReduce:
    """The transport's request of one all-reduce over MPI: every piece of the chunks goes round.

    `after` is an earlier ring with the same tags, which must be over before this one starts.
    """

    __slots__ = (
        "_after",
        "_error",
        "_flat",
        "_op",
        "_pass_on",
        "_rank",
        "_rounds",
        "_under_way",
        "is_over",
    )

    def __init__(
        self,
        array: Any,
        op: str,
        rank: int,
        size: int,
        pass_on: PassOn,
        after: RingReduce | None = None,
    ) -> None:
        self._flat = array.reshape(-1)
        self._op = op
        self._rank = rank
        self._pass_on = pass_on
        self._after = after
        self._error: RuntimeError | None = None
        self._rounds = self._all_rounds(size)
        self._under_way: list[Iterator[bool]] = []
        self.is_over = False

    def test(self) -> bool:
        """Move the pieces on by MPI and say whether all have been round; an error stays one."""
        if self._error is not None:
            raise self._error
        if self.is_over or (self._after is not None and not self._after.is_over):
            return self.is_over
        self._after = None
        try:
            self._move_on()
        except RuntimeError as error:
            self._error = error
            raise
        if not self._under_way:
            self.is_over = True
            self._flat = None  # who keeps this request must not keep the array
        return self.is_over

    def _move_on(self) -> None:
        """Move the pieces under way round the ring, and start others where they are done."""
        missing = PIECES_UNDER_WAY - len(self._under_way)
        self._under_way.extend(islice(self._rounds, missing))
        for piece in list(self._under_way):
            if next(piece, None) is None:
                self._under_way.remove(piece)
                self._under_way.extend(islice(self._rounds, 1))

    def _all_rounds(self, size: int) -> Iterator[Iterator[bool]]:
        """Yield the rounds of the ring, each of one piece of every chunk."""
        numel, length = self._flat.numel, PIECE_BYTES // self._flat.itemsize
        cuts = [numel * part // size for part in range(size + 1)]
        chunks = list(pairwise(cuts))
        for number, at in enumerate(range(0, max(b - a for a, b in chunks), length)):
            pieces = [self._piece(min(a + at, b), min(a + at + length, b)) for a, b in chunks]
            yield self._round(pieces, number)

    def _piece(self, start: int, stop: int) -> Any:
        """Return the elements `start` to `stop` of the array that goes round, as a view."""
        return self._flat.view(((stop - start,), (1,), self._flat.offset + start))

    def _round(self, pieces: list[Any], number: int) -> Iterator[bool]:
        """Carry one piece of each chunk round by MPI; yields while it waits for a neighbour."""
        size, rank = len(pieces), self._rank
        room = empty((max(piece.numel for piece in pieces),), self._flat.dtype)
        for step in range(size - 1):  # add up on the way
            target = pieces[(rank - step - 1) % size]
            incoming = room.view(((target.numel,), (1,), 0))
            request = self._pass_on(pieces[(rank - step) % size], incoming, number)
            while not request.test():
                yield True
            self._combine(target, incoming)
        for step in range(size - 1):  # pass the sums round
            outgoing, incoming = pieces[(rank - step + 1) % size], pieces[(rank - step) % size]
            request = self._pass_on(outgoing, incoming, number)
            while not request.test():
                yield True

    def _combine(self, target: Any, incoming: Any) -> None:
        """Combine the left neighbour's piece with this rank's, in place."""
        if self._op == "sum":
            add_(target, incoming)
        elif self._op == "product":
            mul_(target, incoming)
        else:
            copy_(target, (maximum if self._op == "max" else minimum)(target, incoming))


class Rings:
    """The rings of all channels that are not over: every wait moves them on, as MPI does its own.

    Without that, a rank that waits for something else would stop the ranks that wait for a ring.
    """

    __slots__ = ("_unfinished",)

    def __init__(self) -> None:
        self._unfinished: list[RingReduce] = []

    def start(self, ring: RingReduce) -> RingReduce:
        """Start a ring, and keep it until it is over."""
        if not ring.test():
            self._unfinished.append(ring)
        return ring

    def move_on(self) -> None:
        """Move all rings of MPI messages on; an error is for who waits for that ring."""
        for ring in list(self._unfinished):
            try:
                is_over = ring.test()
            except RuntimeError:
                is_over = True
            if is_over:
                self._unfinished.remove(ring)


Way = Callable[[Any, str], Request]
"""Starts an all-reduce of an array, by an operation."""


class FasterWay:
    """Which of two ways to all-reduce large arrays is the faster: `rings`, by powers of two.

    MPI's own falls off at a size that depends on the machine: measured where this was written, the
    ring took as long at 16 MB and half as long at 64.
    """

    __slots__ = ("rings",)

    def __init__(self) -> None:
        self.rings: dict[int, bool] = {}

    def is_ring(self, nbytes: int, by_mpi: Way, by_ring: Way, limit: Limit) -> bool:
        """Measured by all ranks together at the first of a size; the slowest rank decides."""
        size = min(1 << (nbytes.bit_length() - 1), LARGEST_PROBE_BYTES)
        if size not in self.rings:
            probe = full((size // 4,), 0.0, float32)
            best = [math.inf, math.inf]
            for _ in range(PROBES):
                times = [_seconds_of(way, probe, limit) for way in (by_mpi, by_ring)]
                times = _slowest_times(by_mpi, times, limit)
                best = list(map(min, best, times))
                if max(times) > ENOUGH_SECONDS:
                    break
            self.rings[size] = best[1] <= best[0]
        return self.rings[size]


def _seconds_of(way: Way, array: Any, limit: Limit) -> float:
    """Return how long an all-reduce of `array` takes in one of the transport's two ways."""
    start = time.perf_counter()
    Work(way(array, "sum"), "all_reduce", limit).wait()
    return time.perf_counter() - start


def _slowest_times(way: Way, times: list[float], limit: Limit) -> list[float]:
    """The slowest rank's times of both ways, the ring and MPI's, brought to every rank by MPI."""
    array = from_list(times)
    Work(way(array, "max"), "all_reduce", limit).wait()
    slowest: list[float] = array.tolist()
    return slowest
