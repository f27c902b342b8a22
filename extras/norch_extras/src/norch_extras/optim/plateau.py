"""ReduceLROnPlateau: a lower rate when a measured number has stopped getting better."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from norch_nn.optim.lr_scheduler.scheduler import LRScheduler, check_optimizer
from norch_nn.optim.optimizer import Optimizer


class ReduceLROnPlateau(LRScheduler):
    """Multiply the rate by `factor` after more than `patience` epochs without improvement.

    `step(metric)` is told the number that should get smaller ("min") or larger ("max"). Better
    means by `threshold` of the best ("rel"), or by `threshold` itself ("abs"). After a reduction
    `cooldown` epochs do not count.

    >>> optimizer = nn.optim.SGD([norch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = ReduceLROnPlateau(optimizer, patience=0)
    >>> [(scheduler.step(loss), scheduler.get_last_lr()[0])[1] for loss in (3.0, 2.0, 2.0)]
    [1.0, 1.0, 0.1]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | Sequence[float] = 0,
        eps: float = 1e-8,
    ) -> None:
        """Choose what counts as better and how the rate falls; it starts as it is."""
        self.optimizer = check_optimizer("ReduceLROnPlateau", optimizer)
        if factor >= 1:
            raise ValueError(f"[ReduceLROnPlateau] factor must be below 1, not {factor}")
        _check_choice(mode, "min", "max")
        _check_choice(threshold_mode, "rel", "abs")
        groups = len(optimizer.param_groups)
        self.min_lrs = list(min_lr) if isinstance(min_lr, Sequence) else [min_lr] * groups
        if len(self.min_lrs) != groups:
            raise ValueError(
                f"[ReduceLROnPlateau] {len(self.min_lrs)} values of min_lr for {groups} groups"
            )
        self.mode = mode
        self.factor = factor
        self.patience = patience
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = self._present_rates()
        self.cooldown_counter = 0
        self.num_bad_epochs = 0
        self.best = math.inf if mode == "min" else -math.inf

    def is_better(self, metric: float) -> bool:
        """Whether `metric` improves on the best by enough."""
        sign = 1.0 if self.mode == "min" else -1.0
        if self.threshold_mode == "abs":
            return sign * metric < sign * self.best - self.threshold
        return sign * metric < sign * self.best * (1 - sign * self.threshold)

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Note the number of this epoch; reduce the rates if it is time."""
        metric = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self.is_better(metric):
            self.best = metric
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = self._present_rates()

    @property
    def in_cooldown(self) -> bool:
        """Whether this epoch does not count."""
        return self.cooldown_counter > 0

    def _reduce(self) -> None:
        """Lower each rate, unless the change would be below `eps`."""
        for group, lowest in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
            reduced = max(group["lr"] * self.factor, lowest)
            if group["lr"] - reduced > self.eps:
                group["lr"] = reduced


def _check_choice(given: str, *choices: str) -> None:
    """Raise ValueError unless `given` is one of the choices."""
    if given not in choices:
        first, second = choices
        raise ValueError(f"[ReduceLROnPlateau] {first!r} or {second!r} is expected, not {given!r}")
