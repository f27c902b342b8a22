"""How an operation that treats every element alone is launched: dtypes, broadcast, kernel.

elementwise.py and functions.py name the operations; others call `binary` and `compare`. A table of
alike operations is written with `name_method`, one line each, as in the .cu files.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import norch_cpu_ops as cpu
from norch_cpu_ops import DType
from norch_cuda.arrays.array import CudaArray, Number, Operand
from norch_cuda.arrays.promotion import computing_dtype, real_dtype, result_dtype
from norch_cuda.launch.base import OperationsBase
from norch_cuda.launch.walks import Arguments, optional_walk, row_major
from norch_cuda.runtime.backend import Argument
from norch_strides import broadcast_shapes

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
    ops: OperationsBase,
    op: str,
    a: Operand,
    b: Operand,
    family: str = "elementwise",
    real: bool = False,
    more: Arguments = (),
) -> CudaArray:
    """Launch an operation of two operands whose result has their common dtype, or a real one."""
    dtype = _alike(ops, a, b) or common_dtype(ops, op, a, b)
    _check_bool(op, dtype)
    result = real_dtype(dtype) if real else dtype
    return apply(ops, family, op, result, result, a, b, more=more)


def compare(ops: OperationsBase, op: str, a: Operand, b: Operand) -> CudaArray:
    """Launch a comparison, whose result is a bool."""
    dtype = _alike(ops, a, b) or common_dtype(ops, op, a, b)
    return apply(ops, "elementwise", op, dtype, cpu.bool_, a, b)


def unary(ops: OperationsBase, op: str, a: CudaArray) -> CudaArray:
    """Launch a function that has the dtype of its operand."""
    ops.check(op, a)
    _check_bool(op, a.dtype)
    result = cpu.int64 if op == "square" and a.dtype is cpu.bool_ else a.dtype
    return apply(ops, "elementwise", op, result, result, a)


def _check_bool(op: str, dtype: DType) -> None:
    """Refuse, before the launch of a pointwise kernel, the bools that stage 2 refuses."""
    if dtype is cpu.bool_ and op in ("floor_divide", "fmod", "pow", "relu", "remainder"):
        raise cpu.DTypeError(f"[{op}] is not defined for bool: cast to another dtype first")


def apply(
    ops: OperationsBase,
    family: str,
    op: str,
    dtype: DType,
    result: DType,
    *operands: Operand,
    more: Arguments = (),
) -> CudaArray:
    """Launch `<op>_kernel` on elements of `dtype`: arrays are cast to it and broadcast, a number
    beside one goes by value.
    """
    number: Number | None = None
    arrays: list[CudaArray | None] = []
    shape = None
    for x in operands:
        if not isinstance(x, CudaArray):
            number = convert_number(x, dtype)
            arrays.append(None)
            continue
        if x.dtype is not dtype:
            x = ops.cast(x, dtype)
        arrays.append(x)
        if shape is None:
            shape = x.layout.shape
        elif shape != x.layout.shape:
            shape = broadcast_shapes(shape, x.layout.shape)
    assert shape is not None  # `check_operands` refuses numbers alone
    out = ops.new(shape, result)
    arguments: list[Argument] = [argument for x in arrays for argument in optional_walk(x, shape)]
    if len(operands) == 2:
        arguments.append(0 if number is None else number)
    n = row_major(shape)[1]
    ops.launch_elements(family, dtype, f"{op}_kernel", n, *arguments, out.pointer, *more)
    return out


def convert_number(number: Operand, dtype: DType) -> Number:
    """Return a number as a kernel that reads elements of `dtype` takes it; 0 beside an array."""
    if isinstance(number, CudaArray):
        return 0
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
