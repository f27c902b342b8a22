"""Schedules made of schedules: one after the other, or all at once.

`norch.optim.lr_scheduler` re-exports SequentialLR and ChainedScheduler. The state of one holds the
states of its parts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from norch_nn.optim.lr_scheduler.scheduler import LRScheduler, check_optimizer
from norch_nn.optim.optimizer import Optimizer


class Combined(LRScheduler):
    """Base of an lr_scheduler made of several: a list of them, and one state of them all."""

    not_saved = ("optimizer", "schedulers")

    def _take(self, optimizer: Any, schedulers: Sequence[LRScheduler]) -> None:
        """Take over an lr_scheduler's parts, the schedules, which must all act on `optimizer`."""
        name = type(self).__name__
        if not schedulers:
            raise ValueError(f"[{name}] at least one schedule is expected, not none")
        self.optimizer = check_optimizer(name, optimizer or schedulers[0].optimizer)
        for number, scheduler in enumerate(schedulers):
            if scheduler.optimizer is not self.optimizer:
                raise ValueError(f"[{name}] schedule {number} acts on another optimizer")
        self.schedulers = list(schedulers)

    def state_dict(self) -> dict[str, Any]:
        """Return the state of every schedule, and where this one is."""
        return {**super().state_dict(), "schedulers": [s.state_dict() for s in self.schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over an lr_scheduler's `state_dict`; ValueError for another number of schedules."""
        states = state_dict["schedulers"]
        if len(states) != len(self.schedulers):
            raise ValueError(
                f"[{type(self).__name__}] the state_dict has {len(states)} schedules, "
                f"this one {len(self.schedulers)}"
            )
        super().load_state_dict({k: v for k, v in state_dict.items() if k != "schedulers"})
        for scheduler, state in zip(self.schedulers, states, strict=True):
            scheduler.load_state_dict(state)


class SequentialLR(Combined):
    """One schedule until its milestone, then the next from its own beginning.

    >>> from norch_nn.optim.lr_scheduler import ConstantLR, ExponentialLR
    >>> optimizer = nn.optim.SGD([norch.zeros(1, requires_grad=True)], lr=1.0)
    >>> parts = [ConstantLR(optimizer, 0.5, 10), ExponentialLR(optimizer, 0.5)]
    >>> scheduler = SequentialLR(optimizer, parts, milestones=[2])
    >>> optimizer.step()
    >>> [(scheduler.step(), scheduler.get_last_lr()[0])[1] for _ in range(3)]
    [0.5, 1.0, 0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: Sequence[LRScheduler],
        milestones: Sequence[int],
        last_epoch: int = -1,
    ) -> None:
        """Take the schedules and the epochs at which the next one begins."""
        self._take(optimizer, schedulers)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                f"[SequentialLR] {len(schedulers)} schedules need {len(schedulers) - 1} "
                f"milestones, not {len(milestones)}"
            )
        self.milestones = list(milestones)
        self.last_epoch = last_epoch + 1
        # Each schedule set its first rate when it was made: undo that.
        first = self.schedulers[0]
        first.last_epoch = 0
        self._set_rates([group["initial_lr"] for group in self.optimizer.param_groups])
        first._set_rates(first.get_lr())
        self._last_lr = first.get_last_lr()

    def step(self) -> None:  # type: ignore[override]
        """Go to the next epoch of the schedule whose turn it is."""
        self.last_epoch += 1
        number = bisect_right(self.milestones, self.last_epoch)
        scheduler = self.schedulers[number]
        if number and self.milestones[number - 1] == self.last_epoch:
            scheduler._jump(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(Combined):
    """Several schedules at once: each step is a step of all.

    >>> from norch_nn.optim.lr_scheduler import ConstantLR, ExponentialLR
    >>> optimizer = nn.optim.SGD([norch.zeros(1, requires_grad=True)], lr=1.0)
    >>> both = ChainedScheduler([ConstantLR(optimizer, 0.5, 2), ExponentialLR(optimizer, 0.5)])
    >>> optimizer.step()
    >>> [both.get_last_lr()[0], *((both.step(), both.get_last_lr()[0])[1] for _ in range(2))]
    [0.5, 0.25, 0.25]
    """

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None:
        """Take the schedules, which all act on one optimizer."""
        self._take(optimizer, schedulers)
        self._last_lr = self._present_rates()

    def step(self) -> None:  # type: ignore[override]
        """Take a step of every schedule."""
        for scheduler in self.schedulers:
            scheduler.step()
        self._last_lr = self._present_rates()
