"""What `Accelerator.prepare` wraps a model, an optimizer and a schedule in.

The model's forward runs under stage 5's `autocast` and returns float32; "fp16" also needs its
`GradScaler`; parameters, gradients and optimizer stay in float32. Between the backwards of one
accumulation an optimizer's `step` and `zero_grad` do nothing, so that the training loop needs no
`if`. One step of a schedule is one step whatever the number of processes: write it for the steps
that one process makes.
"""

from __future__ import annotations

from typing import Any

from norch_autograd import DType, Tensor, bfloat16, float16
from norch_autograd.types.trees import tree_map_only
from norch_extras.accelerate.accumulation import AccumulationState
from norch_nn import Module
from norch_nn.amp import GradScaler, autocast
from norch_nn.optim import Optimizer
from norch_nn.optim.lr_scheduler import LRScheduler

DTYPES: dict[str, DType | None] = {"no": None, "bf16": bfloat16, "fp16": float16}


def check_precision(name: str | None) -> str:
    """Return the word for mixed precision, if it is known; None means "no"."""
    if name is not None and name not in DTYPES:
        raise ValueError(
            f"[Accelerator] mixed_precision {name!r} is unknown: use one of {', '.join(DTYPES)}"
        )
    return name or "no"


def make_scaler(name: str, device_type: str) -> GradScaler | None:
    """Return the scaler that float16's few exponents call for; others need none."""
    return GradScaler(device_type) if name == "fp16" else None


class Autocasting(Module):
    """Runs `module` in lower precision; what comes out is float32 again.

    >>> from norch_autograd import ones
    >>> from norch_nn import Linear
    >>> model = Autocasting(Linear(2, 1), "cpu", bfloat16)
    >>> model(ones(1, 2)).dtype
    norch.float32
    """

    def __init__(self, module: Module, device_type: str, dtype: DType) -> None:
        super().__init__()
        self.module = module
        self.device_type = device_type
        self.dtype = dtype

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the module under autocast."""
        with autocast(self.device_type, self.dtype):
            output = self.module(*args, **kwargs)
        return tree_map_only(Tensor, to_float, output)


def to_float(tensor: Tensor) -> Tensor:
    """Return a half-precision tensor as float32, any other as it is."""
    return tensor.float() if tensor.dtype in (float16, bfloat16) else tensor


class PreparedOptimizer(Optimizer):
    """The user's `optimizer`, whose groups and state are its own.

    `step_was_skipped` says that the last step was left out because float16 gradients overflowed.
    """

    def __init__(
        self, optimizer: Optimizer, accumulation: AccumulationState, scaler: GradScaler | None
    ) -> None:
        self.optimizer = optimizer
        self.step_was_skipped = False
        self._accumulation = accumulation
        self._scaler = scaler
        self._unscaled = False

    # Read here, assigned in the wrapped optimizer only: hence the three ignored overrides.
    @property
    def param_groups(self) -> list[dict[str, Any]]:  # type: ignore[override]
        """The wrapped optimizer's groups."""
        return self.optimizer.param_groups

    @property
    def state(self) -> Any:  # type: ignore[override]
        """What the optimizer remembers about each parameter."""
        return self.optimizer.state

    @property
    def defaults(self) -> dict[str, Any]:  # type: ignore[override]
        """The options of a group that does not set its own."""
        return self.optimizer.defaults

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add one group to the optimizer."""
        self.optimizer.add_param_group(param_group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients, unless they are still being added up."""
        if self._accumulation.sync_gradients:
            self.optimizer.zero_grad(set_to_none)

    def unscale(self) -> None:
        """Divide the gradients by the scaler's factor, once a step."""
        if self._scaler is not None and not self._unscaled:
            self._scaler.unscale_(self.optimizer)
            self._unscaled = True

    def step(self, closure: Any = None) -> Any:
        """Take one step, unless gradients are still being added up."""
        if not self._accumulation.sync_gradients:
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
        """Return the wrapped optimizer's state."""
        return self.optimizer.state_dict()

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Give a state to the wrapped optimizer."""
        self.optimizer.load_state_dict(state_dict)

    def __repr__(self) -> str:
        return repr(self.optimizer)


class PreparedScheduler:
    """The user's `scheduler`; its step waits for the optimizer's."""

    def __init__(
        self,
        scheduler: LRScheduler,
        optimizers: list[PreparedOptimizer],
        accumulation: AccumulationState,
    ) -> None:
        self.scheduler = scheduler
        self.optimizer = scheduler.optimizer
        self._optimizers = [
            one for one in optimizers if scheduler.optimizer in (one, one.optimizer)
        ]
        self._accumulation = accumulation

    def step(self, *args: Any, **kwargs: Any) -> None:
        """Move the schedule on, unless gradients still add up or the step was left out."""
        skipped = any(optimizer.step_was_skipped for optimizer in self._optimizers)
        if self._accumulation.sync_gradients and not skipped:
            self.scheduler.step(*args, **kwargs)

    def get_last_lr(self) -> list[float]:
        """Return the wrapped schedule's present rate of each group."""
        return self.scheduler.get_last_lr()

    def state_dict(self) -> dict[str, Any]:
        """Return the wrapped schedule's state."""
        return self.scheduler.state_dict()

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Give a state to the wrapped schedule."""
        self.scheduler.load_state_dict(state_dict)
