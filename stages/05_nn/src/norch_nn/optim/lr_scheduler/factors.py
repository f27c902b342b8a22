"""Schedules that are a factor of the initial rate: steps, powers, lines, and any function."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence

from norch_nn.optim.lr_scheduler.scheduler import LRScheduler
from norch_nn.optim.optimizer import Optimizer


class LambdaLR(LRScheduler):
    """The rate is multiplied by `lr_lambda(epoch)`, one function or one a group.

    >>> optimizer = nn.optim.SGD([norch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = LambdaLR(optimizer, lambda epoch: 0.5**epoch)
    >>> optimizer.step()
    >>> scheduler.step(); scheduler.get_last_lr()
    [0.5]
    """

    not_saved = ("optimizer", "lr_lambdas")

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

    def factors_of(self, epoch: int) -> list[float]:
        """Return the learning rates' factors in `epoch`, from each group's function."""
        return [fn(epoch) for fn in self.lr_lambdas]

    def get_lr(self) -> list[float]:
        """Return the learning rates, which follow from the epoch alone."""
        factors = self.factors_of(self.last_epoch)
        return [base * f for base, f in zip(self.base_lrs, factors, strict=True)]


class PowersOfGamma(LRScheduler):
    """Base of StepLR, MultiStepLR and ExponentialLR: multiplies by `gamma` again and again."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        """Choose the factor."""
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def count_of(self, epoch: int) -> int:
        """Return how many times the initial rate is multiplied by gamma until `epoch`."""
        return epoch

    def get_lr(self) -> list[float]:
        """Return the present rates times gamma; its powers would overflow sooner than they do."""
        before = self.count_of(self.last_epoch - 1) if self.last_epoch else 0
        times = self.count_of(self.last_epoch) - before
        return [rate * self.gamma**times if times else rate for rate in self._present_rates()]

    def closed_rates(self) -> list[float]:
        """Return the learning rates of `last_epoch`, whatever the present ones are."""
        return [base * self.gamma ** self.count_of(self.last_epoch) for base in self.base_lrs]


class StepLR(PowersOfGamma):
    """The rate is multiplied by `gamma` every `step_size` epochs.

    >>> optimizer = nn.optim.SGD([norch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = StepLR(optimizer, 2, gamma=0.5)
    >>> optimizer.step()
    >>> [scheduler.step() or scheduler.get_last_lr()[0] for _ in range(4)]
    [1.0, 0.5, 0.5, 0.25]
    """

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        """Choose the length of a step and its factor."""
        self.step_size = step_size
        super().__init__(optimizer, gamma, last_epoch)

    def count_of(self, epoch: int) -> int:
        """Return the number of whole steps."""
        return epoch // self.step_size


class MultiStepLR(PowersOfGamma):
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
        super().__init__(optimizer, gamma, last_epoch)

    def count_of(self, epoch: int) -> int:
        """Return the number of milestones passed."""
        return bisect_right(self.milestones, epoch)


class ExponentialLR(PowersOfGamma):
    """The rate is multiplied by `gamma` every epoch."""


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

    def factor_of(self, epoch: int) -> float:
        """Return the learning rate's factor: the point on the line in `epoch`."""
        part = epoch / self.total_iters if epoch < self.total_iters else 1.0
        return self.start_factor + (self.end_factor - self.start_factor) * part


class ConstantLR(LRScheduler):
    """The rate is multiplied by `factor` for `total_iters` epochs, then stays."""

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 1.0 / 3,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        """Choose the factor and for how long."""
        if not 0 <= factor <= 1:
            raise ValueError(f"[ConstantLR] factor must lie between 0 and 1, not {factor}")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def factor_of(self, epoch: int) -> float:
        """Return the learning rate's factor: `factor` at first, then 1."""
        return self.factor if epoch < self.total_iters else 1.0
