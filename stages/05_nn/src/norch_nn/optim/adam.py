"""Adam and AdamW: steps scaled by running means of the gradient and of its square."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from norch_autograd import Tensor, float32, full, maximum, no_grad, zeros_like
from norch_autograd.graph.composite import fused
from norch_autograd.graph.operands import in_own_name
from norch_nn.optim.optimizer import Group, Optimizer, gradients, options


def _one_by_one(optimizer: Adam, params: list[Tensor], group: Group) -> None:
    """Take the step one parameter after the other, in tensor operations: what the one call does."""
    with no_grad():
        for p in params:
            if p.grad is None:
                continue
            g = -p.grad if group["maximize"] else p.grad
            if group["decoupled_weight_decay"]:
                p.mul_(1 - group["lr"] * group["weight_decay"])
            elif group["weight_decay"]:
                g = g + p * group["weight_decay"]
            state = optimizer.counted_state(p, group)
            if isinstance(state["step"], Tensor):
                state["step"].add_(1)
            _step(p, g, state, group)


def _step(p: Tensor, g: Tensor, state: dict[str, Any], group: Group) -> None:
    """Change `p` by its gradient `g` and bring its state up to date; `step` counts this one."""
    lr, (beta1, beta2), eps = group["lr"], group["betas"], group["eps"]
    m, v, largest, t = state["exp_avg"], state["exp_avg_sq"], None, state["step"]
    if group["amsgrad"]:
        largest = state["max_exp_avg_sq"]
    # ex 5.12 begin
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
    # ex 5.12 end


class Adam(Optimizer):
    """p ← p - lr·m̂ / (√v̂ + eps), with m and v the running means of g and g² (Kingma and Ba, 2014).

    Both means start at 0, and m̂ and v̂ make up for that. `weight_decay` is added to the gradient,
    or with `decoupled_weight_decay` taken off the weights as AdamW does; `amsgrad` uses the largest
    v so far. With `capturable` a CUDA device counts its own steps, so that a CUDA graph can take
    them, after a first one; on a CPU nothing changes.

    >>> w = nn.Parameter(norch.ones(1))
    >>> optimizer = Adam([w], lr=0.25)
    >>> w.sum().backward(); optimizer.step(); round(w.item(), 4)
    0.75
    """

    not_negative = ("eps",)

    @in_own_name
    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        """Take parameters, or groups of them, and the options of all groups."""
        super().__init__(params, options(locals()))

    @fused(_one_by_one)
    def update(self, params: list[Tensor], group: Group) -> None:
        """Take the step with one call for all parameters."""
        states = [self.counted_state(p, group) for p in params]
        largest = [s["max_exp_avg_sq"].array for s in states] if group["amsgrad"] else None
        arrays, grads = [p.array for p in params], gradients(params, group["maximize"])
        means = [s["exp_avg"].array for s in states]
        squares = [s["exp_avg_sq"].array for s in states]
        steps = [s["step"].array if isinstance(s["step"], Tensor) else s["step"] for s in states]
        rates = (group["lr"], *group["betas"], group["eps"])
        decay = (group["weight_decay"], group["decoupled_weight_decay"])
        arrays[0].ops.adam_step(arrays, grads, means, squares, largest, steps, *rates, *decay)

    def counted_state(self, p: Tensor, group: Group) -> dict[str, Any]:
        """Return what is remembered about `p`, made at its first step; the step is counted.

        A count that lies on the device is moved on by the step itself.
        """
        state = self.state[p]
        if not state:
            state["step"] = 0
            state["exp_avg"] = zeros_like(p)
            state["exp_avg_sq"] = zeros_like(p)
        if group["amsgrad"] and "max_exp_avg_sq" not in state:
            state["max_exp_avg_sq"] = zeros_like(p)
        if not group["capturable"] or p.is_cpu:
            state["step"] = int(state["step"]) + 1
        elif not isinstance(state["step"], Tensor):
            state["step"] = full((), state["step"], dtype=float32, device=p.device)
        return state

    def is_repeatable(self, params: list[Tensor], group: Group) -> bool:
        """Whether the next step does exactly what every later one does: the device counts it."""
        return group["capturable"] and all(
            isinstance(self.state[p].get("step"), Tensor)
            and (not group["amsgrad"] or "max_exp_avg_sq" in self.state[p])
            for p in params
        )


class AdamW(Adam):
    """Adam with the weights decayed apart from the gradient (Loshchilov and Hutter, 2017).

    p ← p·(1 - lr·weight_decay) before Adam's step.

    >>> w = nn.Parameter(norch.ones(1))
    >>> optimizer = AdamW([w], lr=0.5, weight_decay=1.0)
    >>> w.grad = norch.zeros(1); optimizer.step(); w.item()
    0.5
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        """Take parameters, or groups of them, and the options of all groups."""
        super().__init__(params, **options(locals()), decoupled_weight_decay=True)
