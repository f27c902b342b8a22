"""Learning rate schedules: call `scheduler.step()` after each epoch (or each batch).

Each writes one method, `factor(epoch)`: what the initial learning rate is multiplied by. A step
multiplies the present rate by the change of the factor, so that two schedules can act on one
optimizer; LambdaLR and CosineAnnealingLR set the rate, as in PyTorch.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any

from norch_nn.optim.optimizer import Optimizer

__all__ = [
    "CosineAnnealingLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "StepLR",
]


class LRScheduler:
    """Base of schedules: keeps the initial rates and the number of the epoch."""

    sets_rate = False  # whether the rate follows from the epoch alone

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        """Set the rates of epoch 0, or of the epoch after `last_epoch` when resuming."""
        if not isinstance(optimizer, Optimizer):
            given = type(optimizer).__name__
            raise TypeError(f"[{type(self).__name__}] an Optimizer is expected, not {given}")
        self.optimizer = optimizer
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

    def step(self) -> None:
        """Go to the next epoch and set its rates."""
        self.last_epoch += 1
        now = self.factors(self.last_epoch)
        before = self.factors(self.last_epoch - 1) if self.last_epoch else [1.0] * len(now)
        for i, group in enumerate(self.optimizer.param_groups):
            if self.sets_rate or before[i] == 0:
                group["lr"] = self.base_lrs[i] * now[i]
            else:
                group["lr"] *= now[i] / before[i]

    def get_last_lr(self) -> list[float]:
        """Return the present rate of each group."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Return all but the optimizer and the functions."""
        kept = {k: v for k, v in self.__dict__.items() if k not in ("optimizer", "lr_lambdas")}
        return kept

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a `state_dict`; the rates themselves are the optimizer's to load."""
        self.__dict__.update(state_dict)


class LambdaLR(LRScheduler):
    """The rate is multiplied by `lr_lambda(epoch)`, one function or one a group.

    >>> import norch_autograd as norch
    >>> from norch_nn.optim import SGD
    >>> optimizer = SGD([norch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = LambdaLR(optimizer, lambda epoch: 0.5**epoch)
    >>> scheduler.step(); scheduler.get_last_lr()
    [0.5]
    """

    sets_rate = True

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        """Take one function for all groups, or a list with one for each."""
        groups = len(optimizer.param_groups)
        self.lr_lambdas = [lr_lambda] * groups if callable(lr_lambda) else list(lr_lambda)
        if len(self.lr_lambdas) != groups:
            raise ValueError(
                f"[LambdaLR] {len(self.lr_lambdas)} functions were given for {groups} groups"
            )
        super().__init__(optimizer, last_epoch)

    def factors(self, epoch: int) -> list[float]:
        """Ask each group's function."""
        return [fn(epoch) for fn in self.lr_lambdas]


class StepLR(LRScheduler):
    """The rate is multiplied by `gamma` every `step_size` epochs.

    >>> import norch_autograd as norch
    >>> from norch_nn.optim import SGD
    >>> scheduler = StepLR(SGD([norch.zeros(1, requires_grad=True)], lr=1.0), 2, gamma=0.5)
    >>> [scheduler.step() or scheduler.get_last_lr()[0] for _ in range(4)]
    [1.0, 0.5, 0.5, 0.25]
    """

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        """Choose the length of a step and its factor."""
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        """gamma to the number of whole steps."""
        return float(self.gamma ** (epoch // self.step_size))


class MultiStepLR(LRScheduler):
    """The rate is multiplied by `gamma` at each epoch in `milestones`."""

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Sequence[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        """Choose the epochs and the factor."""
        self.milestones = sorted(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        """gamma to the number of milestones passed."""
        return float(self.gamma ** bisect_right(self.milestones, epoch))


class ExponentialLR(LRScheduler):
    """The rate is multiplied by `gamma` every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        """Choose the factor."""
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        """gamma to the number of the epoch."""
        return float(self.gamma**epoch)


class LinearLR(LRScheduler):
    """The factor goes in a straight line from `start_factor` to `end_factor`, then stays."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        """Choose both ends and the number of epochs between."""
        if not 0 < start_factor <= 1 or not 0 <= end_factor <= 1:
            raise ValueError(
                "[LinearLR] factors between 0 and 1 are expected, the first above 0, "
                f"not {start_factor} and {end_factor}"
            )
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        """The point on the line."""
        part = min(epoch / self.total_iters, 1.0)
        return self.start_factor + (self.end_factor - self.start_factor) * part


class CosineAnnealingLR(LRScheduler):
    """The rate goes along half a cosine from its start to `eta_min` in `T_max` epochs.

    >>> import norch_autograd as norch
    >>> from norch_nn.optim import SGD
    >>> scheduler = CosineAnnealingLR(SGD([norch.zeros(1, requires_grad=True)], lr=1.0), 2)
    >>> [round((scheduler.step(), scheduler.get_last_lr()[0])[1], 3) for _ in range(2)]
    [0.5, 0.0]
    """

    sets_rate = True

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        """Choose the length of the half wave and the lowest rate."""
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def factors(self, epoch: int) -> list[float]:
        """The point on the cosine; `eta_min` is a rate, not a factor."""
        wave = (1 + math.cos(math.pi * epoch / self.T_max)) / 2
        low = self.eta_min
        return [(low + (base - low) * wave) / base if base else 0.0 for base in self.base_lrs]
