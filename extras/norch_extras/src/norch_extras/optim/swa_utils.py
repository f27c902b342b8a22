"""Averages of weights over training: stochastic weight averaging, and moving averages.

The averaged model is a copy that is told the weights of the one in training; SWALR is the schedule
that goes with it (Izmailov et al., 2018).
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from norch_autograd import Tensor, no_grad, tensor
from norch_nn.core.module import Module
from norch_nn.modules.batchnorm import ChannelNorm
from norch_nn.optim.lr_scheduler.scheduler import LRScheduler
from norch_nn.optim.optimizer import Optimizer

Average = Callable[[Tensor, Tensor, Tensor], Tensor]
MultiAverage = Callable[[list[Tensor], list[Tensor], Tensor], None]


def get_swa_avg_fn() -> Average:
    """Return the mean of all: average + (weight - average) / (n + 1).

    >>> get_swa_avg_fn()(tensor(1.0), tensor(4.0), tensor(2)).item()
    2.0
    """

    def average(averaged: Tensor, weight: Tensor, count: Tensor) -> Tensor:
        return averaged + (weight - averaged) / (count + 1)

    return average


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """Return the moving average: decay · average + (1 - decay) · weight.

    >>> get_ema_avg_fn(0.5)(tensor(1.0), tensor(4.0), tensor(2)).item()
    2.5
    """
    _check_decay(decay)

    def average(averaged: Tensor, weight: Tensor, count: Tensor) -> Tensor:
        return decay * averaged + (1 - decay) * weight

    return average


def _check_decay(decay: float) -> None:
    """Refuse a decay of moving averages that is no share."""
    if not 0 <= decay <= 1:
        raise ValueError(f"[get_ema_avg_fn] decay must lie between 0 and 1, not {decay}")


def each(average: Average) -> MultiAverage:
    """Return an average of weights for lists of tensors, in place."""

    def all_of_them(averaged: list[Tensor], weights: list[Tensor], count: Tensor) -> None:
        with no_grad():
            for mean, weight in zip(averaged, weights, strict=True):
                mean.copy_(average(mean, weight, count))

    return all_of_them


def get_swa_multi_avg_fn() -> MultiAverage:
    """Return get_swa_avg_fn for lists of tensors, in place.

    >>> mean = tensor([1.0])
    >>> get_swa_multi_avg_fn()([mean], [tensor([4.0])], tensor(2)); mean.item()
    2.0
    """
    return each(get_swa_avg_fn())


def get_ema_multi_avg_fn(decay: float = 0.999) -> MultiAverage:
    """Return get_ema_avg_fn for lists of tensors, in place.

    >>> mean = tensor([1.0])
    >>> get_ema_multi_avg_fn(0.5)([mean], [tensor([4.0])], tensor(2)); mean.item()
    2.5
    """
    return each(get_ema_avg_fn(decay))


class AveragedModel(Module):
    """A copy of `model` whose weights are the average of those it is told.

    `avg_fn` or `multi_avg_fn` say which average; without them it is the mean of all. Buffers are
    averaged too with `use_buffers`, else copied.

    >>> model = nn.Linear(2, 1)
    >>> averaged = AveragedModel(model)
    >>> averaged.update_parameters(model)
    >>> list(averaged.state_dict())
    ['n_averaged', 'module.weight', 'module.bias']
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: MultiAverage | None = None,
        use_buffers: bool = False,
    ) -> None:
        """Copy the model; nothing is averaged yet."""
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("[AveragedModel] give avg_fn or multi_avg_fn, not both")
        self.module = copy.deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, device=device))
        self.average = multi_avg_fn or each(avg_fn or get_swa_avg_fn())
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call the averaged model."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Take the weights of `model` into the average."""
        own, given = self._tensors_to_average(self.module), self._tensors_to_average(model)
        weights = [new.detach().to(mean.device) for mean, new in zip(own, given, strict=True)]
        with no_grad():
            if int(self.n_averaged) == 0:
                for mean, weight in zip(own, weights, strict=True):
                    mean.copy_(weight)
            else:
                self.average([mean.detach() for mean in own], weights, self.n_averaged)
            if not self.use_buffers:
                for mean, new in zip(self.module.buffers(), model.buffers(), strict=True):
                    mean.copy_(new)
            self.n_averaged.add_(1)

    def _tensors_to_average(self, model: Module) -> list[Tensor]:
        """Return the tensors that are averaged."""
        return [*model.parameters(), *(model.buffers() if self.use_buffers else ())]


def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Measure the running mean and variance of every BatchNorm anew over a whole `loader`.

    >>> layer = nn.BatchNorm1d(1)
    >>> update_bn([norch.ones(4, 1) * 3], layer); layer.running_mean.item()
    3.0
    """
    norms = [m for m in model.modules() if isinstance(m, ChannelNorm) and m.track_running_stats]
    if not norms:
        return
    before, training = [m.momentum for m in norms], model.training
    model.train()
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None  # the mean of all batches
    with no_grad():
        for batch in loader:
            x = batch[0] if isinstance(batch, list | tuple) else batch
            model(x if device is None else x.to(device))
    for norm, momentum in zip(norms, before, strict=True):
        norm.momentum = momentum
    model.train(training)


class SWALR(LRScheduler):
    """Go from the present rate to `swa_lr` in `anneal_epochs` epochs, then stay there.

    >>> optimizer = nn.optim.SGD([norch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = SWALR(optimizer, swa_lr=0.5, anneal_epochs=2, anneal_strategy="linear")
    >>> optimizer.step()
    >>> [(scheduler.step(), scheduler.get_last_lr()[0])[1] for _ in range(3)]
    [0.75, 0.5, 0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | Sequence[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"[SWALR] 'cos' or 'linear' is expected, not {anneal_strategy!r}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"[SWALR] anneal_epochs must be 0 or more, not {anneal_epochs!r}")
        groups = optimizer.param_groups
        rates = list(swa_lr) if isinstance(swa_lr, Sequence) else [swa_lr] * len(groups)
        if len(rates) != len(groups):
            raise ValueError(f"[SWALR] {len(rates)} rates for {len(groups)} groups")
        for group, rate in zip(groups, rates, strict=True):
            group["swa_lr"] = rate
        self.anneal_epochs = anneal_epochs
        self.anneal_strategy = anneal_strategy
        super().__init__(optimizer, last_epoch)

    def share(self, epoch: int) -> float:
        """Return how much of the way to `swa_lr` is behind in `epoch`."""
        t = max(0.0, min(1.0, epoch / max(1, self.anneal_epochs)))
        return t if self.anneal_strategy == "linear" else (1 - math.cos(math.pi * t)) / 2

    def get_lr(self) -> list[float]:
        """Move from the present rate as far as the curve moves from the epoch before."""
        groups = self.optimizer.param_groups
        now = 1.0 if self.anneal_epochs == 0 else self.share(self.last_epoch)
        before = self.share(self.last_epoch - 1)
        if self.last_epoch == 0 and self.anneal_epochs:
            return self._present_rates()
        if before == 1:
            return [group["swa_lr"] for group in groups]
        start = [(g["lr"] - before * g["swa_lr"]) / (1 - before) for g in groups]
        return [g["swa_lr"] * now + s * (1 - now) for g, s in zip(groups, start, strict=True)]
