"""Uneven inputs: ranks that have no more batches keep step with those that still train.

`DistributedDataParallel.join` makes an `UnevenInputs`. Before each step that averages, every rank
states whether it trains or is done, so all know who is left and nobody waits for ever. Those that
are done make the others' calls, with zeros for gradients, until the last is done too; then all copy
its model. Models and buckets are not known here.
"""

from __future__ import annotations

from ..process_group import ProcessGroup
from ..statements import disagreement, exchange

OP = "DistributedDataParallel.join"
TRAINS = "join: this rank trains"
IS_DONE = "join: this rank has no more inputs"


class UnevenInputs:
    """The ranks that still train, `active`, as of the last statement; `last` are those before."""

    def __init__(self, group: ProcessGroup, divides_by_all: bool, throws: bool) -> None:
        self._group = group
        self._divides_by_all = divides_by_all
        self._throws = throws
        self.active = self.last = list(range(group.size))

    @property
    def divide_by(self) -> int:
        """By how many ranks to divide sums of gradients."""
        return self._group.size if self._divides_by_all else len(self.active)

    def goes_on(self, trains: bool) -> bool:
        """State whether this rank trains, and return whether any does; all call it."""
        text = TRAINS if trains else IS_DONE
        answers = exchange(self._group, OP, text) or [text] * self._group.size
        if not set(answers) <= {TRAINS, IS_DONE}:
            raise disagreement(self._group, OP, answers)
        self.last = self.active
        self.active = [rank for rank, answer in enumerate(answers) if answer == TRAINS]
        done = [self._group.ranks[r] for r in range(len(answers)) if r not in self.active]
        if self._throws and self.active and done:
            raise RuntimeError(
                f"[{OP}] rank {', '.join(map(str, done))} has no more inputs, and "
                "throw_on_early_termination ends all ranks: give every rank as many batches, or "
                "leave it False"
            )
        return bool(self.active)
