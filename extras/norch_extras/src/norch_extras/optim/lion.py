"""Lion: every weight takes a step of the same length, in the direction of a sign."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from norch_autograd import Tensor, zeros_like
from norch_autograd.graph.operands import in_own_name
from norch_extras.optim.per_parameter import Fused, States, state_arrays
from norch_nn.optim.optimizer import Group, options


class Lion(Fused):
    """p ← p·(1 - lr·weight_decay) - lr·sign(β₁·m + (1 - β₁)·g), then m ← β₂·m + (1 - β₂)·g.

    Chen et al., Symbolic Discovery of Optimization Algorithms, 2023. PyTorch has no Lion; the
    arguments are those of its authors.

    >>> w = nn.Parameter(norch.ones(1))
    >>> optimizer = Lion([w], lr=0.25)
    >>> w.sum().backward(); optimizer.step(); w.item()
    0.75
    """

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
        """Take parameters, or groups of them, and the options of all groups."""
        super().__init__(params, options(locals()))

    def check_options(self, group: Group) -> None:
        """Raise ValueError for an option out of its range."""
        super().check_options(group)
        for i, beta in enumerate(group["betas"]):
            if not 0 <= beta < 1:
                raise ValueError(f"[Lion] betas[{i}] must lie in [0, 1), not {beta}")

    def begin(self, p: Tensor, group: Group) -> dict[str, Any]:
        """A mean of gradients."""
        return {"exp_avg": zeros_like(p, requires_grad=False)}

    def step_all(
        self, ops: Any, params: list[Any], grads: list[Any], states: States, group: Group
    ) -> None:
        """Take the step with one call for all parameters."""
        options = (group["lr"], *group["betas"], group["weight_decay"])
        ops.lion_step(params, grads, state_arrays(states, "exp_avg"), *options)
