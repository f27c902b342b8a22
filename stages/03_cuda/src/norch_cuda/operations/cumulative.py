"""Running sums, products and extremes along a dimension."""

from __future__ import annotations

import norch_cpu_ops as cpu
from norch_cpu_ops import DType
from norch_cuda.array import CudaArray
from norch_cuda.operations.base import split_dims
from norch_cuda.operations.reductions import Reductions
from norch_cuda.promotion import computing_dtype, is_real
from norch_strides import Layout, normalize_dim, numel


class Cumulative(Reductions):
    """One result for every element: all elements up to and including it."""

    def cumsum(self, a: CudaArray, dim: int) -> CudaArray:
        """Sum of the elements up to and including each one, along `dim`."""
        return self._running("cumsum", a, dim)

    def cumprod(self, a: CudaArray, dim: int) -> CudaArray:
        """Product of the elements up to and including each one, along `dim`."""
        return self._running("cumprod", a, dim)

    def logcumsumexp(self, a: CudaArray, dim: int) -> CudaArray:
        """Log of the running sum of exp(x), never overflowing."""
        self._check("logcumsumexp", a)
        normalize_dim(dim, a.ndim, "logcumsumexp")
        if not is_real(a.dtype):
            raise RuntimeError(
                f"[logcumsumexp] expected a floating dtype, got {a.dtype.name}: "
                "cast to float32 first"
            )
        return self._running("logcumsumexp", a, dim)

    def cummax(self, a: CudaArray, dim: int) -> tuple[CudaArray, CudaArray]:
        """Largest element so far, and where it stands; a NaN stays, of equal ones the last."""
        return self._running_extreme("cummax", a, dim)

    def cummin(self, a: CudaArray, dim: int) -> tuple[CudaArray, CudaArray]:
        """Smallest element so far, and where it stands; a NaN stays, of equal ones the last."""
        return self._running_extreme("cummin", a, dim)

    def _running(self, op: str, a: CudaArray, dim: int) -> CudaArray:
        self._check(op, a)
        x = self.cast(a, computing_dtype(a.dtype))
        dtype = x.dtype if is_real(x.dtype) else cpu.int64
        out = self._run(op, x, normalize_dim(dim, a.ndim, op), (dtype,))[0]
        return self.cast(out, a.dtype) if is_real(a.dtype) else out

    def _running_extreme(self, op: str, a: CudaArray, dim: int) -> tuple[CudaArray, CudaArray]:
        self._check(op, a)
        x = self.cast(a, computing_dtype(a.dtype))
        dtypes = (x.dtype, cpu.int64)
        values, indices = self._run(op, x, normalize_dim(dim, a.ndim, op), dtypes)
        return self.cast(values, a.dtype), indices

    def _run(self, op: str, x: CudaArray, dim: int, dtypes: tuple[DType, ...]) -> list[CudaArray]:
        """Launch `<op>_kernel`, a line for each block; its results have the shape of x."""
        results = [self._empty(x.shape, dtype) for dtype in dtypes]
        lines_of_x, lines_of_out, (length, step, step_out) = line_walks(x, results[0], dim)
        walks = (lines_of_x, step, x.pointer, lines_of_out, step_out)
        lines = numel(lines_of_x.shape) if x.numel else 0
        pointers = [a.pointer for a in results]
        self._lines("cumulative", x.dtype, f"{op}_kernel", lines, length, *walks, *pointers)
        return results


def line_walks(
    x: CudaArray, out: CudaArray, dim: int
) -> tuple[Layout, Layout, tuple[int, int, int]]:
    """Return the walks over the lines of two arrays along `dim`; length of a line, both steps."""
    if x.ndim == 0:
        return Layout((1,), (0,)), Layout((1,), (0,)), (1, 1, 1)
    outer, outer_out = (split_dims(a.layout, (dim,))[0] for a in (x, out))
    return outer, outer_out, (x.shape[dim], x.strides[dim], out.strides[dim])
