"""Operations that treat every element alone: arithmetic, comparisons, choices.

Each method names the kernel of its own name; pointwise.py chooses the dtype and launches it.
"""

from __future__ import annotations

from collections.abc import Callable

import norch_cpu_ops as cpu
from norch_cuda.arrays.array import CudaArray, Operand
from norch_cuda.arrays.promotion import (
    check_in_place,
    computing_dtype,
    is_real,
    is_whole,
    result_dtype,
)
from norch_cuda.operations.base import OperationsBase
from norch_cuda.operations.pointwise import apply, binary, common_dtype, compare, unary
from norch_cuda.operations.walks import walk
from norch_strides import broadcast_shapes


class Elementwise(OperationsBase):
    """Arithmetic on whole arrays."""

    # ---- one operand, same dtype ----

    def neg(self, a: CudaArray) -> CudaArray:
        """`-x`."""
        if isinstance(a, CudaArray) and a.dtype is cpu.bool_:
            raise RuntimeError("[neg] a bool has no negative: use logical_not")
        return unary(self, "neg", a)

    def abs(self, a: CudaArray) -> CudaArray:
        """`|x|`."""
        return unary(self, "abs", a)

    def sign(self, a: CudaArray) -> CudaArray:
        """-1, 0 or 1."""
        return unary(self, "sign", a)

    def square(self, a: CudaArray) -> CudaArray:
        """`x * x`."""
        return unary(self, "square", a)

    def relu(self, a: CudaArray) -> CudaArray:
        """`max(x, 0)`."""
        return unary(self, "relu", a)

    # ---- predicates ----

    def isnan(self, a: CudaArray) -> CudaArray:
        """Whether x is no number."""
        return self._predicate("isnan", a)

    def isinf(self, a: CudaArray) -> CudaArray:
        """Whether x is infinite."""
        return self._predicate("isinf", a)

    def isfinite(self, a: CudaArray) -> CudaArray:
        """Whether x is a finite number."""
        return self._predicate("isfinite", a)

    def logical_not(self, a: CudaArray) -> CudaArray:
        """Whether x is zero."""
        return self._predicate("logical_not", a)

    # ---- two operands ----

    def add(self, a: Operand, b: Operand) -> CudaArray:
        """`x + y`."""
        return binary(self, "add", a, b)

    def sub(self, a: Operand, b: Operand) -> CudaArray:
        """`x - y`."""
        if any(isinstance(x, bool) or getattr(x, "dtype", None) is cpu.bool_ for x in (a, b)):
            raise RuntimeError(
                "[sub] bools cannot be subtracted: use logical_xor, or cast them first"
            )
        return binary(self, "sub", a, b)

    def mul(self, a: Operand, b: Operand) -> CudaArray:
        """`x * y`."""
        return binary(self, "mul", a, b)

    def div(self, a: Operand, b: Operand) -> CudaArray:
        """`x / y`, always real."""
        return binary(self, "div", a, b, family="functions", real=True)

    def floor_divide(self, a: Operand, b: Operand) -> CudaArray:
        """`x / y` rounded down."""
        return self._whole_division("floor_divide", a, b)

    def remainder(self, a: Operand, b: Operand) -> CudaArray:
        """What floor_divide leaves: has the sign of y."""
        return self._whole_division("remainder", a, b)

    def fmod(self, a: Operand, b: Operand) -> CudaArray:
        """What a division rounded towards zero leaves: has the sign of x."""
        return self._whole_division("fmod", a, b)

    def pow(self, a: Operand, b: Operand) -> CudaArray:
        """`x` to the power `y`."""
        if is_whole(common_dtype(self, "pow", a, b)) and isinstance(b, int) and b < 0:
            raise RuntimeError(
                f"[pow] whole numbers to the power {b} are fractions: cast to a real dtype"
            )
        return binary(self, "pow", a, b)

    def maximum(self, a: Operand, b: Operand) -> CudaArray:
        """The larger one; a NaN on either side wins."""
        return binary(self, "maximum", a, b)

    def minimum(self, a: Operand, b: Operand) -> CudaArray:
        """The smaller one; a NaN on either side wins."""
        return binary(self, "minimum", a, b)

    def eq(self, a: Operand, b: Operand) -> CudaArray:
        """`x == y`."""
        return compare(self, "eq", a, b)

    def ne(self, a: Operand, b: Operand) -> CudaArray:
        """`x != y`."""
        return compare(self, "ne", a, b)

    def lt(self, a: Operand, b: Operand) -> CudaArray:
        """`x < y`."""
        return compare(self, "lt", a, b)

    def le(self, a: Operand, b: Operand) -> CudaArray:
        """`x <= y`."""
        return compare(self, "le", a, b)

    def gt(self, a: Operand, b: Operand) -> CudaArray:
        """`x > y`."""
        return compare(self, "gt", a, b)

    def ge(self, a: Operand, b: Operand) -> CudaArray:
        """`x >= y`."""
        return compare(self, "ge", a, b)

    def logical_and(self, a: Operand, b: Operand) -> CudaArray:
        """Whether neither is zero."""
        return compare(self, "logical_and", a, b)

    def logical_or(self, a: Operand, b: Operand) -> CudaArray:
        """Whether not both are zero."""
        return compare(self, "logical_or", a, b)

    def logical_xor(self, a: Operand, b: Operand) -> CudaArray:
        """Whether exactly one is zero."""
        return compare(self, "logical_xor", a, b)

    def bitwise_not(self, a: CudaArray) -> CudaArray:
        """~x; of a bool, its opposite."""
        return self._bits("bitwise_not", a)

    def bitwise_and(self, a: Operand, b: Operand) -> CudaArray:
        """`x & y`."""
        return self._bits("bitwise_and", a, b)

    def bitwise_or(self, a: Operand, b: Operand) -> CudaArray:
        """`x | y`."""
        return self._bits("bitwise_or", a, b)

    def bitwise_xor(self, a: Operand, b: Operand) -> CudaArray:
        """`x ^ y`."""
        return self._bits("bitwise_xor", a, b)

    # ---- in place ----

    def add_(self, destination: CudaArray, source: Operand) -> None:
        """Add `source` to `destination`."""
        self._in_place("add_", destination, source, self.add)

    def sub_(self, destination: CudaArray, source: Operand) -> None:
        """Subtract `source` from `destination`."""
        self._in_place("sub_", destination, source, self.sub)

    def mul_(self, destination: CudaArray, source: Operand) -> None:
        """Multiply `destination` by `source`."""
        self._in_place("mul_", destination, source, self.mul)

    def div_(self, destination: CudaArray, source: Operand) -> None:
        """Divide `destination` by `source`."""
        self._in_place("div_", destination, source, self.div)

    # ---- choices ----

    def where(self, condition: CudaArray, a: Operand, b: Operand) -> CudaArray:
        """`x` where the condition holds, `y` elsewhere."""
        self.check("where", condition)
        self.check_operands("where", condition, a, b)
        if condition.dtype is not cpu.bool_:
            raise RuntimeError(
                f"[where] the condition is {condition.dtype.name}, expected bool: "
                "compare it, as in ne(a, 0)"
            )
        dtype = result_dtype((a, b))
        x, y = (self.cast(self.as_array(v, dtype), computing_dtype(dtype)) for v in (a, b))
        shape = broadcast_shapes(condition.shape, x.shape, y.shape)
        out = self.new(shape, x.dtype)
        walks = (*walk(condition, shape), *walk(x, shape), *walk(y, shape))
        self.launch_elements("where", x.dtype, "where_kernel", out.numel, *walks, out.pointer)
        return self.cast(out, dtype)

    def clamp(
        self, a: CudaArray, min: Operand | None = None, max: Operand | None = None
    ) -> CudaArray:
        """Limit x to min ... max: minimum(maximum(x, min), max)."""
        self.check("clamp", a)
        if min is None and max is None:
            raise RuntimeError("[clamp] expected min, max or both")
        raised = a if min is None else self.maximum(a, min)
        return raised if max is None else self.minimum(raised, max)

    # ---- rules of dtypes ----

    def _predicate(self, op: str, a: CudaArray) -> CudaArray:
        self.check(op, a)
        return apply(self, "compare", op, computing_dtype(a.dtype), cpu.bool_, a)

    def _bits(self, op: str, *operands: Operand) -> CudaArray:
        dtype = common_dtype(self, op, *operands)
        if is_real(dtype):
            raise RuntimeError(f"[{op}] expected whole numbers or bools, got {dtype.name}")
        return apply(self, "bits", op, dtype, dtype, *operands)

    def _whole_division(self, op: str, a: Operand, b: Operand) -> CudaArray:
        if not is_real(common_dtype(self, op, a, b)) and self._has_zero(b):
            raise RuntimeError(f"[{op}] division of whole numbers by zero")
        return binary(self, op, a, b)

    def _has_zero(self, divisor: Operand) -> bool:
        """Look for a zero; for an array this waits for the device, as no kernel can raise."""
        if not isinstance(divisor, CudaArray):
            return divisor == 0
        zeros = self.to_cpu(compare(self, "eq", divisor, 0))
        return bool(cpu.ops.any(zeros).item())

    def _in_place(
        self,
        op: str,
        destination: CudaArray,
        source: Operand,
        operation: Callable[[Operand, Operand], CudaArray],
    ) -> None:
        self.check(op, destination)
        result = operation(destination, source)
        check_in_place(op, result.dtype, destination.dtype)
        if result.shape != destination.shape:
            raise RuntimeError(
                f"[{op}] the result has shape {result.shape}, which does not fit into "
                f"{destination.shape}"
            )
        self.begin_write(op, destination)
        self.copy(destination, result)
