"""Schedules along half a cosine, once or again and again (Loshchilov and Hutter, 2016)."""

from __future__ import annotations

import math

from norch_nn.optim.lr_scheduler.scheduler import LRScheduler, along_cosine
from norch_nn.optim.optimizer import Optimizer


class CosineAnnealingLR(LRScheduler):
    """The rate goes along half a cosine from its start to `eta_min` in `T_max` epochs.

    >>> optimizer = nn.optim.SGD([norch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = CosineAnnealingLR(optimizer, 2)
    >>> optimizer.step()
    >>> [round((scheduler.step(), scheduler.get_last_lr()[0])[1], 3) for _ in range(2)]
    [0.5, 0.0]
    """

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        """Choose the length of the half wave and the lowest rate."""
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def height(self, epoch: int) -> float:
        """Return the height of the wave of learning rates: 2 at its top, 0 at its bottom."""
        return 1 + math.cos(math.pi * epoch / self.T_max)

    def get_lr(self) -> list[float]:
        """Move from the present rates as far as the wave moves from the epoch before."""
        lrs, epoch = self._present_rates(), self.last_epoch
        if epoch == 0:
            return lrs
        low = self.eta_min
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # from the bottom: nothing to scale
            rise = self.height(self.T_max - 1) / 2
            return [lr + (base - low) * rise for lr, base in zip(lrs, self.base_lrs, strict=True)]
        change = self.height(epoch) / self.height(epoch - 1)
        return [low + (lr - low) * change for lr in lrs]

    def closed_rates(self) -> list[float]:
        """Return the learning rates of this epoch, as the point on the wave."""
        part = self.last_epoch / self.T_max
        return [along_cosine(base, self.eta_min, part) for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """The lr goes down half a cosine in `T_0` epochs, then again in `T_mult` times as many.

    `step(epoch)` goes to any epoch, a fraction too.

    >>> optimizer = nn.optim.SGD([norch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = CosineAnnealingWarmRestarts(optimizer, T_0=2)
    >>> optimizer.step()
    >>> [round((scheduler.step(), scheduler.get_last_lr()[0])[1], 3) for _ in range(3)]
    [0.5, 1.0, 0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        """Choose the length of the first half wave, its growth, and the lowest rate."""
        for name, value in (("T_0", T_0), ("T_mult", T_mult)):
            if not isinstance(value, int) or value < 1:
                raise ValueError(
                    f"[CosineAnnealingWarmRestarts] {name} must be a whole number above 0, "
                    f"not {value!r}"
                )
        self.T_0 = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def rates_at(self, epoch: float) -> list[float]:
        """Return the learning rates of `epoch`, from the point on its half cosine."""
        # ex 5.17 begin
        length = self.T_0
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            epoch -= length
            length *= self.T_mult
        return [along_cosine(base, self.eta_min, epoch / length) for base in self.base_lrs]
        # ex 5.17 end

    def get_lr(self) -> list[float]:
        """Return the lr_scheduler's learning rates, which follow from the epoch alone."""
        return self.rates_at(self.last_epoch)

    def step(self, epoch: float | None = None) -> None:
        """Go to the next epoch, or to `epoch`, and set its rates."""
        if epoch is None:
            super().step()
            return
        if epoch < 0:
            raise ValueError(f"[CosineAnnealingWarmRestarts] epoch must not be below 0: {epoch}")
        self.last_epoch = math.floor(epoch)
        self._set_rates(self.rates_at(epoch))

    def _jump(self, epoch: int) -> None:
        """Go to `epoch` and set its learning rates."""
        self.step(epoch)
