"""linear_int8: products with weights of int8, composed of operations that are there.

A device multiplies the whole numbers as float32, whose sums are exact up to 2**24 and rounded
above; stage 2 adds them up in int32. Weights stay int8 in memory and are cast for each call.
"""

from __future__ import annotations

import norch_cpu_ops as cpu
from norch_cpu_ops import DTypeError
from norch_cuda.arrays.array import CudaArray, Operand
from norch_cuda.launch.base import OperationsBase
from norch_cuda.launch.pointwise import apply, binary, unary
from norch_cuda.operations.matmul import linear
from norch_cuda.operations.reductions import fold

_TINY = 2.0**-126  # the smallest scale: a row of zeros has it


class Quantized(OperationsBase):
    """Rows of whole numbers, each with a scale."""

    def linear_int8(
        self, x: CudaArray, weight: CudaArray, scale: CudaArray, bias: CudaArray | None = None
    ) -> CudaArray:
        """Compute x @ (weight * scale).T + bias, each row of x rounded to int8 by its own scale."""
        _check_linear_int8(self, x, weight, scale, bias)
        whole, step = x, self.new_full((*x.shape[:-1], 1), 1.0, x.dtype)
        if x.numel:
            largest = fold(self, "amax", unary(self, "abs", x), -1, True)
            step = binary(self, "maximum", _divide(self, largest, 127.0), _TINY)
            steps = binary(self, "mul", x, _divide(self, 1.0, step))
            whole = apply(self, "functions", "round", x.dtype, x.dtype, steps)
        sums = linear(self, whole, self.cast(weight, x.dtype))
        out = binary(self, "mul", binary(self, "mul", sums, step), scale)
        return out if bias is None else binary(self, "add", out, bias)


def _divide(ops: OperationsBase, a: Operand, b: Operand) -> CudaArray:
    """Divide, to a real dtype."""
    return binary(ops, "div", a, b, "functions", real=True)


def _check_linear_int8(
    ops: OperationsBase, x: CudaArray, weight: CudaArray, scale: CudaArray, bias: CudaArray | None
) -> None:
    """Refuse operands of linear_int8 whose dtypes or shapes do not go together."""
    ops.check("linear_int8", x, weight, scale, *([] if bias is None else [bias]))
    others = [a.dtype.name for a in (x, scale, bias) if a is not None]
    if weight.dtype is not cpu.int8 or set(others) != {"float32"}:
        raise DTypeError(
            "[linear_int8] expected a weight of int8, x, scale and bias of float32, got "
            f"{weight.dtype.name}, {', '.join(others)}"
        )
    if x.ndim == 0 or weight.ndim != 2 or x.shape[-1] != weight.shape[1]:
        raise RuntimeError(
            f"[linear_int8] x {x.shape} and weight {weight.shape} do not match: expected x "
            "(..., in) and weight (out, in)"
        )
    for name, rows in (("scale", scale), ("bias", bias)):
        if rows is not None and rows.shape != weight.shape[:1]:
            raise RuntimeError(
                f"[linear_int8] {name} {rows.shape} does not match weight {weight.shape}: "
                f"expected ({weight.shape[0]},)"
            )
