"""Further schedules: MultiplicativeLR, PolynomialLR and ChainedScheduler."""

from __future__ import annotations

from collections.abc import Sequence

from norch_nn.optim.lr_scheduler.factors import LambdaLR
from norch_nn.optim.lr_scheduler.scheduler import Combined, LRScheduler
from norch_nn.optim.optimizer import Optimizer


class MultiplicativeLR(LambdaLR):
    """The present rate is multiplied by `lr_lambda(epoch)` in each epoch after the first.

    >>> optimizer = nn.optim.SGD([norch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = MultiplicativeLR(optimizer, lambda epoch: 0.5)
    >>> optimizer.step()
    >>> [(scheduler.step(), scheduler.get_last_lr()[0])[1] for _ in range(2)]
    [0.5, 0.25]
    """

    def get_lr(self) -> list[float]:
        """Return the present learning rates, multiplied once more."""
        now, epoch = self._present_rates(), self.last_epoch
        if epoch == 0:
            return now
        return [rate * f for rate, f in zip(now, self.factors_of(epoch), strict=True)]

    def closed_rates(self) -> list[float]:
        """Return the initial learning rates; later ones depend on the way there."""
        return self.get_lr() if self.last_epoch else list(self.base_lrs)


class PolynomialLR(LRScheduler):
    """The factor is (1 - epoch / total_iters) to the `power`, then 0.

    >>> optimizer = nn.optim.SGD([norch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = PolynomialLR(optimizer, 2)
    >>> optimizer.step()
    >>> [(scheduler.step(), scheduler.get_last_lr()[0])[1] for _ in range(3)]
    [0.5, 0.0, 0.0]
    """

    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        """Choose the number of epochs and the power."""
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def factor_of(self, epoch: int) -> float:
        """Return the learning rate's factor: the point on the curve in `epoch`."""
        return float((1 - min(epoch, self.total_iters) / self.total_iters) ** self.power)


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
