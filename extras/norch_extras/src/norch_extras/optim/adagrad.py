"""Adagrad and Adadelta: steps divided by the size of all gradients so far, or of recent ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from norch_autograd import Tensor, full_like, zeros_like
from norch_autograd.graph.operands import in_own_name
from norch_extras.optim.per_parameter import Fused, States, check_range, state_arrays
from norch_nn.optim.optimizer import Group, options


class Adagrad(Fused):
    """p ← p - lr'·g / (√s + eps), with s ← s + g² (Duchi et al., 2011).

    lr' = lr / (1 + (t - 1)·lr_decay) in step t; s starts at `initial_accumulator_value`.

    >>> w = nn.Parameter(norch.ones(1))
    >>> optimizer = Adagrad([w], lr=0.5)
    >>> w.sum().backward(); optimizer.step(); round(w.item(), 4)
    0.5
    """

    @in_own_name
    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        """Take parameters, or groups of them, and the options of all groups."""
        super().__init__(params, options(locals()))

    def check_options(self, group: Group) -> None:
        """Raise ValueError for an option out of its range."""
        super().check_options(group)
        check_range(self, group, "lr_decay", "eps", "initial_accumulator_value")

    def begin(self, p: Tensor, group: Group) -> dict[str, Any]:
        """A sum of squares."""
        start = group["initial_accumulator_value"]
        return {"sum": full_like(p, start, requires_grad=False)}

    def step_all(
        self, ops: Any, params: list[Any], grads: list[Any], states: States, group: Group
    ) -> None:
        """Take the step with one call for all parameters."""
        options = (group[name] for name in ("lr", "lr_decay", "eps", "weight_decay"))
        steps = [state["step"] for state in states]
        ops.adagrad_step(params, grads, state_arrays(states, "sum"), steps, *options)


class Adadelta(Fused):
    """p ← p - lr·d, d = g·√(u + eps) / √(v + eps); u, v: running means of d², g² (Zeiler, 2012).

    >>> w = nn.Parameter(norch.ones(1))
    >>> optimizer = Adadelta([w], eps=0.1)
    >>> w.sum().backward(); optimizer.step(); round(w.item(), 4)
    0.2929
    """

    @in_own_name
    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        """Take parameters, or groups of them, and the options of all groups."""
        super().__init__(params, options(locals()))

    def check_options(self, group: Group) -> None:
        """Raise ValueError for an option out of its range."""
        super().check_options(group)
        check_range(self, group, "eps")
        if not 0 <= group["rho"] <= 1:
            raise ValueError(f"[Adadelta] rho must lie between 0 and 1, not {group['rho']}")

    def begin(self, p: Tensor, group: Group) -> dict[str, Any]:
        """Two means of squares."""
        return {name: zeros_like(p, requires_grad=False) for name in ("square_avg", "acc_delta")}

    def step_all(
        self, ops: Any, params: list[Any], grads: list[Any], states: States, group: Group
    ) -> None:
        """Take the step with one call for all parameters."""
        options = (group[name] for name in ("lr", "rho", "eps", "weight_decay"))
        squares, deltas = state_arrays(states, "square_avg"), state_arrays(states, "acc_delta")
        ops.adadelta_step(params, grads, squares, deltas, *options)
