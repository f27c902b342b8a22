"""GradScaler: the scaled loss of training in float16.

float16 has few exponents: small gradients become 0. The scaler multiplies the loss before backward
and divides the gradients before the step; a step whose gradients overflowed is left out, and the
factor is lowered.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from typing import Any

import norch_cuda
from norch_autograd import Tensor, no_grad
from norch_nn.optim.optimizer import Optimizer

READY, UNSCALED, STEPPED = "ready", "unscaled", "stepped"


class GradScaler:
    """Scales a loss up and its gradients down, and skips the steps that overflowed.

    The factor starts at `init_scale`, is multiplied by `backoff_factor` after an overflow, and by
    `growth_factor` after `growth_interval` steps without one. With `enabled=False` every method is
    a plain step; so it is for the device "cuda" where there is none, after a warning.

    >>> w = nn.Parameter(norch.ones(1))
    >>> optimizer, scaler = nn.optim.SGD([w], lr=0.5), GradScaler("cpu")
    >>> scaler.scale(w.sum()).backward(); w.grad.item()
    65536.0
    >>> _ = scaler.step(optimizer); scaler.update(); w.item()
    0.5
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        """Choose the first factor and how it changes."""
        if enabled and device == "cuda" and not norch_cuda.is_available():
            warnings.warn(
                "[GradScaler] CUDA is not available: the scaler is disabled. "
                'GradScaler("cpu") scales on the CPU',
                stacklevel=2,
            )
            enabled = False
        if enabled and not growth_factor > 1:
            raise AssertionError(f"[GradScaler] growth_factor must be above 1, not {growth_factor}")
        if enabled and not backoff_factor < 1:
            raise AssertionError(
                f"[GradScaler] backoff_factor must be below 1, not {backoff_factor}"
            )
        self._device = device
        self._enabled = enabled
        self._scale = float(init_scale)
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._growth_tracker = 0
        self._stages: dict[int, tuple[str, bool]] = {}  # of each optimizer: how far, overflowed?

    def scale(self, outputs: Tensor | Iterable[Tensor]) -> Any:
        """Return the loss times the factor; a list or tuple of losses one by one."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            return outputs * self._scale
        if isinstance(outputs, list | tuple):
            return type(outputs)(self.scale(item) for item in outputs)
        raise ValueError(f"[GradScaler] expected tensors, got {type(outputs).__name__}")

    def unscale_(self, optimizer: Optimizer) -> None:
        """Divide the gradients of `optimizer` by the factor: before they are clipped."""
        if not self._enabled:
            return
        stage, _ = self._stages.get(id(optimizer), (READY, False))
        if stage == UNSCALED:
            raise RuntimeError(
                "[GradScaler] unscale_() was already called for this optimizer since update()"
            )
        if stage == STEPPED:
            raise RuntimeError("[GradScaler] unscale_() comes before step(), not after it")
        grads = [
            p.grad
            for group in optimizer.param_groups
            for p in group["params"]
            if p.grad is not None
        ]
        overflowed = False
        # ex 5.10 begin
        with no_grad():
            for grad in grads:
                grad.mul_(1 / self._scale)
                overflowed = overflowed or not bool(grad.isfinite().all())
        # ex 5.10 end
        self._stages[id(optimizer)] = UNSCALED, self.found_anywhere(optimizer, overflowed)

    def found_anywhere(self, optimizer: Optimizer, found: bool) -> bool:
        """Return whether the step is to be left out, because of this process or of another."""
        return optimizer.found_anywhere(found)

    def step(self, optimizer: Optimizer, *args: Any, **kwargs: Any) -> Any:
        """Take `optimizer.step()` and return its value, unless a gradient is infinite or NaN.

        Gradients not unscaled yet are, first. A closure is refused.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs or args:
            raise RuntimeError("[GradScaler] step() takes no closure: the loss would not be scaled")
        stage, overflowed = self._stages.get(id(optimizer), (READY, False))
        if stage == STEPPED:
            raise RuntimeError("[GradScaler] step() was already called since update()")
        if stage == READY:
            self.unscale_(optimizer)
            _, overflowed = self._stages[id(optimizer)]
        self._stages[id(optimizer)] = STEPPED, overflowed
        return None if overflowed else optimizer.step()

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Change the factor as the steps since the last call went; or set it to `new_scale`."""
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale = float(new_scale)
        elif not self._stages:
            raise AssertionError("[GradScaler] update() comes after step() or unscale_()")
        elif any(overflowed for _, overflowed in self._stages.values()):
            self._scale *= self._backoff_factor
            self._growth_tracker = 0
        else:
            self._grow()
        self._stages = {}

    def _grow(self) -> None:
        """Count a good step; after enough of them raise the loss's factor."""
        # ex 5.11 begin
        self._growth_tracker += 1
        if self._growth_tracker == self._growth_interval:
            grown = self._scale * self._growth_factor
            self._scale = grown if math.isfinite(grown) else self._scale
            self._growth_tracker = 0
        # ex 5.11 end

    def get_scale(self) -> float:
        """Return the loss's factor; 1 where scaling is off."""
        return self._scale if self._enabled else 1.0

    def get_growth_factor(self) -> float:
        """Return what the loss's factor grows by."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set what the loss's factor grows by."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """Return what the loss's factor shrinks by."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set what the loss's factor shrinks by."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """Return after how many good steps the loss's factor grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set after how many good steps the loss's factor grows."""
        self._growth_interval = new_interval

    def is_enabled(self) -> bool:
        """Whether any loss is scaled."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """Return the factor, its rule and the count of good steps; {} where scaling is off."""
        if not self._enabled:
            return {}
        return {
            "scale": self._scale,
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a `state_dict`; raises RuntimeError for an empty one."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "[GradScaler] the state_dict is empty: it was saved by a scaler that was off"
            )
        self._scale = float(state_dict["scale"])
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._growth_tracker = state_dict["_growth_tracker"]
