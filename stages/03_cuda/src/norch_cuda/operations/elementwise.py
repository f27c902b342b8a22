"""Operations that treat every element alone: arithmetic, comparisons, choices.

A line of the table is the name of the operation, of its kernel, and what it computes; the function
that makes the method chooses the dtype. launch/pointwise.py launches.
"""

from __future__ import annotations

from collections.abc import Callable

import norch_cpu_ops as cpu
from norch_cuda.arrays.array import CudaArray, Operand
from norch_cuda.arrays.promotion import (
    check_in_place,
    is_real,
    is_whole,
    result_dtype,
)
from norch_cuda.launch.base import Givens, New, OperationsBase
from norch_cuda.launch.pointwise import (
    Binary,
    Unary,
    apply,
    binary,
    common_dtype,
    compare,
    convert_number,
    name_method,
    unary,
)
from norch_cuda.launch.walks import NOTHING, optional_walk, walk
from norch_strides import broadcast_shapes

InPlace = Callable[[OperationsBase, CudaArray, Operand], None]


def _unary(op: str, doc: str) -> Unary:
    """Make a method of `Operations` on one CudaArray that keeps its dtype."""
    return name_method(lambda self, a: unary(self, op, a), op, doc)


def _predicate(op: str, doc: str) -> Unary:
    """Make a method of `Operations` on one CudaArray whose result is a bool."""

    def method(self: OperationsBase, a: CudaArray) -> CudaArray:
        self.check(op, a)
        return apply(self, "elementwise", op, a.dtype, cpu.bool_, a)

    return name_method(method, op, doc)


def _binary(op: str, doc: str, family: str = "elementwise", real: bool = False) -> Binary:
    """Make a method of `Operations` on two CudaArrays; with `real` the result is never whole."""
    return name_method(lambda self, a, b: binary(self, op, a, b, family, real), op, doc)


def _compare(op: str, doc: str) -> Binary:
    """Make a method of `Operations` that compares two CudaArrays."""
    return name_method(lambda self, a, b: compare(self, op, a, b), op, doc)


def _division(op: str, doc: str) -> Binary:
    """Make a method of `Operations` that refuses to divide whole numbers by zero."""

    def method(self: OperationsBase, a: Operand, b: Operand) -> CudaArray:
        if is_real(common_dtype(self, op, a, b)):
            return binary(self, op, a, b, more=(NOTHING,))
        if not isinstance(b, CudaArray):
            if b == 0:
                raise _divided_by_zero(op)
            return binary(self, op, a, b, more=(NOTHING,))
        report = self.backend.new_report()
        out = binary(self, op, a, b, more=(report.pointer,))
        self.backend.when_run(report, lambda element: _divided_by_zero(op))
        return out

    return name_method(method, op, doc)


def _divided_by_zero(op: str) -> RuntimeError:
    """What to raise for a division of whole numbers by zero."""
    return RuntimeError(f"[{op}] division of whole numbers by zero")


def _bitwise(op: str, doc: str) -> Binary:
    """Make a method of `Operations` on the bits of two CudaArrays: whole numbers or bools."""
    return name_method(lambda self, a, b: _bits(self, op, a, b), op, doc)


def _bits(ops: OperationsBase, op: str, *operands: Operand) -> CudaArray:
    """Launch an operation on bits, which refuses real numbers."""
    dtype = common_dtype(ops, op, *operands)
    if is_real(dtype):
        raise cpu.DTypeError(f"[{op}] expected whole numbers or bools, got {dtype.name}")
    return apply(ops, "bits", op, dtype, dtype, *operands)


def _in_place(op: str, doc: str, operation: Callable[..., CudaArray]) -> InPlace:
    """Make the method of `Operations` that writes a result into its first CudaArray."""

    def method(self: OperationsBase, destination: CudaArray, source: Operand) -> None:
        self.check(op, destination)
        result = operation(self, destination, source)
        check_in_place(op, result.dtype, destination.dtype)
        if result.shape != destination.shape:
            raise RuntimeError(
                f"[{op}] the result has shape {result.shape}, which does not fit into "
                f"{destination.shape}"
            )
        self.begin_write(op, destination)
        self.copy(destination, result)

    return name_method(method, op, doc)


class Elementwise(OperationsBase):
    """Arithmetic on whole arrays, broadcast to one shape and cast to one dtype."""

    abs = _unary("abs", "`|x|`.")
    sign = _unary("sign", "-1, 0 or 1.")
    square = _unary("square", "`x * x`.")
    relu = _unary("relu", "`max(x, 0)`.")

    isnan = _predicate("isnan", "Whether `x` is no number.")
    isinf = _predicate("isinf", "Whether `x` is infinite.")
    isfinite = _predicate("isfinite", "Whether `x` is a finite number.")
    logical_not = _predicate("logical_not", "Whether `x` is zero.")

    add = _binary("add", "`x + y`.")
    mul = _binary("mul", "`x * y`.")
    div = _binary("div", "`x / y`, always real.", family="functions", real=True)
    atan2 = _binary("atan2", "Angle of the point (y, x).", family="functions", real=True)
    maximum = _binary("maximum", "The larger one; a NaN on either side wins.")
    minimum = _binary("minimum", "The smaller one; a NaN on either side wins.")
    floor_divide = _division("floor_divide", "`x / y` rounded down.")
    remainder = _division("remainder", "What floor_divide leaves: has the sign of `y`.")
    fmod = _division("fmod", "What a division rounded towards zero leaves: has the sign of `x`.")

    eq = _compare("eq", "`x == y`.")
    ne = _compare("ne", "`x != y`.")
    lt = _compare("lt", "`x < y`.")
    le = _compare("le", "`x <= y`.")
    gt = _compare("gt", "`x > y`.")
    ge = _compare("ge", "`x >= y`.")
    logical_and = _compare("logical_and", "Whether neither is zero.")
    logical_or = _compare("logical_or", "Whether not both are zero.")
    logical_xor = _compare("logical_xor", "Whether exactly one is zero.")

    bitwise_and = _bitwise("bitwise_and", "`x & y`.")
    bitwise_or = _bitwise("bitwise_or", "`x | y`.")
    bitwise_xor = _bitwise("bitwise_xor", "`x ^ y`.")

    def neg(self, a: CudaArray) -> CudaArray:
        """`-x`."""
        if isinstance(a, CudaArray) and a.dtype is cpu.bool_:
            raise RuntimeError("[neg] a bool has no negative: use logical_not")
        return unary(self, "neg", a)

    def sub(self, a: Operand, b: Operand) -> CudaArray:
        """`x - y`."""
        if any(isinstance(x, bool) or getattr(x, "dtype", None) is cpu.bool_ for x in (a, b)):
            raise cpu.DTypeError(
                "[sub] bools cannot be subtracted: use logical_xor, or cast them first"
            )
        return binary(self, "sub", a, b)

    def pow(self, a: Operand, b: Operand) -> CudaArray:
        """`x` to the power `y`."""
        if is_whole(common_dtype(self, "pow", a, b)) and isinstance(b, int) and b < 0:
            raise RuntimeError(
                f"[pow] whole numbers to the power {b} are fractions: cast to a real dtype"
            )
        return binary(self, "pow", a, b)

    def bitwise_not(self, a: CudaArray) -> CudaArray:
        """`~x`; of a bool, its opposite."""
        return _bits(self, "bitwise_not", a)

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
        x, y = (self.cast(v, dtype) if isinstance(v, CudaArray) else None for v in (a, b))
        shape = broadcast_shapes(*(v.shape for v in (condition, x, y) if v is not None))
        given: Givens = (
            *walk(condition, shape),
            *optional_walk(x, shape),
            convert_number(a, dtype),
        )
        given = (*given, *optional_walk(y, shape), convert_number(b, dtype), New(shape))
        return self.compute("elementwise", dtype, "where", *given, stored=True)[0]

    def clamp(
        self, a: CudaArray, min: Operand | None = None, max: Operand | None = None
    ) -> CudaArray:
        """Limit x to min ... max: minimum(maximum(x, min), max)."""
        self.check("clamp", a)
        if min is None and max is None:
            raise RuntimeError("[clamp] expected min, max or both")
        raised = a if min is None else self.maximum(a, min)
        return raised if max is None else self.minimum(raised, max)

    add_ = _in_place("add_", "Add `source` to `destination`.", add)
    sub_ = _in_place("sub_", "Subtract `source` from `destination`.", sub)
    mul_ = _in_place("mul_", "Multiply `destination` by `source`.", mul)
    div_ = _in_place("div_", "Divide `destination` by `source`.", div)
