"""How an operation that treats every element alone is launched: dtypes, broadcast, kernel.

elementwise.py and functions.py name the operations; others call `binary` and `compare`. A table of
alike operations is written with `name_method`, one line each, as in the .cu files.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

import norch_cpu_ops as cpu
from norch_cpu_ops import DType
from norch_cuda.arrays.array import CudaArray, Number, Operand
from norch_cuda.arrays.promotion import computing_dtype, real_dtype, result_dtype
from norch_cuda.launch.base import New, OperationsBase, share_elements
from norch_cuda.launch.plan import At, Plan, plan, run
from norch_cuda.launch.walks import Arguments, coalesce_walk
from norch_cuda.runtime.backend import Argument, Memory
from norch_strides import Layout, broadcast_shapes, broadcast_to, numel

_NO_LAYOUT = Layout((), ())
_AT_ONCE = 4  # elements of a thread where all lie without gaps: kWidth of map.h (halves: 8)
Method = TypeVar("Method", bound=Callable[..., object])
Unary = Callable[[OperationsBase, CudaArray], CudaArray]
Binary = Callable[[OperationsBase, Operand, Operand], CudaArray]


def name_method(method: Method, name: str, doc: str) -> Method:
    """Give one of many alike methods its own name and docstring."""
    method.__name__, method.__doc__ = name, doc
    return method


def common_dtype(ops: OperationsBase, op: str, *operands: Operand) -> DType:
    """Check operands; return the dtype that they have in common."""
    ops.check_operands(op, *operands)
    return result_dtype(operands)


def binary(
    ops: OperationsBase, op: str, a: Operand, b: Operand, family: str = "elementwise",
    real: bool = False, more: Arguments = (),
) -> CudaArray:  # fmt: skip
    """Launch an operation of two operands whose result has their common dtype, or a real one."""
    dtype = _alike(ops, a, b) or common_dtype(ops, op, a, b)
    if dtype is cpu.bool_:
        _check_bool(op)
    result = real_dtype(dtype) if real else dtype
    return apply(ops, family, op, result, result, a, b, more=more)


def compare(ops: OperationsBase, op: str, a: Operand, b: Operand) -> CudaArray:
    """Launch a comparison, whose result is a bool."""
    dtype = _alike(ops, a, b) or common_dtype(ops, op, a, b)
    return apply(ops, "elementwise", op, dtype, cpu.bool_, a, b)


def unary(ops: OperationsBase, op: str, a: CudaArray) -> CudaArray:
    """Launch a function that has the dtype of its operand."""
    ops.check(op, a)
    if a.dtype is cpu.bool_:
        _check_bool(op)
    result = cpu.int64 if op == "square" and a.dtype is cpu.bool_ else a.dtype
    return apply(ops, "elementwise", op, result, result, a)


def _check_bool(op: str) -> None:
    """Refuse, before the launch of a pointwise kernel, the bools that stage 2 refuses."""
    if op in ("floor_divide", "fmod", "pow", "relu", "remainder"):
        raise cpu.DTypeError(f"[{op}] is not defined for bool: cast to another dtype first")


def apply(
    ops: OperationsBase, family: str, op: str, dtype: DType, result: DType, *operands: Operand,
    more: Arguments = (),
) -> CudaArray:  # fmt: skip
    """Launch `<op>_kernel` on elements of `dtype`: one array, or two operands, of which one may be
    a number: it goes by value.
    """
    number: Number = 0.0 if dtype.is_floating_point else 0
    memories: list[Memory | None] = []
    layouts: list[Layout | None] = []
    for x in operands:
        if isinstance(x, CudaArray):
            x = x if x.dtype is dtype else ops.cast(x, dtype)
            memories.append(x.storage.memory)
            layouts.append(x.layout)
        else:
            number = convert_number(x, dtype)
            memories.append(None)
            layouts.append(None)
    planned = _plan(family, op, dtype, result, ops.backend.num_blocks, *layouts)
    by_value = (5, number) if len(layouts) == 2 else None
    return run(ops, planned, memories, more, by_value)[0]


@lru_cache(maxsize=4096)
def _plan(
    family: str, op: str, dtype: DType, result: DType, num_blocks: int, *layouts: Layout | None
) -> Plan:
    """Plan `<op>_kernel` on operands of `dtype`; a number has no layout, and comes behind them."""
    shape = broadcast_shapes(*(layout.shape for layout in layouts if layout is not None))
    count, flat = numel(shape), True
    given: list[Argument | At | New] = [count]
    for i, layout in enumerate(layouts):
        x = _NO_LAYOUT if layout is None else broadcast_to(layout, shape)
        walk = coalesce_walk(x.shape, x.strides)
        flat = flat and walk.strides in ((), (1,))
        given += walk, At(i, x.offset)
    given += [0] * (len(layouts) - 1)
    grid = share_elements(num_blocks, -(-count // _AT_ONCE) if flat else count)
    return plan(family, dtype, op, grid, *given, New(shape, result))


def convert_number(number: Operand, dtype: DType) -> Number:
    """Return a number as a kernel that reads elements of `dtype` takes it; 0 for an array."""
    number = 0 if isinstance(number, CudaArray) else number
    if dtype.is_floating_point:
        return float(number)
    if not 0 <= number < 128:
        cpu.ops.full((), number, computing_dtype(dtype))  # refuses what the dtype does not hold
    return int(number)


def _alike(ops: OperationsBase, a: Operand, b: Operand) -> DType | None:
    """The dtype that both operands have, if they are arrays of this device and have one."""
    return (
        a.dtype
        if isinstance(a, CudaArray)
        and isinstance(b, CudaArray)
        and a.ops is b.ops is ops  # type: ignore[comparison-overlap]  # see base.py
        and a.dtype is b.dtype
        else None
    )
