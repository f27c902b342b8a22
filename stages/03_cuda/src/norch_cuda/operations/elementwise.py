"""Operations that treat every element alone: arithmetic, comparisons, choices.

Each method names the kernel of its own name; pointwise.py chooses the dtype and launches it.
"""

from __future__ import annotations

import norch_cpu_ops as cpu
from norch_cuda.array import CudaArray
from norch_cuda.operations.base import walk
from norch_cuda.operations.functions import Functions
from norch_cuda.operations.pointwise import refuse_real
from norch_cuda.promotion import (
    Operand,
    computing_dtype,
    is_whole,
    result_dtype,
)
from norch_strides import broadcast_shapes


class Elementwise(Functions):
    """Arithmetic on whole arrays."""

    # ---- one operand, same dtype ----

    def neg(self, a: CudaArray) -> CudaArray:
        """-x."""
        if isinstance(a, CudaArray) and a.dtype is cpu.bool_:
            raise RuntimeError("[neg] a bool has no negative: use logical_not")
        return self._unary("neg", a)

    def abs(self, a: CudaArray) -> CudaArray:
        """|x|."""
        return self._unary("abs", a)

    def sign(self, a: CudaArray) -> CudaArray:
        """-1, 0 or 1."""
        return self._unary("sign", a)

    def square(self, a: CudaArray) -> CudaArray:
        """X * x."""
        return self._unary("square", a)

    def relu(self, a: CudaArray) -> CudaArray:
        """max(x, 0)."""
        return self._unary("relu", a)

    def floor(self, a: CudaArray) -> CudaArray:
        """Round down."""
        return self._rounding("floor", a)

    def ceil(self, a: CudaArray) -> CudaArray:
        """Round up."""
        return self._rounding("ceil", a)

    def round(self, a: CudaArray) -> CudaArray:
        """Round to the nearest whole number, halves to the even one."""
        return self._rounding("round", a)

    def trunc(self, a: CudaArray) -> CudaArray:
        """Round towards zero."""
        return self._rounding("trunc", a)

    # ---- questions ----

    def isnan(self, a: CudaArray) -> CudaArray:
        """Whether x is no number."""
        return self._question("isnan", a)

    def isinf(self, a: CudaArray) -> CudaArray:
        """Whether x is infinite."""
        return self._question("isinf", a)

    def isfinite(self, a: CudaArray) -> CudaArray:
        """Whether x is a finite number."""
        return self._question("isfinite", a)

    def logical_not(self, a: CudaArray) -> CudaArray:
        """Whether x is zero."""
        return self._question("logical_not", a)

    # ---- two operands ----

    def add(self, a: Operand, b: Operand) -> CudaArray:
        """X + y."""
        return self._binary("add", a, b)

    def sub(self, a: Operand, b: Operand) -> CudaArray:
        """X - y."""
        if any(isinstance(x, bool) or getattr(x, "dtype", None) is cpu.bool_ for x in (a, b)):
            raise RuntimeError(
                "[sub] bools cannot be subtracted: use logical_xor, or cast them first"
            )
        return self._binary("sub", a, b)

    def mul(self, a: Operand, b: Operand) -> CudaArray:
        """X * y."""
        return self._binary("mul", a, b)

    def div(self, a: Operand, b: Operand) -> CudaArray:
        """X / y, always real."""
        return self._binary("div", a, b, family="functions", real=True)

    def atan2(self, a: Operand, b: Operand) -> CudaArray:
        """Angle of the point (y, x)."""
        return self._binary("atan2", a, b, family="functions", real=True)

    def floor_divide(self, a: Operand, b: Operand) -> CudaArray:
        """X / y rounded down."""
        return self._whole_division("floor_divide", a, b)

    def remainder(self, a: Operand, b: Operand) -> CudaArray:
        """What floor_divide leaves: has the sign of y."""
        return self._whole_division("remainder", a, b)

    def fmod(self, a: Operand, b: Operand) -> CudaArray:
        """What a division rounded towards zero leaves: has the sign of x."""
        return self._whole_division("fmod", a, b)

    def pow(self, a: Operand, b: Operand) -> CudaArray:
        """X to the power y."""
        if is_whole(self._result("pow", a, b)) and isinstance(b, int) and b < 0:
            raise RuntimeError(
                f"[pow] whole numbers to the power {b} are fractions: cast to a real dtype"
            )
        return self._binary("pow", a, b)

    def maximum(self, a: Operand, b: Operand) -> CudaArray:
        """The larger one; a NaN on either side wins."""
        return self._binary("maximum", a, b)

    def minimum(self, a: Operand, b: Operand) -> CudaArray:
        """The smaller one; a NaN on either side wins."""
        return self._binary("minimum", a, b)

    def eq(self, a: Operand, b: Operand) -> CudaArray:
        """X == y."""
        return self._compare("eq", a, b)

    def ne(self, a: Operand, b: Operand) -> CudaArray:
        """X != y."""
        return self._compare("ne", a, b)

    def lt(self, a: Operand, b: Operand) -> CudaArray:
        """X < y."""
        return self._compare("lt", a, b)

    def le(self, a: Operand, b: Operand) -> CudaArray:
        """X <= y."""
        return self._compare("le", a, b)

    def gt(self, a: Operand, b: Operand) -> CudaArray:
        """X > y."""
        return self._compare("gt", a, b)

    def ge(self, a: Operand, b: Operand) -> CudaArray:
        """X >= y."""
        return self._compare("ge", a, b)

    def logical_and(self, a: Operand, b: Operand) -> CudaArray:
        """Whether neither is zero."""
        return self._compare("logical_and", a, b)

    def logical_or(self, a: Operand, b: Operand) -> CudaArray:
        """Whether not both are zero."""
        return self._compare("logical_or", a, b)

    def logical_xor(self, a: Operand, b: Operand) -> CudaArray:
        """Whether exactly one is zero."""
        return self._compare("logical_xor", a, b)

    def bitwise_not(self, a: CudaArray) -> CudaArray:
        """~x; of a bool, its opposite."""
        self._check("bitwise_not", a)
        refuse_real("bitwise_not", a.dtype)
        return self._apply("bits", "bitwise_not", a.dtype, a.dtype, a)

    def bitwise_and(self, a: Operand, b: Operand) -> CudaArray:
        """X & y."""
        return self._bits("bitwise_and", a, b)

    def bitwise_or(self, a: Operand, b: Operand) -> CudaArray:
        """X | y."""
        return self._bits("bitwise_or", a, b)

    def bitwise_xor(self, a: Operand, b: Operand) -> CudaArray:
        """X ^ y."""
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
        """X where the condition holds, y elsewhere."""
        self._check("where", condition)
        self._check_operands("where", condition, a, b)
        if condition.dtype is not cpu.bool_:
            raise RuntimeError(
                f"[where] the condition is {condition.dtype.name}, expected bool: "
                "compare it, as in ne(a, 0)"
            )
        dtype = result_dtype((a, b))
        x, y = (self.cast(self._as_array(v, dtype), computing_dtype(dtype)) for v in (a, b))
        shape = broadcast_shapes(condition.shape, x.shape, y.shape)
        out = self._empty(shape, x.dtype)
        walks = (*walk(condition, shape), *walk(x, shape), *walk(y, shape))
        self._elements("where", x.dtype, "where_kernel", out.numel, *walks, out.pointer)
        return self.cast(out, dtype)

    def clamp(
        self, a: CudaArray, min: Operand | None = None, max: Operand | None = None
    ) -> CudaArray:
        """Limit x to min ... max: minimum(maximum(x, min), max)."""
        self._check("clamp", a)
        if min is None and max is None:
            raise RuntimeError("[clamp] expected min, max or both")
        raised = a if min is None else self.maximum(a, min)
        return raised if max is None else self.minimum(raised, max)
