"""LRScheduler: the base of schedules. Call `scheduler.step()` after each epoch (or each batch).

Most write one method, `factor(epoch)`: what the initial rate is multiplied by. A step multiplies
the present rate by the change of the factor, so that two schedules can act on one optimizer.
"""

from __future__ import annotations

from typing import Any

from norch_nn.optim.optimizer import Optimizer

__all__ = ["LRScheduler", "checked"]


def checked(name: str, optimizer: Any) -> Optimizer:
    """Return `optimizer` if it is one, else raise TypeError."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"[{name}] an Optimizer is expected, not {type(optimizer).__name__}")
    return optimizer


class LRScheduler:
    """Base of schedules: keeps the initial rates and the number of the epoch."""

    not_saved: tuple[str, ...] = ("optimizer",)

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        """Set the rates of epoch 0, or of the epoch after `last_epoch` when resuming."""
        self.optimizer = checked(type(self).__name__, optimizer)
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
        self.step()

    def factor(self, epoch: int) -> float:
        """What the initial rate is multiplied by in `epoch`."""
        raise NotImplementedError(f"[{type(self).__name__}] has no factor: write factor(epoch)")

    def factors(self, epoch: int) -> list[float]:
        """One factor a group."""
        return [self.factor(epoch)] * len(self.base_lrs)

    def rates(self, epoch: int) -> list[float]:
        """Return the rates of `epoch`; what others did to the present ones is kept."""
        groups = self.optimizer.param_groups
        now = self.factors(epoch)
        if epoch == 0:
            return [group["lr"] * f for group, f in zip(groups, now, strict=True)]
        before = self.factors(epoch - 1)
        return [
            group["lr"] * f / old if old else base * f
            for group, base, f, old in zip(groups, self.base_lrs, now, before, strict=True)
        ]

    def first_rates(self) -> list[float]:
        """Return the rates of epoch 0, whatever the present ones are."""
        return [base * f for base, f in zip(self.base_lrs, self.factors(0), strict=True)]

    def _set(self, rates: list[float]) -> None:
        """Give each group its rate."""
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate

    def step(self) -> None:
        """Go to the next epoch and set its rates."""
        self.last_epoch += 1
        self._set(self.rates(self.last_epoch))

    def restart(self) -> None:
        """Go to epoch 0 and set its rates: SequentialLR's way to begin a schedule."""
        self.last_epoch = 0
        self._set(self.first_rates())

    def get_last_lr(self) -> list[float]:
        """Return the present rate of each group."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Return all but the optimizer and the functions."""
        return {k: v for k, v in self.__dict__.items() if k not in self.not_saved}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a `state_dict`; the rates themselves are the optimizer's to load."""
        self.__dict__.update(state_dict)
