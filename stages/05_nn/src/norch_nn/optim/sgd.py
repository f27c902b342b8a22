"""SGD: stochastic gradient descent with momentum, weight decay and Nesterov's look ahead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from norch_autograd import Tensor, zeros_like
from norch_autograd.graph.operands import in_own_name
from norch_nn.optim.optimizer import Group, Optimizer, gradients, options


class SGD(Optimizer):
    """p ← p - lr·v, with v ← momentum·v + (1 - dampening)·(g + weight_decay·p).

    The first v is the gradient itself, copied. With `nesterov` the step uses g + momentum·v.

    >>> w = nn.Parameter(norch.ones(1))
    >>> optimizer = SGD([w], lr=1.0, momentum=0.5)
    >>> for _ in range(2):
    ...     optimizer.zero_grad(); w.sum().backward(); optimizer.step()
    >>> w.item()
    -1.5
    """

    not_negative = ("momentum",)

    @in_own_name
    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        """Take parameters, or groups of them, and the options of all groups."""
        super().__init__(params, options(locals()))

    def check_options(self, group: Group) -> None:
        """Raise ValueError for an option out of its range."""
        super().check_options(group)
        if group["nesterov"] and (group["momentum"] <= 0 or group["dampening"] != 0):
            raise ValueError("[SGD] nesterov needs a momentum above 0 and no dampening")

    def update(self, params: list[Tensor], group: Group) -> None:
        """Take the step; parameters without a velocity get their first one."""
        if group["momentum"] == 0:
            self._fused_step(params, None, group, first=True)
            return
        begun = [p for p in params if "momentum_buffer" in self.state[p]]
        new = [p for p in params if "momentum_buffer" not in self.state[p]]
        for p in new:
            self.state[p]["momentum_buffer"] = zeros_like(p)
        for some, first in ((begun, False), (new, True)):
            if some:
                buffers = [self.state[p]["momentum_buffer"].array for p in some]
                self._fused_step(some, buffers, group, first)

    def is_repeatable(self, params: list[Tensor], group: Group) -> bool:
        """Whether the next step does exactly what every later one does: the velocities exist."""
        return group["momentum"] == 0 or all("momentum_buffer" in self.state[p] for p in params)

    @staticmethod
    def _fused_step(
        params: list[Tensor], buffers: list[Any] | None, group: Group, first: bool
    ) -> None:
        """Hand the arrays of all parameters to one call."""
        arrays, grads = [p.array for p in params], gradients(params, group["maximize"])
        rates = (group["lr"], group["momentum"], group["dampening"], group["weight_decay"])
        arrays[0].ops.sgd_step(arrays, grads, buffers, *rates, group["nesterov"], first)
