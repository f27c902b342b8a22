"""The bases of optimizers that keep a state for each parameter.

PerParameter is written in tensor operations, one parameter at a time (Adamax, NAdam, RAdam, ASGD,
Rprop): `begin` gives the first state, `change` one step. Fused takes the step of a whole group in
one call of stage 2 or 3 (RMSprop, Adagrad, Adadelta, Lion): `begin` and `step_all`.
"""

from __future__ import annotations

from typing import Any

from norch_autograd import Tensor, no_grad
from norch_nn.optim.optimizer import Group, Optimizer, gradients


class PerParameter(Optimizer):
    """Steps parameter by parameter; weight decay is added to the gradient, unless `decoupled`."""

    decoupled = False

    def begin(self, p: Tensor, group: Group) -> dict[str, Any]:
        """What is remembered about `p` before its first step."""
        raise NotImplementedError(f"[{type(self).__name__}] has no begin: return a dict")

    def change(self, p: Tensor, grad: Tensor, state: dict[str, Any], group: Group) -> None:
        """Change `p` and `state` in place."""
        raise NotImplementedError(f"[{type(self).__name__}] has no change: write the step")

    def update(self, params: list[Tensor], group: Group) -> None:
        """Take the step of every parameter."""
        with no_grad():
            for p in params:
                if p.grad is None:
                    continue
                grad = -p.grad if group["maximize"] else p.grad.detach()
                decoupled = self.decoupled or group.get("decoupled_weight_decay", False)
                if group.get("weight_decay") and not decoupled:
                    grad = grad + p * group["weight_decay"]
                self.change(p, grad, self._state_of(p, group), group)

    def _state_of(self, p: Tensor, group: Group) -> dict[str, Any]:
        """Return what is remembered about `p`, with one more step counted."""
        state = self.state[p]
        if not state:
            state.update({"step": 0, **self.begin(p, group)})
        state["step"] += 1
        return state


def check_range(optimizer: Optimizer, group: Group, *names: str) -> None:
    """Raise ValueError for an option below 0."""
    for name in names:
        if not group[name] >= 0:
            kind = type(optimizer).__name__
            raise ValueError(f"[{kind}] {name} must be 0 or more, not {group[name]}")


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


def state_arrays(states: States, name: str) -> list[Any]:
    """Return what is remembered under `name`, as arrays."""
    return [state[name].array for state in states]
