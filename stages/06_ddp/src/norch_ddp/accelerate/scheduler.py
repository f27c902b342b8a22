"""A prepared schedule: it moves on only when its optimizer did.

Made by `Accelerator.prepare`. One `step` is one step whatever the number of processes: write the
schedule for the steps that one process makes.
"""

from __future__ import annotations

from typing import Any

from norch_nn.optim.lr_scheduler import LRScheduler

from .optimizer import PreparedOptimizer
from .pace import Pace


class PreparedScheduler:
    """The user's `scheduler`; its step waits for the optimizer's."""

    def __init__(
        self, scheduler: LRScheduler, optimizers: list[PreparedOptimizer], pace: Pace
    ) -> None:
        self.scheduler = scheduler
        self.optimizer = scheduler.optimizer
        self._optimizers = [
            one for one in optimizers if scheduler.optimizer in (one, one.optimizer)
        ]
        self._pace = pace

    def step(self, *args: Any, **kwargs: Any) -> None:
        """Move on, unless gradients are still being added up or the step was left out."""
        skipped = any(optimizer.step_was_skipped for optimizer in self._optimizers)
        if self._pace.synchronizes and not skipped:
            self.scheduler.step(*args, **kwargs)

    def get_last_lr(self) -> list[float]:
        """Return the present rate of each group."""
        return self.scheduler.get_last_lr()

    def state_dict(self) -> dict[str, Any]:
        """Return the schedule's."""
        return self.scheduler.state_dict()

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Give it to the schedule."""
        self.scheduler.load_state_dict(state_dict)
