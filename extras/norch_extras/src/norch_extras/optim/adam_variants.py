"""Adamax, NAdam, RAdam: Adam with the largest gradient, with Nesterov's momentum, with a warm-up.

Each is written in tensor operations, one parameter at a time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from norch_autograd import Tensor, maximum
from norch_autograd.graph.operands import in_own_name
from norch_extras.optim.per_parameter import PerParameter
from norch_nn.optim.optimizer import Group, options


class AdamVariant(PerParameter):
    """What the three share: two running means and decoupled weight decay."""

    means = ("exp_avg", "exp_avg_sq")
    not_negative: tuple[str, ...] = ("eps",)

    def decay(self, p: Tensor, group: Group) -> None:
        """Decay the weights apart from the gradient, where that was asked for."""
        if group["weight_decay"] and group["decoupled_weight_decay"]:
            p.mul_(1 - group["lr"] * group["weight_decay"])

    def averages(self, grad: Tensor, state: dict[str, Any], group: Group) -> tuple[Tensor, Tensor]:
        """Bring the running means of g and g² up to date and return them."""
        beta1, beta2 = group["betas"]
        mean = state["exp_avg"].mul_(beta1).add_(grad, alpha=1 - beta1)
        square = state["exp_avg_sq"].mul_(beta2).add_(grad * grad, alpha=1 - beta2)
        return mean, square


class Adamax(AdamVariant):
    """p ← p - lr / (1 - β₁ᵗ) · m / u, with u ← max(β₂·u, |g| + eps) (Kingma and Ba, 2014).

    >>> w = nn.Parameter(norch.ones(1))
    >>> optimizer = Adamax([w], lr=0.25)
    >>> w.sum().backward(); optimizer.step(); round(w.item(), 4)
    0.75
    """

    means = ("exp_avg", "exp_inf")

    @in_own_name
    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(params, options(locals()))

    def change(self, p: Tensor, grad: Tensor, state: dict[str, Any], group: Group) -> None:
        """Take this optimizer's step of one parameter."""
        beta1, beta2 = group["betas"]
        mean = state["exp_avg"].mul_(beta1).add_(grad, alpha=1 - beta1)
        largest = state["exp_inf"]
        largest.copy_(maximum(largest * beta2, grad.abs() + group["eps"]))
        p.add_(mean / largest, alpha=-group["lr"] / (1 - beta1 ** state["step"]))


class NAdam(AdamVariant):
    """Adam that looks one step ahead, as Nesterov's momentum does (Dozat, 2016).

    >>> w = nn.Parameter(norch.ones(1))
    >>> optimizer = NAdam([w], lr=0.25)
    >>> w.sum().backward(); optimizer.step(); w.item() < 1
    True
    """

    numbers = ("mu_product",)
    not_negative = ("eps", "momentum_decay")

    @in_own_name
    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, options(locals()))

    def begin(self, p: Tensor, group: Group) -> dict[str, Any]:
        """Return two means, and the product of all momenta so far."""
        return {**super().begin(p, group), "mu_product": 1.0}

    def change(self, p: Tensor, grad: Tensor, state: dict[str, Any], group: Group) -> None:
        """Take this optimizer's step of one parameter."""
        self.decay(p, group)
        step, lr, (beta1, beta2) = state["step"], group["lr"], group["betas"]
        now, ahead = (
            beta1 * (1 - 0.5 * 0.96 ** (t * group["momentum_decay"])) for t in (step, step + 1)
        )
        state["mu_product"] *= now
        product = state["mu_product"]
        mean, square = self.averages(grad, state, group)
        length = (square / (1 - beta2**step)).sqrt() + group["eps"]
        p.add_(grad / length, alpha=-lr * (1 - now) / (1 - product))
        p.add_(mean / length, alpha=-lr * ahead / (1 - product * ahead))


class RAdam(AdamVariant):
    """Adam whose first steps ignore a second mean that has seen too little (Liu et al., 2019).

    >>> w = nn.Parameter(norch.ones(1))
    >>> optimizer = RAdam([w], lr=0.25)
    >>> w.sum().backward(); optimizer.step(); w.item()
    0.75
    """

    @in_own_name
    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, options(locals()))

    def change(self, p: Tensor, grad: Tensor, state: dict[str, Any], group: Group) -> None:
        """Take this optimizer's step of one parameter."""
        self.decay(p, group)
        step, (beta1, beta2) = state["step"], group["betas"]
        mean, square = self.averages(grad, state, group)
        seen = 1 - beta2**step
        rate = group["lr"] / (1 - beta1**step)
        trust = _rectification(step, beta2)
        if trust is None:
            p.add_(mean, alpha=-rate)
        else:
            p.add_(mean / (square.sqrt() + group["eps"]), alpha=-rate * math.sqrt(seen) * trust)


def _rectification(step: int, beta2: float) -> float | None:
    """Return how far RAdam trusts the second mean; None while its variance has no bound."""
    longest = 2 / (1 - beta2) - 1
    length = longest - 2 * step * beta2**step / (1 - beta2**step)
    if length <= 5:
        return None
    above = (length - 4) * (length - 2) * longest
    return math.sqrt(above / ((longest - 4) * (longest - 2) * length))
