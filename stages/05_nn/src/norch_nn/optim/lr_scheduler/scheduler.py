"""LRScheduler: the base of schedules. Call `scheduler.step()` after each epoch (or each batch).

Most write one method, `factor_of(epoch)`: what the initial rate is multiplied by. A step multiplies
the present rate by the change of the factor, so that two schedules can act on one optimizer. A
schedule of your own writes that, or `get_lr()` as in PyTorch.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

from norch_nn.optim.optimizer import Optimizer


def check_optimizer(name: str, optimizer: Any) -> Optimizer:
    """Return an lr_scheduler's `optimizer` if it is one, else raise TypeError."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"[{name}] an Optimizer is expected, not {type(optimizer).__name__}")
    return optimizer


def along_cosine(start: float, end: float, part: float) -> float:
    """For an lr_scheduler: return the rate on half a cosine between two, `part` of the way."""
    return end + (start - end) / 2 * (1 + math.cos(math.pi * part))


class LRScheduler:
    """Base of schedules: keeps the initial rates and the number of the epoch.

    >>> class Halved(LRScheduler):
    ...     def get_lr(self):
    ...         return [base * 0.5**self.last_epoch for base in self.base_lrs]
    >>> optimizer = nn.optim.SGD([norch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = Halved(optimizer)
    >>> optimizer.step()
    >>> scheduler.step(), scheduler.get_last_lr()
    (None, [0.5])
    """

    not_saved: tuple[str, ...] = ("optimizer",)
    _step_count = 0
    _last_lr: list[float]

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        """Set the rates of epoch 0, or of the epoch after `last_epoch` when resuming."""
        self.optimizer = check_optimizer(type(self).__name__, optimizer)
        for group in optimizer.param_groups:
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(
                    f"[{type(self).__name__}] resuming needs 'initial_lr' in every group: "
                    "load the optimizer's state_dict first"
                )
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        optimizer.stepped = False
        self.step()

    # ---- what a schedule writes ------------------------------------------------------------------

    def factor_of(self, epoch: int) -> float:
        """Return what the initial learning rate is multiplied by in `epoch`."""
        name = type(self).__name__
        raise NotImplementedError(f"[{name}] has no factor: write factor_of(epoch), or get_lr()")

    def factors_of(self, epoch: int) -> list[float]:
        """Return the learning rate's factor in `epoch` for each parameter group."""
        return [self.factor_of(epoch)] * len(self.base_lrs)

    def get_lr(self) -> list[float]:
        """Return the rates of `last_epoch`; what others did to the present ones is kept."""
        epoch, present = self.last_epoch, self._present_rates()
        now = self.factors_of(epoch)
        before = self.factors_of(epoch - 1) if epoch else [1.0] * len(now)
        return [
            rate * f / old if old else base * f
            for rate, base, f, old in zip(present, self.base_lrs, now, before, strict=True)
        ]

    def closed_rates(self) -> list[float]:
        """Return the learning rates of `last_epoch`, whatever the present ones are."""
        if type(self).get_lr is not LRScheduler.get_lr:
            return self.get_lr()
        factors = self.factors_of(self.last_epoch)
        return [base * f for base, f in zip(self.base_lrs, factors, strict=True)]

    # ---- stepping --------------------------------------------------------------------------------

    def step(self, epoch: int | None = None) -> None:
        """Go to the next epoch, or (PyTorch's older form) to `epoch`, and set its rates."""
        self._warn_of_order()
        self._step_count += 1
        if epoch is None:
            self.last_epoch += 1
            self._set_rates(self.get_lr())
        else:
            warnings.warn(
                f"[{type(self).__name__}] step(epoch) is the older form: call step() once an epoch",
                stacklevel=2,
            )
            self._jump(epoch)

    def _jump(self, epoch: int) -> None:
        """Go to `epoch` and set its learning rates; SequentialLR begins a schedule so."""
        self.last_epoch = epoch
        self._set_rates(self.closed_rates())

    def _set_rates(self, rates: list[float]) -> None:
        """Give each parameter group its learning rate."""
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate
        self._last_lr = self._present_rates()

    def _present_rates(self) -> list[float]:
        """Return the learning rates as they stand in the parameter groups."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def _warn_of_order(self) -> None:
        """Say so where the first rate is skipped: the schedule stepped before the optimizer."""
        if self._step_count == 1 and not self.optimizer.stepped:
            warnings.warn(
                f"[{type(self).__name__}] scheduler.step() came before optimizer.step(): "
                "the first rate is skipped; step the optimizer first",
                stacklevel=3,
            )

    def get_last_lr(self) -> list[float]:
        """Return the rate of each group as this schedule set it last."""
        return self._last_lr

    def state_dict(self) -> dict[str, Any]:
        """Return the schedule's state: all but the optimizer and the functions."""
        return {k: v for k, v in self.__dict__.items() if k not in self.not_saved}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a `state_dict`; the rates themselves are the optimizer's to load."""
        self.__dict__.update(state_dict)
