"""One step of an optimizer for all parameters of a model, in place."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from norch_cpu_ops import DTypeError, float32
from norch_cuda.array import CudaArray
from norch_cuda.backend import Argument, Pointer
from norch_cuda.operations.base import walk
from norch_cuda.operations.random import Random
from norch_cuda.promotion import HALVES, is_real
from norch_strides import Layout

Arrays = Sequence[CudaArray]


def _is_arrays(given: object) -> bool:
    return isinstance(given, (list, tuple)) and any(isinstance(x, CudaArray) for x in given)


def takes_halves(step: Callable[..., None]) -> Callable[..., None]:
    """Let a step take float16 and bfloat16: float32 copies are stepped and rounded back once."""

    @wraps(step)
    def widened(self: Optimizers, params: Arrays, grads: Arrays, *rest: Any, **named: Any) -> None:
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
            self.copy_(array, copy)
        return None

    return widened


class Optimizers(Random):
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
        for i, (param, grad) in enumerate(zip(params, grads, strict=True)):
            buffer = None if momentum_buffers is None else momentum_buffers[i]
            operands = (*walk(param), *walk(grad), *_walk_optional(buffer))
            self._update("sgd_step", [param, buffer], operands, numbers)

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
        if len(steps) != len(params) or any(step < 1 for step in steps):
            raise ValueError(
                f"[adam_step] steps {list(steps)}: expected one for each parameter, from 1"
            )
        numbers = (*map(float, (lr, beta1, beta2, eps, weight_decay)), int(decoupled))
        for i, (param, grad) in enumerate(zip(params, grads, strict=True)):
            largest = None if max_exp_avg_sqs is None else max_exp_avg_sqs[i]
            written = [param, exp_avgs[i], exp_avg_sqs[i], largest]
            operands = (*walk(param), *walk(grad), *walk(exp_avgs[i]), *walk(exp_avg_sqs[i]))
            corrections = (
                float(lr / (1.0 - beta1 ** steps[i])),
                math.sqrt(1.0 - beta2 ** steps[i]),
            )
            arguments = (*operands, *_walk_optional(largest))
            self._update("adam_step", written, arguments, (*numbers, *corrections))

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
        for i, (param, grad) in enumerate(zip(params, grads, strict=True)):
            average = None if grad_avgs is None else grad_avgs[i]
            buffer = None if momentum_buffers is None else momentum_buffers[i]
            operands = (
                *(*walk(param), *walk(grad), *walk(square_avgs[i])),
                *(*_walk_optional(average), *_walk_optional(buffer)),
            )
            written = [param, square_avgs[i], average, buffer]
            self._update("rmsprop_step", written, operands, numbers)

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
        if len(steps) != len(params) or any(step < 1 for step in steps):
            raise ValueError(
                f"[adagrad_step] steps {list(steps)}: expected one for each parameter, from 1"
            )
        for param, grad, total, step in zip(params, grads, sums, steps, strict=True):
            step_size = lr / (1.0 + (step - 1) * lr_decay)
            numbers = (float(eps), float(weight_decay), float(step_size))
            operands = (*walk(param), *walk(grad), *walk(total))
            self._update("adagrad_step", [param, total], operands, numbers)

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
        for lists in zip(params, grads, square_avgs, acc_deltas, strict=True):
            param, _, square, delta = lists
            operands = tuple(argument for array in lists for argument in walk(array))
            self._update("adadelta_step", [param, square, delta], operands, numbers)

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
        for param, grad, average in zip(params, grads, exp_avgs, strict=True):
            operands = (*walk(param), *walk(grad), *walk(average))
            self._update("lion_step", [param, average], operands, numbers)

    def _update(
        self,
        op: str,
        written: Sequence[CudaArray | None],
        operands: Sequence[Argument],
        numbers: Sequence[Argument],
    ) -> None:
        param = written[0]
        for array in written:
            if array is not None:
                self._begin_write(op, array)
        if param is not None:
            self._elements(
                "optimizer", param.dtype, f"{op}_kernel", param.numel, *operands, *numbers
            )

    def _check_step(self, op: str, params: Arrays, *others: Arrays | None) -> None:
        """Check every list before the first parameter changes."""
        for arrays in others:
            if arrays is None:
                continue
            if len(arrays) != len(params):
                raise ValueError(
                    f"[{op}] {len(params)} parameters but {len(arrays)} gradients or buffers"
                )
            self._check(op, *params, *arrays)
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


def _walk_optional(array: CudaArray | None) -> tuple[Layout, Pointer]:
    return (Layout((), ()), Pointer(None)) if array is None else walk(array)
