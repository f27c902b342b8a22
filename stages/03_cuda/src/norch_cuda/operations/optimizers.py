"""One step of an optimizer for all parameters of a model, in place."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any

from norch_cpu_ops import DTypeError, float32
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import HALVES, is_real
from norch_cuda.launch.base import OperationsBase
from norch_cuda.launch.walks import optional_walk
from norch_cuda.runtime.backend import Argument

Arrays = Sequence[CudaArray]


def _is_arrays(given: object) -> bool:
    """Whether an argument of an optimizer's step is a list of arrays."""
    return isinstance(given, (list, tuple)) and any(isinstance(x, CudaArray) for x in given)


def takes_halves(step: Callable[..., None]) -> Callable[..., None]:
    """Let a step take float16 and bfloat16: float32 copies are stepped and rounded back once."""

    @wraps(step)
    def wrapper(self: Optimizers, params: Arrays, grads: Arrays, *rest: Any, **named: Any) -> None:
        if not any(param.dtype in HALVES for param in params):
            return step(self, params, grads, *rest, **named)
        state = [given for given in (*rest, *named.values()) if _is_arrays(given)]
        self._check_step(step.__name__, params, grads, *state)
        back: list[tuple[CudaArray, CudaArray]] = []

        def wide(given: Any) -> Any:
            if not _is_arrays(given):
                return given
            copies = [self.cast(a, float32) if a.dtype in HALVES else a for a in given]
            back.extend(pair for pair in zip(given, copies, strict=True) if pair[0] is not pair[1])
            return copies

        wide_grads = wide(grads)
        back.clear()  # gradients are only read
        others = [wide(given) for given in rest]
        step(self, wide(params), wide_grads, *others, **{k: wide(v) for k, v in named.items()})
        for array, copy in back:
            self.begin_write(step.__name__, array)
            self.copy(array, copy)
        return None

    return wrapper


class Optimizers(OperationsBase):
    """Updates of parameters; one launch for each."""

    @takes_halves
    def sgd_step(
        self,
        params: Arrays,
        grads: Arrays,
        momentum_buffers: Arrays | None,
        lr: float,
        momentum: float,
        dampening: float,
        weight_decay: float,
        nesterov: bool,
        first: bool,
    ) -> None:
        """Stochastic gradient descent, PyTorch's formulas; `first` fills the momentum buffers."""
        self._check_step("sgd_step", params, grads, momentum_buffers)
        numbers = (*map(float, (lr, momentum, dampening, weight_decay)), int(nesterov), int(first))
        for arrays in _each(params, grads, momentum_buffers):
            self._update("sgd_step", arrays, *numbers)

    @takes_halves
    def adam_step(
        self,
        params: Arrays,
        grads: Arrays,
        exp_avgs: Arrays,
        exp_avg_sqs: Arrays,
        max_exp_avg_sqs: Arrays | None,
        steps: Sequence[int],
        lr: float,
        beta1: float,
        beta2: float,
        eps: float,
        weight_decay: float,
        decoupled: bool,
    ) -> None:
        """Adam, or AdamW when `decoupled`; `steps` counts from 1."""
        self._check_step("adam_step", params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs)
        _check_steps("adam_step", params, steps)
        numbers = (*map(float, (lr, beta1, beta2, eps, weight_decay)), int(decoupled))
        each = _each(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs)
        for step, arrays in zip(steps, each, strict=True):
            corrections = (float(lr / (1.0 - beta1**step)), math.sqrt(1.0 - beta2**step))
            self._update("adam_step", arrays, *numbers, *corrections)

    @takes_halves
    def rmsprop_step(
        self,
        params: Arrays,
        grads: Arrays,
        square_avgs: Arrays,
        grad_avgs: Arrays | None,
        momentum_buffers: Arrays | None,
        lr: float,
        alpha: float,
        eps: float,
        weight_decay: float,
        momentum: float,
    ) -> None:
        """RMSprop; `grad_avgs` makes it centered, `momentum_buffers` gives it momentum."""
        self._check_step("rmsprop_step", params, grads, square_avgs, grad_avgs, momentum_buffers)
        numbers = tuple(map(float, (lr, alpha, eps, weight_decay, momentum)))
        for arrays in _each(params, grads, square_avgs, grad_avgs, momentum_buffers):
            self._update("rmsprop_step", arrays, *numbers)

    @takes_halves
    def adagrad_step(
        self,
        params: Arrays,
        grads: Arrays,
        sums: Arrays,
        steps: Sequence[int],
        lr: float,
        lr_decay: float,
        eps: float,
        weight_decay: float,
    ) -> None:
        """Adagrad; `sums` are the sums of squares so far, `steps` counts from 1."""
        self._check_step("adagrad_step", params, grads, sums)
        _check_steps("adagrad_step", params, steps)
        for step, arrays in zip(steps, _each(params, grads, sums), strict=True):
            step_size = lr / (1.0 + (step - 1) * lr_decay)
            self._update("adagrad_step", arrays, *map(float, (eps, weight_decay, step_size)))

    @takes_halves
    def adadelta_step(
        self,
        params: Arrays,
        grads: Arrays,
        square_avgs: Arrays,
        acc_deltas: Arrays,
        lr: float,
        rho: float,
        eps: float,
        weight_decay: float,
    ) -> None:
        """Adadelta; both lists are averages of squares, of gradients and of steps."""
        self._check_step("adadelta_step", params, grads, square_avgs, acc_deltas)
        numbers = tuple(map(float, (lr, rho, eps, weight_decay)))
        for arrays in _each(params, grads, square_avgs, acc_deltas):
            self._update("adadelta_step", arrays, *numbers)

    @takes_halves
    def lion_step(
        self,
        params: Arrays,
        grads: Arrays,
        exp_avgs: Arrays,
        lr: float,
        beta1: float,
        beta2: float,
        weight_decay: float,
    ) -> None:
        """Lion: the sign of an average of gradients, with decoupled weight decay."""
        self._check_step("lion_step", params, grads, exp_avgs)
        numbers = tuple(map(float, (lr, beta1, beta2, weight_decay)))
        for arrays in _each(params, grads, exp_avgs):
            self._update("lion_step", arrays, *numbers)

    def _update(self, op: str, arrays: Sequence[Any], *numbers: Argument) -> None:
        """Launch `<op>_kernel` for a parameter, its gradient (only read) and its buffers."""
        param, _, *buffers = arrays
        for array in (param, *buffers):
            if array is not None:
                self.begin_write(op, array)
        walks = [argument for array in arrays for argument in optional_walk(array)]
        n, dtype = param.numel, param.dtype
        self.launch_elements("optimizer", dtype, f"{op}_kernel", n, *walks, *numbers)

    def _check_step(self, op: str, params: Arrays, *others: Arrays | None) -> None:
        """Check every list before the first parameter changes."""
        for arrays in others:
            if arrays is None:
                continue
            if len(arrays) != len(params):
                raise ValueError(
                    f"[{op}] {len(params)} parameters but {len(arrays)} gradients or buffers"
                )
            self.check(op, *params, *arrays)
            for param, array in zip(params, arrays, strict=True):
                if param.dtype is not array.dtype:
                    raise DTypeError(
                        f"[{op}] a parameter is {param.dtype.name} but its gradient or buffer is "
                        f"{array.dtype.name}: expected the same"
                    )
                if param.shape != array.shape:
                    raise RuntimeError(
                        f"[{op}] a parameter has shape {param.shape} but its gradient or buffer "
                        f"{array.shape}: expected the same"
                    )
        for param in params:
            if not is_real(param.dtype):
                raise DTypeError(f"[{op}] expected floating parameters, got {param.dtype.name}")


def _each(*lists: Arrays | None) -> Iterator[tuple[CudaArray | None, ...]]:
    """Go through lists side by side; one that is None gives None for each parameter."""
    nothing = [None] * len(lists[0] or ())
    return zip(*(nothing if arrays is None else arrays for arrays in lists), strict=True)


def _check_steps(op: str, params: Arrays, steps: Sequence[int]) -> None:
    """Refuse step counts that are not one for each parameter, from 1."""
    if len(steps) != len(params) or any(step < 1 for step in steps):
        raise ValueError(f"[{op}] steps {list(steps)}: expected one for each parameter, from 1")
