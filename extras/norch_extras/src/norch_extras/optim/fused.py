"""Optimizers whose step is one call of stage 2 or 3 a group: RMSprop, Adagrad, Adadelta, Lion.

Each writes `step_all`; the kernels are `optimizer.cpp` and `optimizer.cu`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from norch_autograd import Tensor, full_like, zeros_like
from norch_autograd.graph.operands import in_own_name
from norch_extras.optim.per_parameter import PerParameter
from norch_nn.optim.optimizer import Group, gradients, options

States = list[dict[str, Any]]
Arrays = list[Any]


class Fused(PerParameter):
    """Takes the step of a whole group, on one device, by one call of a kernel."""

    def step_all(self, ops: Any, p: Arrays, g: Arrays, states: States, group: Group) -> None:
        """Change the arrays `p` of the parameters and those of `states`, by the gradients `g`."""
        raise NotImplementedError(f"[{type(self).__name__}] has no step_all: call a fused step")

    def update(self, params: list[Tensor], group: Group) -> None:
        """Take the optimizer's step of every parameter of a group."""
        states = [self._state_of(p, group) for p in params]
        arrays = [p.array for p in params]
        grads = gradients(params, group["maximize"])
        self.step_all(arrays[0].ops, arrays, grads, states, group)


def state_arrays(states: States, name: str) -> list[Any]:
    """Return one entry of the parameters' states, such as a running mean, as arrays."""
    return [state[name].array for state in states]


class RMSprop(Fused):
    """p ← p - lr·g / (√v + eps), with v ← alpha·v + (1 - alpha)·g² (Hinton, 2012).

    `centered` subtracts the square of the running mean of g from v; with `momentum` the quotient is
    gathered first: b ← momentum·b + g / (√v + eps), p ← p - lr·b.

    >>> w = nn.Parameter(norch.ones(1))
    >>> optimizer = RMSprop([w], lr=0.25, alpha=0.75)
    >>> w.sum().backward(); optimizer.step(); round(w.item(), 4)
    0.5
    """

    not_negative = ("eps", "momentum", "alpha")

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
        super().__init__(params, options(locals()))

    def begin(self, p: Tensor, group: Group) -> dict[str, Any]:
        """Return a mean of squares; a velocity and a mean where they are wanted."""
        names = ["square_avg"]
        names += ["momentum_buffer"] if group["momentum"] > 0 else []
        names += ["grad_avg"] if group["centered"] else []
        return {name: zeros_like(p, requires_grad=False) for name in names}

    def step_all(self, ops: Any, p: Arrays, g: Arrays, states: States, group: Group) -> None:
        """Take the step of all parameters by their kernel."""
        ops.rmsprop_step(
            p,
            g,
            state_arrays(states, "square_avg"),
            state_arrays(states, "grad_avg") if group["centered"] else None,
            state_arrays(states, "momentum_buffer") if group["momentum"] > 0 else None,
            *(group[name] for name in ("lr", "alpha", "eps", "weight_decay", "momentum")),
        )


class Adagrad(Fused):
    """p ← p - lr'·g / (√s + eps), with s ← s + g² (Duchi et al., 2011).

    lr' = lr / (1 + (t - 1)·lr_decay) in step t; s starts at `initial_accumulator_value`.

    >>> w = nn.Parameter(norch.ones(1))
    >>> optimizer = Adagrad([w], lr=0.5)
    >>> w.sum().backward(); optimizer.step(); round(w.item(), 4)
    0.5
    """

    not_negative = ("lr_decay", "eps", "initial_accumulator_value")

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
        super().__init__(params, options(locals()))

    def begin(self, p: Tensor, group: Group) -> dict[str, Any]:
        """Return a sum of squares."""
        start = group["initial_accumulator_value"]
        return {"sum": full_like(p, start, requires_grad=False)}

    def step_all(self, ops: Any, p: Arrays, g: Arrays, states: States, group: Group) -> None:
        """Take the step of all parameters by their kernel."""
        options = (group[name] for name in ("lr", "lr_decay", "eps", "weight_decay"))
        steps = [state["step"] for state in states]
        ops.adagrad_step(p, g, state_arrays(states, "sum"), steps, *options)


class Adadelta(Fused):
    """p ← p - lr·d, d = g·√(u + eps) / √(v + eps); u, v: running means of d², g² (Zeiler, 2012).

    >>> w = nn.Parameter(norch.ones(1))
    >>> optimizer = Adadelta([w], eps=0.1)
    >>> w.sum().backward(); optimizer.step(); round(w.item(), 4)
    0.2929
    """

    means = ("square_avg", "acc_delta")
    not_negative = ("eps",)

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
        super().__init__(params, options(locals()))

    def check_options(self, group: Group) -> None:
        """Raise ValueError for an option of the optimizer out of its range."""
        super().check_options(group)
        if not 0 <= group["rho"] <= 1:
            raise ValueError(f"[Adadelta] rho must lie between 0 and 1, not {group['rho']}")

    def step_all(self, ops: Any, p: Arrays, g: Arrays, states: States, group: Group) -> None:
        """Take the step of all parameters by their kernel."""
        options = (group[name] for name in ("lr", "rho", "eps", "weight_decay"))
        squares, deltas = state_arrays(states, "square_avg"), state_arrays(states, "acc_delta")
        ops.adadelta_step(p, g, squares, deltas, *options)


class Lion(Fused):
    """p ← p·(1 - lr·weight_decay) - lr·sign(β₁·m + (1 - β₁)·g), then m ← β₂·m + (1 - β₂)·g.

    Chen et al., Symbolic Discovery of Optimization Algorithms, 2023. PyTorch has no Lion; the
    arguments are those of its authors.

    >>> w = nn.Parameter(norch.ones(1))
    >>> optimizer = Lion([w], lr=0.25)
    >>> w.sum().backward(); optimizer.step(); w.item()
    0.75
    """

    means = ("exp_avg",)

    @in_own_name
    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-4,
        betas: tuple[float, float] = (0.9, 0.99),
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, options(locals()))

    def step_all(self, ops: Any, p: Arrays, g: Arrays, states: States, group: Group) -> None:
        """Take the step of all parameters by their kernel."""
        options = (group["lr"], *group["betas"], group["weight_decay"])
        ops.lion_step(p, g, state_arrays(states, "exp_avg"), *options)
