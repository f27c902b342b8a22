"""One step of an optimizer for all parameters of a model, in place: csrc/optimizer.cu.

A launch takes a table of up to `_ROWS` parameters, so few models need a second one.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from norch_cpu_ops import DTypeError, float32, float64
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import is_real
from norch_cuda.launch.base import OperationsBase
from norch_cuda.launch.pointwise import name_method
from norch_cuda.runtime.backend import Argument, Memory, Table
from norch_cuda.runtime.sources import ELEMENTS, family_source

Arrays = Sequence[CudaArray]
Step = Callable[..., None]

_ROWS, _POINTERS = 48, 6
_ROW = struct.Struct(f"IIqdd{_POINTERS}Q")  # `Row` of optimizer.cu
TABLE_BYTES = _ROWS * _ROW.size
_THREADS, _ELEMENTS = 256, 4  # of a block; of a thread, unless the device has not so many blocks


class _Row(NamedTuple):
    """A parameter, its gradient and buffers; what the host, or else the device, has counted."""

    param: CudaArray
    own: tuple[float, float]
    counted: CudaArray | None
    others: Sequence[CudaArray | None]


def _step(op: str, lists: int, doc: str) -> Step:
    """Make a method whose kernel is given `lists` lists of buffers, each of which may be None."""

    def method(self: OperationsBase, params: Arrays, grads: Arrays, *rest: Any) -> None:
        buffers, numbers = rest[:lists], rest[lists:]
        _check_step(self, op, params, grads, *buffers)
        given = (x if isinstance(x, int) else float(x) for x in numbers)
        _update(self, op, _rows(params, grads, *buffers), *given)

    return name_method(method, op, doc)


class Optimizers(OperationsBase):
    """Updates of parameters, all of one dtype in one launch; PyTorch's formulas."""

    sgd_step = _step("sgd_step", 1,
        "(params, grads, momentum_buffers, lr, momentum, dampening, weight_decay, nesterov, first):"
        " stochastic gradient descent; `first` fills the momentum buffers.")  # fmt: skip
    rmsprop_step = _step("rmsprop_step", 3,
        "(params, grads, square_avgs, grad_avgs, momentum_buffers, lr, alpha, eps, weight_decay, "
        "momentum): RMSprop; `grad_avgs` centers it, `momentum_buffers` moves it.")  # fmt: skip
    adadelta_step = _step("adadelta_step", 2,
        "(params, grads, square_avgs, acc_deltas, lr, rho, eps, weight_decay): Adadelta; both "
        "lists are averages of squares, of gradients and of steps.")  # fmt: skip
    lion_step = _step("lion_step", 1,
        "(params, grads, exp_avgs, lr, beta1, beta2, weight_decay): Lion, the sign of an average "
        "of gradients, with decoupled weight decay.")  # fmt: skip

    def adagrad_step(
        self, params: Arrays, grads: Arrays, sums: Arrays, steps: Sequence[int],
        lr: float, lr_decay: float, eps: float, weight_decay: float,
    ) -> None:  # fmt: skip
        """Adagrad; `sums` are the sums of squares so far, `steps` counts from 1."""
        _check_step(self, "adagrad_step", params, grads, sums)
        _check_steps("adagrad_step", params, steps)
        own = [(lr / (1.0 + (step - 1) * lr_decay), 0.0) for step in steps]
        _update(self, "adagrad_step", _rows(params, grads, sums, own=own), eps, weight_decay)

    def adam_step(
        self, params: Arrays, grads: Arrays, exp_avgs: Arrays, exp_avg_sqs: Arrays,
        max_exp_avg_sqs: Arrays | None, steps: Sequence[int] | Arrays,
        lr: float, beta1: float, beta2: float, eps: float, weight_decay: float, decoupled: bool,
    ) -> None:  # fmt: skip
        """Adam, or AdamW when `decoupled`; `steps` counts from 1.

        Or it is arrays of one float32 each: then the device counts, from what they hold, and a CUDA
        graph can repeat the step.
        """
        lists = (params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs)
        _check_step(self, "adam_step", *lists)
        numbers = (*map(float, (lr, beta1, beta2, eps, weight_decay)), int(decoupled))
        kept = [step for step in steps if isinstance(step, CudaArray)]
        own = counted = None
        if kept:
            counted = _count_step(self, params, kept, *numbers[:3])
        else:
            counts = [step for step in steps if not isinstance(step, CudaArray)]
            _check_steps("adam_step", params, counts)
            own = [(lr / (1.0 - beta1**step), math.sqrt(1.0 - beta2**step)) for step in counts]
        _update(self, "adam_step", _rows(*lists, own=own, counted=counted), *numbers)


def _count_step(
    ops: OperationsBase, params: Arrays, steps: Arrays, lr: float, beta1: float, beta2: float
) -> list[CudaArray]:
    """Count a step of Adam on the device; return where it leaves what depends on the counts."""
    if len(steps) != len(params) or any(s.dtype is not float32 or s.numel != 1 for s in steps):
        raise ValueError("[adam_step] steps: expected an array of one float32 a parameter")
    for step in steps:
        ops.begin_write("adam_step", step)
    counted = ops.new((len(steps), 2), float64).unbind(0)
    rows = _rows(steps, counted=counted)
    for some in _parts(rows):
        arguments = (_table(ops, some, {})[0], lr, beta1, beta2)
        ops.launch_elements("optimizer", float32, "count_step_kernel", len(some), *arguments)
    return counted


def _update(ops: OperationsBase, op: str, rows: list[_Row], *numbers: Argument) -> None:
    """Launch `<op>_kernel`, once for all parameters of one dtype that a table has room for."""
    buffers = [a for row in rows for a in row.others[1:] if a is not None]
    written = [*(row.param for row in rows), *buffers]
    for array in written:
        ops.begin_write(op, array)
    gradients = [a for row in rows for a in row.others[:1] if a is not None]
    dense = {id(a): ops.clone(a) for a in (*written, *gradients) if not a.is_contiguous}
    for dtype in dict.fromkeys(row.param.dtype for row in rows):
        source = family_source("optimizer", ELEMENTS[dtype.name])
        for some in _parts([row for row in rows if row.param.dtype is dtype]):
            table, blocks = _table(ops, some, dense)
            grid, block = (blocks, 1, 1), (_THREADS, 1, 1)
            if blocks > 0:
                ops.backend.launch(source, f"{op}_kernel", grid, block, (table, *numbers))
    for array in written:
        if id(array) in dense:
            ops.copy(array, dense[id(array)])


def _table(ops: OperationsBase, rows: list[_Row], dense: dict[int, CudaArray]) -> tuple[Table, int]:
    """Return `Table` of optimizer.cu and its blocks; `dense` has row-major copies by id."""
    content, first_block = bytearray(), 0
    memories: dict[int, Memory] = {}
    for row in rows:
        n, addresses = row.param.numel, [0] * _POINTERS
        blocks = min(ops.backend.num_blocks, -(-n // (_THREADS * _ELEMENTS)))
        place = len(content) + _ROW.size - 8 * _POINTERS
        for k, array in enumerate((row.counted, row.param, *row.others)):
            if array is not None:
                held = dense.get(id(array), array)
                addresses[k], memories[place + 8 * k] = held.data_ptr, held.storage.memory
        content += _ROW.pack(first_block, blocks, n, *row.own, *addresses)
        first_block += blocks
    return Table(bytes(content).ljust(TABLE_BYTES, b"\0"), memories), first_block


def _check_step(ops: OperationsBase, op: str, params: Arrays, *others: Arrays | None) -> None:
    """Check every list before the first parameter changes."""
    for arrays in others:
        if arrays is None:
            continue
        if len(arrays) != len(params):
            raise ValueError(
                f"[{op}] {len(params)} parameters but {len(arrays)} gradients or buffers"
            )
        ops.check(op, *params, *arrays)
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


def _rows(
    params: Arrays,
    *others: Arrays | None,
    own: Sequence[tuple[float, float]] | None = None,
    counted: Sequence[CudaArray] | None = None,
) -> list[_Row]:
    """Make a row of each parameter; a list that is None gives None for each."""
    n = len(params)
    nothing: list[None] = [None] * n
    columns = [nothing if arrays is None else arrays for arrays in others]
    sides = zip(*columns, strict=True) if columns else [()] * n
    return list(map(_Row, params, own or [(0.0, 0.0)] * n, counted or nothing, sides))


def _parts(rows: list[_Row]) -> Iterator[list[_Row]]:
    """Cut rows into what a table has room for."""
    return (rows[first : first + _ROWS] for first in range(0, len(rows), _ROWS))


def _check_steps(op: str, params: Arrays, steps: Sequence[int]) -> None:
    """Refuse step counts that are not one for each parameter, from 1."""
    if len(steps) != len(params) or any(step < 1 for step in steps):
        raise ValueError(f"[{op}] steps {list(steps)}: expected one for each parameter, from 1")
