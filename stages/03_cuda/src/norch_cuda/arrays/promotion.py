"""Which dtype an operation computes in: PyTorch's rules on top of stage 2's promotion table.

A Python number, and an array without dimensions beside one with, only lifts the category
(bool < whole < real) of the result.
"""

from __future__ import annotations

import norch_cpu_ops as cpu
from norch_cpu_ops import DType, promote_types
from norch_cuda.arrays.array import CudaArray, Number, Operand

HALVES = frozenset({cpu.float16, cpu.bfloat16})


def is_real(dtype: DType) -> bool:
    """Whether a CudaArray of the dtype holds real numbers."""
    return dtype.is_floating_point


def is_whole(dtype: DType) -> bool:
    """Whether a CudaArray of the dtype holds whole numbers; bool is not one of them."""
    return not dtype.is_floating_point and dtype is not cpu.bool_


def natural_dtype(number: Number) -> DType:
    """Return the dtype of a CudaArray made of a lone Python number: bool, int64 or float32."""
    if isinstance(number, bool):
        return cpu.bool_
    return cpu.int64 if isinstance(number, int) else cpu.float32


def result_dtype(operands: tuple[Operand, ...]) -> DType:
    """Return the dtype of a result of CudaArrays before the operation's own rules (div) apply."""
    arrays: DType | None = None
    points: DType | None = None
    numbers: DType | None = None
    for operand in operands:
        if not isinstance(operand, CudaArray):
            numbers = _promote(numbers, natural_dtype(operand))
        elif operand.ndim == 0:
            points = _promote(points, operand.dtype)
        else:
            arrays = _promote(arrays, operand.dtype)
    dtype = _lift(arrays, _lift(points, numbers))
    if dtype is None:
        raise TypeError("[promotion] expected at least one operand")
    return dtype


def _promote(a: DType | None, b: DType | None) -> DType | None:
    """Return the dtype that operands, CudaArrays or numbers, have in common; None is no operand."""
    if a is None or b is None:
        return b if a is None else a
    return promote_types(a, b)


def _lift(higher: DType | None, lower: DType | None) -> DType | None:
    """Promote CudaArrays' dtype by a lower rank's, which counts only if its category is higher."""
    if higher is None or lower is None:
        return lower if higher is None else higher
    if is_real(higher):
        return higher
    return promote_types(higher, lower) if higher is cpu.bool_ or is_real(lower) else higher


def computing_dtype(dtype: DType) -> DType:
    """Return what kernels calculate in: float16 and bfloat16 are only ways of storing a float32,
    int8 one of storing an int32.
    """
    if dtype is cpu.int8:
        return cpu.int32
    return cpu.float32 if dtype in HALVES else dtype


def real_dtype(dtype: DType) -> DType:
    """Return the dtype of a CudaArray of real results: from whole numbers it is float32."""
    return dtype if is_real(dtype) else cpu.float32


def check_in_place(op: str, result: DType, target: DType) -> None:
    """Refuse to write a result into a CudaArray of a lower category."""
    lower = (is_real(result) and not is_real(target)) or (
        result is not cpu.bool_ and target is cpu.bool_
    )
    if lower:
        raise RuntimeError(
            f"[{op}] the result is {result.name} and cannot be written into an array of "
            f"{target.name}: cast the array first, or use the operation that makes a new one"
        )
