"""The links between ranks, and how long collectives take over them.

A message of b bytes takes latency + b / bandwidth (the alpha-beta model). Links have levels: cores,
a node, the network. Collectives are the two that stage 6 and NCCL have, rings and trees. Nothing
is measured here.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

_PIECE = 12e6
"""Bytes that go up and down a tree as one piece. With 15 us a hop it is what NCCL's curves from 32
to 8,192 GPUs show: 45 us a hop from 16 MB on (NVIDIA, GTC 2024, talk S62129, slide 35)."""


class Level(NamedTuple):
    """Links of one kind. Its members are what the level below joins, or single ranks.

    `bandwidth` is what one member sends in a second. `work` is the share of a message's time that
    takes the processor from computing: 1 over shared memory, 0 where a network card does it all.
    `sums` is how many times faster an all_reduce is where the switch adds (NVLink SHARP: 1.3).
    """

    name: str
    ranks: int
    latency: float
    bandwidth: float
    work: float = 0.0
    sums: float = 1.0


class Message(NamedTuple):
    """What one collective or message costs: seconds on the link, and of the processor."""

    seconds: float
    work: float


class Crossing(NamedTuple):
    """A level that a group crosses: joined members, and the groups that share a member's link."""

    level: Level
    members: int
    shared: int


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

    def crossings(self, ranks: int, stride: int) -> list[Crossing]:
        """Return the levels that ranks 0, stride, 2 stride, ... cross, the innermost first.

        All groups of that shape speak at once, so a member's link is shared by those that pass it;
        and where some groups do not fit inside a member, all count as those.
        """
        span, found, below = ranks * stride, [], 1  # of the group's ranks, in one member
        for level, inner in zip(self.levels, self._members, strict=False):
            fits = level.ranks % span == 0 or span <= level.ranks == self.ranks
            joined = ranks if fits else math.gcd(max(1, level.ranks // stride), ranks)
            if joined > below:
                found.append(Crossing(level, joined // below, min(stride, inner)))
                below = joined
            if fits:
                return found
        raise ValueError(
            f"[Topology] {ranks} ranks with a stride of {stride}: expected at most {self.ranks} "
            "ranks in all"
        )

    def all_reduce(self, nbytes: float, ranks: int, stride: int = 1) -> Message:
        """Add b bytes up: the faster of a ring and a tree, each through all levels at once.

        A ring through N ranks, node by node, carries 2 (N - 1) / N b over every level's links, in
        2 (N - 1) steps. A tree joins nodes, in which a ring has added up: pieces go up and down, 2
        log2(nodes) steps for the first, then 2 b follow. The slowest level sets the rate.
        """
        if ranks == 1:
            return Message(0.0, 0.0)
        crossed = self.crossings(ranks, stride)
        seconds = min(_ring(crossed, nbytes, ranks, 2), _tree(crossed, nbytes))
        return Message(seconds, seconds * crossed[-1].level.work)

    def all_gather(self, nbytes: float, ranks: int, stride: int = 1) -> Message:
        """Collect b bytes in all on each rank, or deal their sum out: half of the ring's way."""
        if ranks == 1:
            return Message(0.0, 0.0)
        crossed = self.crossings(ranks, stride)
        seconds = _ring(crossed, nbytes, ranks, 1)
        return Message(seconds, seconds * crossed[-1].level.work)

    def send(self, nbytes: float, sender: int, stride: int) -> Message:
        """Send b bytes from a rank to the one `stride` further on, as its neighbours do at once."""
        level, inner = next(
            (level, inner)
            for level, inner in zip(self.levels, self._members, strict=False)
            if sender // level.ranks == (sender + stride) // level.ranks
        )
        seconds = level.latency + nbytes * min(stride, inner) / level.bandwidth
        return Message(seconds, seconds * level.work)


def _ring(crossed: list[Crossing], nbytes: float, ranks: int, rounds: int) -> float:
    """Return the seconds of a ring that passes every rank once or, for sums, twice."""
    moved = rounds * (ranks - 1) / ranks * nbytes
    steps, outer = 0.0, 1
    for one in reversed(crossed):
        steps += outer * (one.members - 1) * one.level.latency
        outer *= one.members
    return max(_bytes(one, moved, rounds) for one in crossed) + rounds * steps


def _tree(crossed: list[Crossing], nbytes: float) -> float:
    """Return the seconds of a tree of the outermost level's members, inside which rings add up."""
    *inside, outer = crossed
    piece = min(nbytes, _PIECE)
    hop = outer.level.latency + _bytes(outer, piece, 1)
    rest = max(_bytes(one, 2 * (nbytes - piece), 2) for one in crossed)
    rings = sum(2 * (one.members - 1) * one.level.latency for one in inside)
    return rings + 2 * math.ceil(math.log2(outer.members)) * hop + rest


def _bytes(crossing: Crossing, nbytes: float, rounds: int) -> float:
    """Return the seconds of so many bytes over a level's link, with those of the other groups."""
    gain = crossing.level.sums if rounds == 2 else 1.0
    return nbytes * crossing.shared / crossing.level.bandwidth / gain
