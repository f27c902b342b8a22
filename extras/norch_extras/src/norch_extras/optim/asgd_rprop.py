"""ASGD, gradient descent that averages its path, and Rprop, whose steps use only signs.

Each is written in tensor operations, one parameter at a time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from norch_autograd import Tensor, full_like, where, zeros_like
from norch_autograd.graph.operands import in_own_name
from norch_extras.optim.per_parameter import PerParameter
from norch_nn.optim.optimizer import Group, options


class ASGD(PerParameter):
    """p ← p·(1 - lambd·eta) - eta·g; after `t0` steps `ax` is the mean of p.

    eta = lr / (1 + lambd·lr·t)^alpha (Polyak and Juditsky, 1992).

    >>> w = nn.Parameter(norch.ones(1))
    >>> optimizer = ASGD([w], lr=0.25, lambd=0.0)
    >>> w.sum().backward(); optimizer.step(); w.item()
    0.75
    """

    @in_own_name
    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        """Take parameters, or groups of them, and the options of all groups."""
        super().__init__(params, options(locals()))

    def begin(self, p: Tensor, group: Group) -> dict[str, Any]:
        """The rate, the share of the newest weights in the mean, and the mean."""
        return {"eta": group["lr"], "mu": 1.0, "ax": zeros_like(p, requires_grad=False)}

    def change(self, p: Tensor, grad: Tensor, state: dict[str, Any], group: Group) -> None:
        """Take the step of one parameter."""
        eta, step = state["eta"], state["step"]
        p.mul_(1 - group["lambd"] * eta).add_(grad, alpha=-eta)
        mean = state["ax"]
        mean.add_(p - mean, alpha=state["mu"])
        slowed = 1 + group["lambd"] * group["lr"] * step
        state["eta"] = group["lr"] / slowed ** group["alpha"]
        state["mu"] = 1 / max(1, step - group["t0"])


class Rprop(PerParameter):
    """p ← p - sign(g)·s, a step s of its own for each weight (Riedmiller and Braun, 1993).

    s grows by etas[1] while the sign stays, shrinks by etas[0] where it turns (and no step is
    taken there); it stays between the two `step_sizes`.

    >>> w = nn.Parameter(norch.ones(1))
    >>> optimizer = Rprop([w], lr=0.25)
    >>> w.sum().backward(); optimizer.step(); w.item()
    0.75
    """

    @in_own_name
    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        """Take parameters, or groups of them, and the options of all groups."""
        super().__init__(params, options(locals()))

    def check_options(self, group: Group) -> None:
        """Raise ValueError for an option out of its range."""
        super().check_options(group)
        shrink, grow = group["etas"]
        if not 0 < shrink < 1 < grow:
            raise ValueError(f"[Rprop] etas must lie below and above 1, not {shrink} and {grow}")

    def begin(self, p: Tensor, group: Group) -> dict[str, Any]:
        """The gradient before, and the size of each weight's step."""
        return {
            "prev": zeros_like(p, requires_grad=False),
            "step_size": full_like(p, group["lr"], requires_grad=False),
        }

    def change(self, p: Tensor, grad: Tensor, state: dict[str, Any], group: Group) -> None:
        """Take the step of one parameter."""
        shrink, grow = group["etas"]
        agreement = grad * state["prev"]
        same = full_like(agreement, 1.0)  # in the dtype of the weights: a number would be float32
        factor = where(agreement > 0, grow, where(agreement < 0, shrink, same))
        size = state["step_size"].mul_(factor).clamp_(*group["step_sizes"])
        grad = where(agreement < 0, 0.0, grad)
        p.sub_(grad.sign() * size)
        state["prev"].copy_(grad)
