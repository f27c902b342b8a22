"""Progress: where the latest pass of a DataLoader stands, so that another process can go on there.

A pass is given by the state of the generator when its order was drawn, and by how many batches were
handed out since. Nothing is loaded to find the place again: only indices are skipped.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from norch_autograd import Generator, default_generator

State = tuple[int, int]


class Progress:
    """Counts passes and batches; begins the next pass where a `state_dict` left off."""

    def __init__(self, order: Generator | None, own: Generator | None) -> None:
        """Watch the generator of the order; `own` is one that belongs to the loader alone."""
        self.order = default_generator if order is None else order
        self.own = own
        self.passes = 0
        self.batches = 0
        self.drawn: State | None = None  # where `order` stood when the present pass began
        self.resume: State | None = None  # where it shall stand when the next one begins

    def begin(self) -> int:
        """Begin a pass of the DataLoader; return how many batches of it are over already."""
        start = self.batches if self.resume is not None else 0
        self.passes += 1
        self.batches = start
        self.drawn = self.order.get_state() if self.resume is None else self.resume
        return start

    def skip(self, tasks: Iterable[Any], count: int) -> Iterator[Any]:
        """Return the tasks after the first `count`, in the order of the pass that is resumed."""
        if self.resume is None:
            return iter(tasks)
        present = self.order.get_state()
        self.order.set_state(self.resume)
        self.resume = None
        # The first index draws the order; what is drawn later belongs to the present again.
        ahead = (task for task in tasks)
        head = list(itertools.islice(ahead, count + 1))
        self.order.set_state(present)
        return itertools.chain(head[count:], ahead)

    def count(self, batches: Iterable[Any], start: int) -> Iterator[Any]:
        """Count the batches as they are handed out; a pass that is over leaves no place."""
        self.resume = None
        number, this = start, self.passes
        for batch in batches:
            number += 1
            if this == self.passes:
                self.batches = number
            yield batch
        if this == self.passes:
            self.batches, self.drawn = 0, None

    def worker_seed(self) -> int:
        """Return a seed for the workers of this pass; the generator itself is left alone."""
        import random  # slow to import

        return random.Random(f"{self.order.get_state()} {self.passes}").getrandbits(62)

    def state_dict(self) -> dict[str, Any]:
        """Return where the DataLoader's pass stands, as plain numbers."""
        return {
            "passes": self.passes,
            "batches": self.batches,
            "order": None if self.batches == 0 else self.drawn,
            "generator": None if self.own is None else self.own.get_state(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over where a DataLoader's pass stood; the next one begins there."""
        order, own = state_dict["order"], state_dict["generator"]
        self.passes = int(state_dict["passes"]) - (order is not None)
        self.batches = int(state_dict["batches"])
        self.resume = None if order is None else (int(order[0]), int(order[1]))
        if self.own is not None and own is not None:
            self.own.set_state((int(own[0]), int(own[1])))
