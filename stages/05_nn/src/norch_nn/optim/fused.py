"""Fused: the base of optimizers that remember something about each parameter and take the step of a
whole group in one call of stage 2 or 3.

RMSprop, Adagrad, Adadelta and Lion derive from it: each says what it remembers about a parameter
(`begin`) and which call takes the step (`step_all`).
"""

from __future__ import annotations

from typing import Any

from norch_autograd import Tensor
from norch_nn.optim.optimizer import Group, gradients
from norch_nn.optim.per_parameter import PerParameter

States = list[dict[str, Any]]


class Fused(PerParameter):
    """One call a group and a device."""

    def step_all(
        self, ops: Any, params: list[Any], grads: list[Any], states: States, group: Group
    ) -> None:
        """Change the arrays `params` and those in `states` in place."""
        raise NotImplementedError(f"[{type(self).__name__}] has no step_all: call a fused step")

    def update(self, params: list[Tensor], group: Group) -> None:
        """Take the step of every parameter."""
        states = [self._state_of(p, group) for p in params]
        arrays = [p.array for p in params]
        grads = gradients(params, group["maximize"])
        self.step_all(arrays[0].ops, arrays, grads, states, group)


def kept(states: States, name: str) -> list[Any]:
    """Return what is remembered under `name`, as arrays."""
    return [state[name].array for state in states]
