"""RMSprop: steps divided by a running root mean square of the gradient."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from norch_autograd import Tensor, zeros_like
from norch_autograd.graph.operands import in_own_name
from norch_extras.optim.per_parameter import Fused, States, check_range, state_arrays
from norch_nn.optim.optimizer import Group, options


class RMSprop(Fused):
    """p ← p - lr·g / (√v + eps), with v ← alpha·v + (1 - alpha)·g² (Hinton, 2012).

    `centered` subtracts the square of the running mean of g from v; with `momentum` the quotient is
    gathered first: b ← momentum·b + g / (√v + eps), p ← p - lr·b.

    >>> w = nn.Parameter(norch.ones(1))
    >>> optimizer = RMSprop([w], lr=0.25, alpha=0.75)
    >>> w.sum().backward(); optimizer.step(); round(w.item(), 4)
    0.5
    """

    @in_own_name
    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
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
        check_range(self, group, "eps", "momentum", "alpha")

    def begin(self, p: Tensor, group: Group) -> dict[str, Any]:
        """A mean of squares; a velocity and a mean where they are wanted."""
        names = ["square_avg"]
        names += ["momentum_buffer"] if group["momentum"] > 0 else []
        names += ["grad_avg"] if group["centered"] else []
        return {name: zeros_like(p, requires_grad=False) for name in names}

    def step_all(
        self, ops: Any, params: list[Any], grads: list[Any], states: States, group: Group
    ) -> None:
        """Take the step with one call for all parameters."""
        ops.rmsprop_step(
            params,
            grads,
            state_arrays(states, "square_avg"),
            state_arrays(states, "grad_avg") if group["centered"] else None,
            state_arrays(states, "momentum_buffer") if group["momentum"] > 0 else None,
            *(group[name] for name in ("lr", "alpha", "eps", "weight_decay", "momentum")),
        )
