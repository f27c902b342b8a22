"""Which gradients share a bucket: few messages cost little latency, many can leave early.

`bucket_schedule` answers for one link, from the moments at which backward finishes each gradient.
Called by `steps` where a plan leaves the size of buckets open, and by whoever looks for a
`bucket_cap_mb`. It sends nothing and measures nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple


class Gradient(NamedTuple):
    """A gradient: when backward has it, in seconds, and its bytes."""

    ready: float
    nbytes: float


def bucket_schedule(gradients: Sequence[Gradient], seconds: Callable[[float], float]) -> list[int]:
    """Simulate all cuts: return how many gradients go in each bucket for the last to arrive first.

    `gradients` are in the order in which backward finishes them, and stay in it; a message of b
    bytes takes `seconds(b)`, and one link carries one message after the other.

    >>> found = [Gradient(0.1, 1e6), Gradient(0.2, 1e6), Gradient(0.3, 1e6)]
    >>> bucket_schedule(found, lambda nbytes: 0.15 + nbytes / 2e7)
    [1, 2]
    """
    # ex 6.13 begin
    best: list[tuple[float, list[int]]] = [(0.0, [])]  # of the first ones: the end, the buckets
    for end in range(1, len(gradients) + 1):
        found = []
        for start in range(end):
            nbytes = sum(gradient.nbytes for gradient in gradients[start:end])
            begin = max(best[start][0], gradients[end - 1].ready)
            found.append((begin + seconds(nbytes), [*best[start][1], end - start]))
        best.append(min(found, key=lambda one: one[0]))
    return best[-1][1]
    # ex 6.13 end
