"""How an operation that treats every element alone is launched: dtypes, broadcast, kernel.

Operands of one shape and dtype take the short way, `_launch_alike`, without casts and broadcasts.
elementwise.py and functions.py name the operations; others call `binary` and `compare`. A table of
alike operations is written with `name_method`, one line each, as in the .cu files.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import norch_cpu_ops as cpu
from norch_cpu_ops import DType
from norch_cuda.arrays.array import CudaArray, Operand
from norch_cuda.arrays.promotion import computing_dtype, real_dtype, result_dtype
from norch_cuda.launch.base import OperationsBase
from norch_cuda.launch.walks import coalesce_walk, row_major, walk
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
) -> CudaArray:
    """Launch an operation of two operands whose result has their common dtype, or a real one."""
    alike = _alike(ops, a, b)
    dtype = alike[0].dtype if alike else common_dtype(ops, op, a, b)
    if alike and dtype is not cpu.bool_ and (not real or dtype.is_floating_point):
        return _launch_alike(ops, family, op, dtype, *alike)
    _check_bool(op, dtype)
    result = real_dtype(dtype) if real else dtype
    computing = computing_dtype(result)
    return ops.cast(apply(ops, family, op, computing, computing, a, b), result)


def compare(ops: OperationsBase, op: str, a: Operand, b: Operand) -> CudaArray:
    """Launch a comparison, whose result is a bool."""
    alike = _alike(ops, a, b)
    if alike:
        return _launch_alike(ops, "elementwise", op, cpu.bool_, *alike)
    computing = computing_dtype(common_dtype(ops, op, a, b))
    return apply(ops, "elementwise", op, computing, cpu.bool_, a, b)


def unary(ops: OperationsBase, op: str, a: CudaArray) -> CudaArray:
    """Launch a function that has the dtype of its operand."""
    ops.check(op, a)
    _check_bool(op, a.dtype)
    result = cpu.int64 if op == "square" and a.dtype is cpu.bool_ else a.dtype
    computing = computing_dtype(result)
    return ops.cast(apply(ops, "elementwise", op, computing, computing, a), result)


def _check_bool(op: str, dtype: DType) -> None:
    """Refuse, before the launch of a pointwise kernel, the bools that stage 2 refuses."""
    if dtype is cpu.bool_ and op in ("floor_divide", "fmod", "pow", "relu", "remainder"):
        raise cpu.DTypeError(f"[{op}] is not defined for bool: cast to another dtype first")


def apply(
    ops: OperationsBase, family: str, op: str, computing: DType, result: DType, *operands: Operand
) -> CudaArray:
    """Launch `<op>_kernel`: operands cast to one dtype and broadcast to one shape."""
    arrays = [ops.cast(ops.as_array(x, computing), computing) for x in operands]
    if len({array.layout.shape for array in arrays}) == 1:
        return _launch_alike(ops, family, op, result, *arrays)
    shape = broadcast_shapes(*(array.shape for array in arrays))
    out = ops.new(shape, result)
    walks = [argument for array in arrays for argument in walk(array, shape)]
    ops.launch_elements(family, computing, f"{op}_kernel", out.numel, *walks, out.pointer)
    return out


def _launch_alike(
    ops: OperationsBase, family: str, op: str, result: DType, *arrays: CudaArray
) -> CudaArray:
    """Launch a pointwise `<op>_kernel` for arrays of one shape and of the dtype it computes in."""
    shape = arrays[0].layout.shape
    out = ops.new(shape, result)
    arguments: list[Argument] = []
    for array in arrays:
        arguments += coalesce_walk(shape, array.layout.strides), array.pointer
    n = row_major(shape)[1]
    ops.launch_elements(family, arrays[0].dtype, f"{op}_kernel", n, *arguments, out.pointer)
    return out


def _alike(ops: OperationsBase, a: Operand, b: Operand) -> tuple[CudaArray, CudaArray] | None:
    """Both operands if a pointwise kernel can be launched on them without cast or broadcast."""
    return (
        (a, b)
        if isinstance(a, CudaArray)
        and isinstance(b, CudaArray)
        and a.ops is b.ops is ops  # type: ignore[comparison-overlap]  # see base.py
        and a.dtype is b.dtype
        and a.layout.shape == b.layout.shape
        and a.dtype is computing_dtype(a.dtype)
        else None
    )
