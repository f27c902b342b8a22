"""Further schedules of the rate: cyclic, polynomial, by a measured number.

CyclicLR goes between two bounds again and again; OneCycleLR up to a high rate and down to almost
none, once; momentum goes the other way. ReduceLROnPlateau lowers the rate when a measured number
has stopped getting better.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from norch_nn.optim.lr_scheduler.factors import LambdaLR
from norch_nn.optim.lr_scheduler.scheduler import LRScheduler, along_cosine, check_optimizer
from norch_nn.optim.optimizer import Group, Optimizer


def for_each(op: str, name: str, value: Any, groups: list[Group]) -> list[float]:
    """One rate or momentum a group of the optimizer, for the cyclic schedules."""
    values = list(value) if isinstance(value, Sequence) else [value] * len(groups)
    if len(values) != len(groups):
        raise ValueError(f"[{op}] {name} has {len(values)} numbers for {len(groups)} groups")
    return values


def check_momentum(op: str, groups: list[Group]) -> None:
    """Refuse an optimizer without momentum for a cyclic schedule; Adam's is the first beta."""
    if "momentum" not in groups[0] and "betas" not in groups[0]:
        raise ValueError(
            f"[{op}] the optimizer has neither momentum nor betas: pass cycle_momentum=False"
        )


def momentum_bounds(op: str, groups: list[Group], base: Any, high: Any, last_epoch: int) -> None:
    """Write the bounds of a cyclic schedule's momentum into the groups, unless it goes on."""
    check_momentum(op, groups)
    bases = for_each(op, "base_momentum", base, groups)
    highs = for_each(op, "max_momentum", high, groups)
    if last_epoch == -1:
        for group, low, top in zip(groups, bases, highs, strict=True):
            group["base_momentum"], group["max_momentum"] = low, top


def set_momentum(group: Group, momentum: float) -> None:
    """Give a group its momentum in a cyclic schedule, which of Adam is the first beta."""
    if "betas" in group:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


class CyclicLR(LRScheduler):
    """Triangles between `base_lr` and `max_lr` (Smith, 2015); call `step()` after every batch.

    `mode` "triangular2" halves the height with each cycle, "exp_range" shrinks it by gamma ** step;
    or `scale_fn`, a function of the cycle or of the step, as `scale_mode` says.

    >>> optimizer = nn.optim.SGD([norch.zeros(1, requires_grad=True)], lr=1.0, momentum=0.9)
    >>> scheduler = CyclicLR(optimizer, base_lr=0.0, max_lr=1.0, step_size_up=2)
    >>> optimizer.step()
    >>> [(scheduler.step(), scheduler.get_last_lr()[0])[1] for _ in range(4)]
    [0.5, 1.0, 0.5, 0.0]
    """

    not_saved = ("optimizer", "scale_fn")

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | Sequence[float],
        max_lr: float | Sequence[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.8,
        max_momentum: float | Sequence[float] = 0.9,
        last_epoch: int = -1,
    ) -> None:
        """Choose the bounds, how many steps up and down take, and how the height changes."""
        self.optimizer = check_optimizer("CyclicLR", optimizer)
        groups = optimizer.param_groups
        if last_epoch == -1:
            for group, low in zip(
                groups, for_each("CyclicLR", "base_lr", base_lr, groups), strict=True
            ):
                group["lr"] = group["initial_lr"] = low
        self.max_lrs = for_each("CyclicLR", "max_lr", max_lr, groups)
        down = step_size_up if step_size_down is None else step_size_down
        self.total_size = float(step_size_up + down)
        self.step_ratio = step_size_up / self.total_size
        self.mode = mode
        self.gamma = gamma
        self.scale_fn = self.scale_of(mode) if scale_fn is None else scale_fn
        own = "iterations" if mode == "exp_range" else "cycle"
        self.scale_mode = own if scale_fn is None else scale_mode
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            momentum_bounds("CyclicLR", groups, base_momentum, max_momentum, last_epoch)
            self.base_momentums = [group["base_momentum"] for group in groups]
            self.max_momentums = [group["max_momentum"] for group in groups]
        super().__init__(optimizer, last_epoch)

    def scale_of(self, mode: str) -> Callable[[float], float]:
        """Return how the height of a triangle follows from the cycle or the step."""
        if mode == "triangular":
            return lambda cycle: 1.0
        if mode == "triangular2":
            return lambda cycle: 1 / 2.0 ** (cycle - 1)
        if mode == "exp_range":
            return lambda step: float(self.gamma**step)
        raise ValueError(
            f"[CyclicLR] mode must be 'triangular', 'triangular2' or 'exp_range', not {mode!r}: "
            "or give scale_fn"
        )

    def height(self, epoch: int) -> float:
        """Return where between 0 (base) and 1 (max) the rate stands, shrunk by the scale."""
        cycle = math.floor(1 + epoch / self.total_size)
        x = 1.0 + epoch / self.total_size - cycle
        part = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        return part * self.scale_fn(cycle if self.scale_mode == "cycle" else epoch)

    def get_lr(self) -> list[float]:
        """The rate of each group, which follows from the step alone."""
        height = self.height(self.last_epoch)
        return [
            base + (high - base) * height
            for base, high in zip(self.base_lrs, self.max_lrs, strict=True)
        ]

    def _set_rates(self, rates: list[float]) -> None:
        """Write the rates, and the momenta of the cycle, into the groups."""
        super()._set_rates(rates)
        if self.cycle_momentum:
            height = self.height(self.last_epoch)
            pairs = zip(self.base_momentums, self.max_momentums, strict=True)
            for group, (low, high) in zip(self.optimizer.param_groups, pairs, strict=True):
                set_momentum(group, high - (high - low) * height)


class Phase(NamedTuple):
    """From the end of the phase before to step `end`: which rate and which momentum it goes to."""

    end: float
    lr: tuple[str, str]
    momentum: tuple[str, str]


class OneCycleLR(LRScheduler):
    """The 1cycle policy (Smith and Topin, 2017); call `step()` after every batch.

    The rate rises from max_lr / div_factor to `max_lr` in the first `pct_start` of all steps, and
    falls to a `final_div_factor`-th of where it began. `three_phase` falls as long as it rose, then
    to the end. The cycle is `total_steps` long, or epochs · steps_per_epoch.

    >>> optimizer = nn.optim.SGD([norch.zeros(1, requires_grad=True)], lr=1.0, momentum=0.9)
    >>> scheduler = OneCycleLR(optimizer, max_lr=1.0, total_steps=10)
    >>> optimizer.step()
    >>> [round((scheduler.step(), scheduler.get_last_lr()[0])[1], 3) for _ in range(4)]
    [0.52, 1.0, 0.95, 0.812]
    """

    not_saved = ("optimizer", "phases")

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | Sequence[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.85,
        max_momentum: float | Sequence[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        """Write the ends of the 1cycle policy into the groups."""
        groups = check_optimizer("OneCycleLR", optimizer).param_groups
        self.total_steps = _length(total_steps, epochs, steps_per_epoch)
        if not 0 <= pct_start <= 1:
            raise ValueError(f"[OneCycleLR] pct_start must lie between 0 and 1, not {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"[OneCycleLR] 'cos' or 'linear' is expected, not {anneal_strategy!r}")
        self.phases = phases(self.total_steps, pct_start, three_phase)
        self.anneal_strategy = anneal_strategy
        self.cycle_momentum = cycle_momentum
        if last_epoch == -1:
            for group, high in zip(
                groups, for_each("OneCycleLR", "max_lr", max_lr, groups), strict=True
            ):
                group["initial_lr"] = high / div_factor
                group["max_lr"] = high
                group["min_lr"] = group["initial_lr"] / final_div_factor
        if cycle_momentum:
            momentum_bounds("OneCycleLR", groups, base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def between(self, start: float, end: float, part: float) -> float:
        """The 1cycle policy's rate or momentum at a part of the curve from `start` to `end`."""
        if self.anneal_strategy == "linear":
            return start + (end - start) * part
        return along_cosine(start, end, part)

    def phase_of(self, step: int) -> tuple[Phase, float]:
        """Return the phase of the 1cycle policy `step` falls in, and which part of it is over."""
        if step > self.total_steps:
            raise ValueError(
                f"[OneCycleLR] step {step}, but the cycle has {self.total_steps}: "
                "give the number of batches of all epochs as total_steps"
            )
        start = 0.0
        for phase in self.phases:
            if step <= phase.end or phase is self.phases[-1]:
                break
            start = phase.end
        return phase, (step - start) / (phase.end - start)

    def get_lr(self) -> list[float]:
        """The rate of each group, which follows from the step alone."""
        phase, part = self.phase_of(self.last_epoch)
        first, last = phase.lr
        return [self.between(g[first], g[last], part) for g in self.optimizer.param_groups]

    def _set_rates(self, rates: list[float]) -> None:
        """Write the rates, and the momenta of the cycle, into the groups."""
        super()._set_rates(rates)
        if not self.cycle_momentum:
            return
        phase, part = self.phase_of(self.last_epoch)
        first, last = phase.momentum
        for group in self.optimizer.param_groups:
            set_momentum(group, self.between(group[first], group[last], part))


def _length(total_steps: int | None, epochs: int | None, steps_per_epoch: int | None) -> int:
    """Return the number of steps of the 1cycle policy."""
    if total_steps is None:
        if epochs is None or steps_per_epoch is None:
            raise ValueError("[OneCycleLR] give total_steps, or epochs and steps_per_epoch")
        total_steps = epochs * steps_per_epoch
    if not isinstance(total_steps, int) or total_steps <= 0:
        raise ValueError(f"[OneCycleLR] a number of steps above 0 is expected, not {total_steps!r}")
    return total_steps


def phases(total: int, pct_start: float, three_phase: bool) -> list[Phase]:
    """Return the two or three phases of the 1cycle policy."""
    high, low = ("max_momentum", "base_momentum"), ("base_momentum", "max_momentum")
    up = Phase(pct_start * total - 1, ("initial_lr", "max_lr"), high)
    if not three_phase:
        return [up, Phase(total - 1, ("max_lr", "min_lr"), low)]
    down = Phase(2 * pct_start * total - 2, ("max_lr", "initial_lr"), low)
    still = ("max_momentum", "max_momentum")
    return [up, down, Phase(total - 1, ("initial_lr", "min_lr"), still)]


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
        """Whether a measured number improves on the best by enough for ReduceLROnPlateau."""
        sign = 1.0 if self.mode == "min" else -1.0
        if self.threshold_mode == "abs":
            return sign * metric < sign * self.best - self.threshold
        return sign * metric < sign * self.best * (1 - sign * self.threshold)

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Note the measured number of this epoch; reduce the rates if it has reached a plateau."""
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
        """Whether ReduceLROnPlateau has just reduced, so that this epoch does not count."""
        return self.cooldown_counter > 0

    def _reduce(self) -> None:
        """Lower each rate on a plateau, unless the change would be below `eps`."""
        for group, lowest in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
            reduced = max(group["lr"] * self.factor, lowest)
            if group["lr"] - reduced > self.eps:
                group["lr"] = reduced


def _check_choice(given: str, *choices: str) -> None:
    """Refuse an option of the further schedule ReduceLROnPlateau that is none of two choices."""
    if given not in choices:
        first, second = choices
        raise ValueError(f"[ReduceLROnPlateau] {first!r} or {second!r} is expected, not {given!r}")


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
        """Return the point on the polynomial schedule's curve in `epoch`."""
        left = 1 - epoch / self.total_iters if epoch < self.total_iters else 0.0
        return float(left**self.power)
