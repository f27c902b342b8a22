"""A prepared optimizer: it steps when the gradients are whole, and through the scaler.

Made by `Accelerator.prepare`. Between the backwards of one accumulation its `step` and `zero_grad`
do nothing, so that the training loop needs no `if`.
"""

from __future__ import annotations

from typing import Any

from norch_nn.amp import GradScaler
from norch_nn.optim import Optimizer

from .pace import Pace


class PreparedOptimizer(Optimizer):
    """The user's `optimizer`, whose groups and state are its own.

    `step_was_skipped` says that the last step was left out because float16 gradients overflowed.
    """

    def __init__(self, optimizer: Optimizer, pace: Pace, scaler: GradScaler | None) -> None:
        self.optimizer = optimizer
        self.step_was_skipped = False
        self._pace = pace
        self._scaler = scaler
        self._unscaled = False

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        """The optimizer's groups."""
        return self.optimizer.param_groups

    @property
    def state(self) -> Any:
        """What the optimizer remembers about each parameter."""
        return self.optimizer.state

    @property
    def defaults(self) -> dict[str, Any]:
        """The options of a group that does not set its own."""
        return self.optimizer.defaults

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add one group to the optimizer."""
        self.optimizer.add_param_group(param_group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients, unless they are still being added up."""
        if self._pace.synchronizes:
            self.optimizer.zero_grad(set_to_none)

    def unscale(self) -> None:
        """Divide the gradients by the scaler's factor, once a step."""
        if self._scaler is not None and not self._unscaled:
            self._scaler.unscale_(self.optimizer)
            self._unscaled = True

    def step(self, closure: Any = None) -> Any:
        """Take one step, unless gradients are still being added up."""
        if not self._pace.synchronizes:
            return None
        if self._scaler is None:
            return self.optimizer.step(closure)
        before = self._scaler.get_scale()
        result = self._scaler.step(self.optimizer, *([] if closure is None else [closure]))
        self._scaler.update()
        self.step_was_skipped = self._scaler.get_scale() < before
        self._unscaled = False
        return result

    def state_dict(self) -> dict[str, Any]:
        """Return the optimizer's."""
        return self.optimizer.state_dict()

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Give it to the optimizer."""
        self.optimizer.load_state_dict(state_dict)

    def __repr__(self) -> str:
        return repr(self.optimizer)
