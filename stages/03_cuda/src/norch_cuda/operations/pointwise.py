"""How an operation that treats every element alone is launched: dtypes, broadcast, kernel.

Each helper stands for one rule of result dtypes; elementwise.py names the operations.
"""

from __future__ import annotations

from collections.abc import Callable

import norch_cpu_ops as cpu
from norch_cpu_ops import DType
from norch_cuda.array import CudaArray
from norch_cuda.operations.base import walk
from norch_cuda.operations.creation import Creation
from norch_cuda.promotion import (
    Operand,
    check_in_place,
    computing_dtype,
    is_real,
    real_dtype,
    result_dtype,
)
from norch_strides import broadcast_shapes


class Pointwise(Creation):
    """The rules that the elementwise operations share."""

    def _result(self, op: str, *operands: Operand) -> DType:
        self._check_operands(op, *operands)
        return result_dtype(operands)

    def _apply(
        self, family: str, op: str, computing: DType, result: DType, *operands: Operand
    ) -> CudaArray:
        """Launch `<op>_kernel`: operands cast to one dtype and broadcast to one shape."""
        arrays = [self.cast(self._as_array(x, computing), computing) for x in operands]
        shape = arrays[0].shape
        if len(arrays) == 2:
            shape = broadcast_shapes(shape, arrays[1].shape)
        out = self._empty(shape, result)
        walks = [argument for array in arrays for argument in walk(array, shape)]
        self._elements(family, computing, f"{op}_kernel", out.numel, *walks, out.pointer)
        return out

    def _unary(self, op: str, a: CudaArray) -> CudaArray:
        self._check(op, a)
        computing = computing_dtype(a.dtype)
        return self.cast(self._apply("unary", op, computing, computing, a), a.dtype)

    def _function(self, op: str, a: CudaArray) -> CudaArray:
        self._check(op, a)
        result = real_dtype(a.dtype)
        computing = computing_dtype(result)
        return self.cast(self._apply("functions", op, computing, computing, a), result)

    def _rounding(self, op: str, a: CudaArray) -> CudaArray:
        self._check(op, a)
        return self._function(op, a) if is_real(a.dtype) else self.clone(a)

    def _question(self, op: str, a: CudaArray) -> CudaArray:
        self._check(op, a)
        return self._apply("compare", op, computing_dtype(a.dtype), cpu.bool_, a)

    def _binary(
        self, op: str, a: Operand, b: Operand, family: str = "binary", real: bool = False
    ) -> CudaArray:
        dtype = self._result(op, a, b)
        result = real_dtype(dtype) if real else dtype
        computing = computing_dtype(result)
        return self.cast(self._apply(family, op, computing, computing, a, b), result)

    def _whole_division(self, op: str, a: Operand, b: Operand) -> CudaArray:
        if not is_real(self._result(op, a, b)) and self._has_zero(b):
            raise RuntimeError(f"[{op}] division of whole numbers by zero")
        return self._binary(op, a, b)

    def _has_zero(self, divisor: Operand) -> bool:
        """Look for a zero; for an array this waits for the device, as no kernel can raise."""
        if not isinstance(divisor, CudaArray):
            return divisor == 0
        zeros = self.to_cpu(self.eq(divisor, 0))
        return bool(cpu.ops.any(zeros).item())

    def _compare(self, op: str, a: Operand, b: Operand) -> CudaArray:
        computing = computing_dtype(self._result(op, a, b))
        return self._apply("compare", op, computing, cpu.bool_, a, b)

    def _bits(self, op: str, a: Operand, b: Operand) -> CudaArray:
        dtype = self._result(op, a, b)
        refuse_real(op, dtype)
        return self._apply("bits", op, dtype, dtype, a, b)

    def _in_place(
        self,
        op: str,
        destination: CudaArray,
        source: Operand,
        operation: Callable[[Operand, Operand], CudaArray],
    ) -> None:
        self._check(op, destination)
        result = operation(destination, source)
        check_in_place(op, result.dtype, destination.dtype)
        if result.shape != destination.shape:
            raise RuntimeError(
                f"[{op}] the result has shape {result.shape}, which does not fit into "
                f"{destination.shape}"
            )
        self._begin_write(op, destination)
        self._copy(destination, result)


def refuse_real(op: str, dtype: DType) -> None:
    """Refuse real numbers where single bits are meant."""
    if is_real(dtype):
        raise RuntimeError(f"[{op}] expected whole numbers or bools, got {dtype.name}")
