"""Each rank's share of the batches: one order for all, cut into equal parts.

Rank 0 draws the order, whatever the sampler, so all ranks agree without sharing a random state.
`size` batches are joined and cut into as many equal parts: every step has all ranks at work, and N
processes with batches of B learn what one process with batches of N * B does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..objects import broadcast_object_list
from ..process_group import get_rank, get_world_size


class Step(NamedTuple):
    """What one rank loads for one step, and how many samples all ranks have without repeats."""

    indices: list[Any]
    samples: int


def draw(batch_sampler: Any) -> list[list[Any]]:
    """Return the batches of one pass as rank 0's sampler gives them, on every rank."""
    orders = [[list(batch) for batch in batch_sampler] if get_rank() == 0 else None]
    if get_world_size() > 1:
        broadcast_object_list(orders, src=0)
    return orders[0]


def deal(batches: Sequence[list[Any]], rank: int, size: int, drop_last: bool) -> list[Step]:
    """Join `size` batches at a time and cut each pile into `size` equal parts; ours is `rank`.

    A pile that does not divide repeats its first samples. With `drop_last`, a pile of fewer batches
    is left out.

    >>> deal([[0, 1], [2, 3], [4]], rank=1, size=2, drop_last=False)
    [Step(indices=[2, 3], samples=4), Step(indices=[4], samples=1)]
    """
    steps = []
    for start in range(0, len(batches), size):
        if drop_last and start + size > len(batches):
            break
        pile = [index for batch in batches[start : start + size] for index in batch]
        part = math.ceil(len(pile) / size)
        repeated = (pile * size)[: part * size]
        steps.append(Step(repeated[rank * part : (rank + 1) * part], len(pile)))
    return steps
