"""Running sums, products and extremes along a dimension."""

from __future__ import annotations

import norch_cpu_ops as cpu
from norch_cpu_ops import DType
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import computing_dtype, is_real
from norch_cuda.operations.base import OperationsBase
from norch_cuda.operations.walks import line_walks
from norch_strides import normalize_dim, numel


class Cumulative(OperationsBase):
    """One result for every element: all elements up to and including it."""

    def cumsum(self, a: CudaArray, dim: int) -> CudaArray:
        """Sum of the elements up to and including each one, along `dim`."""
        return running(self, "cumsum", a, dim)

    def cumprod(self, a: CudaArray, dim: int) -> CudaArray:
        """Product of the elements up to and including each one, along `dim`."""
        return running(self, "cumprod", a, dim)

    def logcumsumexp(self, a: CudaArray, dim: int) -> CudaArray:
        """Log of the running sum of exp(x), never overflowing."""
        self.check("logcumsumexp", a)
        normalize_dim(dim, a.ndim, "logcumsumexp")
        if not is_real(a.dtype):
            raise RuntimeError(
                f"[logcumsumexp] expected a floating dtype, got {a.dtype.name}: "
                "cast to float32 first"
            )
        return running(self, "logcumsumexp", a, dim)

    def cummax(self, a: CudaArray, dim: int) -> tuple[CudaArray, CudaArray]:
        """Largest element so far, and where it stands; a NaN stays, of equal ones the last."""
        return self._running_extreme("cummax", a, dim)

    def cummin(self, a: CudaArray, dim: int) -> tuple[CudaArray, CudaArray]:
        """Smallest element so far, and where it stands; a NaN stays, of equal ones the last."""
        return self._running_extreme("cummin", a, dim)

    def _running_extreme(self, op: str, a: CudaArray, dim: int) -> tuple[CudaArray, CudaArray]:
        self.check(op, a)
        x = self.cast(a, computing_dtype(a.dtype))
        dtypes = (x.dtype, cpu.int64)
        values, indices = _run(self, op, x, normalize_dim(dim, a.ndim, op), dtypes)
        return self.cast(values, a.dtype), indices


def running(ops: OperationsBase, op: str, a: CudaArray, dim: int) -> CudaArray:
    """Launch a running sum or product along `dim`."""
    ops.check(op, a)
    x = ops.cast(a, computing_dtype(a.dtype))
    dtype = x.dtype if is_real(x.dtype) else cpu.int64
    out = _run(ops, op, x, normalize_dim(dim, a.ndim, op), (dtype,))[0]
    return ops.cast(out, a.dtype) if is_real(a.dtype) else out


def _run(
    ops: OperationsBase, op: str, x: CudaArray, dim: int, dtypes: tuple[DType, ...]
) -> list[CudaArray]:
    """Launch `<op>_kernel`, a line for each block; its results have the shape of x."""
    results = [ops.new(x.shape, dtype) for dtype in dtypes]
    lines_of_x, lines_of_out, (length, step, step_out) = line_walks(x, results[0], dim)
    walks = (lines_of_x, step, x.pointer, lines_of_out, step_out)
    lines = numel(lines_of_x.shape) if x.numel else 0
    pointers = [a.pointer for a in results]
    ops.launch_lines("cumulative", x.dtype, f"{op}_kernel", lines, length, *walks, *pointers)
    return results
