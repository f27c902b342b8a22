"""The links between ranks, and how long collectives take over them.

A message of b bytes takes latency + b / bandwidth (the alpha-beta model). Collectives are those of
stage 6: rings, or trees where the message is small. Nothing is measured here.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple


class Level(NamedTuple):
    """Links of one kind. Its members are what the level below joins, or single ranks.

    `bandwidth` is what one member sends in a second. `work` is the share of a message's time that
    takes the processor from computing: 1 over shared memory, 0 where a network card does it all.
    """

    name: str
    ranks: int
    latency: float
    bandwidth: float
    work: float = 0.0


class Message(NamedTuple):
    """What one collective or message costs: seconds on the link, and of the processor."""

    seconds: float
    work: float


class Topology:
    """Levels of links from the innermost to the outermost: cores, a machine, the network.

    >>> node = Level("NVLink", 8, 3e-6, 300e9)
    >>> cluster = Topology(node, Level("network", 64, 1e-5, 200e9))
    >>> cluster.ranks
    64
    """

    def __init__(self, *levels: Level) -> None:
        sizes = [1, *(level.ranks for level in levels)]
        grows = all(b > a and b % a == 0 for a, b in pairwise(sizes))
        if not levels or not grows:
            raise ValueError(
                f"[Topology] levels of {sizes[1:]} ranks: expected each to be a multiple of the "
                "one before, the innermost first"
            )
        self.levels = levels
        self._members = sizes

    @property
    def ranks(self) -> int:
        """How many ranks the outermost level joins."""
        return self.levels[-1].ranks

    def link(self, ranks: int, stride: int) -> tuple[Level, int]:
        """Return the slowest level that ranks 0, stride, 2 stride, ... cross, and its sharers.

        All groups of that shape speak at once, so a member's link is shared by those that pass it;
        and where some groups do not fit inside a member, all wait for those.
        """
        span = ranks * stride
        for level, inner in zip(self.levels, self._members, strict=False):
            if level.ranks % span == 0 or span <= level.ranks == self.ranks:
                return level, min(stride, inner)
        raise ValueError(
            f"[Topology] {ranks} ranks with a stride of {stride}: expected at most {self.ranks} "
            "ranks in all"
        )

    def all_reduce(self, nbytes: float, ranks: int, stride: int = 1) -> Message:
        """Add b bytes up: 2 (N - 1) steps of b / N in a ring, or 2 log2 N of b in a tree."""
        if ranks == 1:
            return Message(0.0, 0.0)
        level, shared = self.link(ranks, stride)
        ring = 2 * (ranks - 1) * _hop(level, nbytes / ranks, shared)
        tree = 2 * math.ceil(math.log2(ranks)) * _hop(level, nbytes, shared)
        seconds = min(ring, tree)
        return Message(seconds, seconds * level.work)

    def all_gather(self, nbytes: float, ranks: int, stride: int = 1) -> Message:
        """Collect b bytes in all on each rank, or deal their sum out: N - 1 steps of b / N."""
        if ranks == 1:
            return Message(0.0, 0.0)
        level, shared = self.link(ranks, stride)
        seconds = (ranks - 1) * _hop(level, nbytes / ranks, shared)
        return Message(seconds, seconds * level.work)

    def send(self, nbytes: float, sender: int, stride: int) -> Message:
        """Send b bytes from a rank to the one `stride` further on, as its neighbours do at once."""
        level, inner = next(
            (level, inner)
            for level, inner in zip(self.levels, self._members, strict=False)
            if sender // level.ranks == (sender + stride) // level.ranks
        )
        seconds = _hop(level, nbytes, min(stride, inner))
        return Message(seconds, seconds * level.work)


def _hop(level: Level, nbytes: float, shared: int) -> float:
    """Return the seconds of one simulated message over a link that `shared` groups use."""
    return level.latency + nbytes * shared / level.bandwidth
