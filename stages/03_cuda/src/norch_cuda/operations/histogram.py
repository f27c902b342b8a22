"""Counting values, finding places in a sorted row, listing what is not zero."""

from __future__ import annotations

import math

import norch_cpu_ops as cpu
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import is_real
from norch_cuda.launch.base import New, OperationsBase
from norch_cuda.launch.pointwise import compare
from norch_cuda.operations.reductions import fold, running
from norch_strides import narrow


class Histograms(OperationsBase):
    """Results whose size depends on the values wait for the device."""

    def bincount(
        self, a: CudaArray, weights: CudaArray | None = None, minlength: int = 0
    ) -> CudaArray:
        """Count how often each whole number from 0 on occurs in `a`, or add up their weights."""
        self._check_bincount(a, weights, minlength)
        lowest, highest = (0, -1) if a.numel == 0 else map(int, _extremes(self, a))
        if lowest < 0:
            raise RuntimeError(f"[bincount] value {lowest} is negative: expected 0 or more")
        if highest == 2**63 - 1:
            raise RuntimeError(
                f"[bincount] value {highest} is too large: expected less than 2^63 - 1"
            )
        size, places = max(minlength, highest + 1), self.cast(a, cpu.int64)
        if weights is None:
            counts = self.new_full((size,), 0, cpu.int64)
            self.compute("histogram", cpu.int64, "bincount", size, places, counts, n=a.numel)
            return counts
        dtype = cpu.float32 if weights.dtype is cpu.float32 else cpu.float64
        given = (places, self.cast(weights, dtype), New((size,)))
        lines = (size, a.numel)
        return self.compute("histogram", dtype, "bincount_weights", *given, lines=lines)[0]

    def histc(self, a: CudaArray, bins: int, min: float, max: float) -> CudaArray:
        """Count the elements in each of `bins` equal intervals from min to max.

        With min == max the range is that of the elements.
        """
        self.check("histc", a)
        if not is_real(a.dtype):
            raise cpu.DTypeError(
                f"[histc] expected a floating dtype, got {a.dtype.name}: cast to float32 first"
            )
        if bins <= 0:
            raise RuntimeError(f"[histc] bins is {bins}: expected 1 or more")
        low, high = self._range(a, float(min), float(max))
        counts = self.new_full((bins,), 0, cpu.int64)
        self.compute("histogram", a.dtype, "histc", bins, low, high, a, counts, n=a.numel)
        return self.cast(counts, a.dtype)

    def searchsorted(self, sorted: CudaArray, values: CudaArray, right: bool = False) -> CudaArray:
        """Where each value would be put to keep `sorted` sorted: before its equals, or behind.

        `sorted` is one row for all values, or (..., n) beside values (..., m).
        """
        self._check_searchable(sorted, values)
        of_a_row = values.numel if sorted.ndim == 1 else values.shape[-1]
        given = (sorted.shape[-1], of_a_row, sorted, values, int(right))
        result = New(values.shape, cpu.int64)
        return self.compute("histogram", values.dtype, "searchsorted", *given, result)[0]

    def nonzero(self, a: CudaArray) -> CudaArray:
        """Return the indices of the elements that are not zero, a row for each: (n, ndim)."""
        self.check("nonzero", a)
        x = self.contiguous(compare(self, "ne", a, 0))
        n = x.numel
        rank = running(self, "cumsum", self.reshape(x, (n,)), 0)
        found = int(rank.view(narrow(rank.layout, 0, n - 1, 1)).item()) if n else 0
        given = (x.layout._replace(offset=0), x, rank, New((found, a.ndim), cpu.int64))
        return self.compute("histogram", cpu.bool_, "nonzero", *given, n=n if a.ndim else 0)[0]

    def _range(self, x: CudaArray, low: float, high: float) -> tuple[float, float]:
        """Check the range of a histogram; an empty one becomes that of the elements."""
        if low == high and x.numel > 0:
            low, high = map(float, _extremes(self, x))
        if low == high:
            low, high = low - 1.0, high + 1.0
        if not math.isfinite(low) or not math.isfinite(high):
            raise RuntimeError(f"[histc] the range {low:g} to {high:g} is not finite")
        if low > high:
            raise RuntimeError(f"[histc] min {low:g} lies above max {high:g}")
        return low, high

    def _check_bincount(self, a: CudaArray, weights: CudaArray | None, minlength: int) -> None:
        """Refuse values, weights and a least length that cannot be counted."""
        self.check("bincount", a, *([] if weights is None else [weights]))
        if is_real(a.dtype) or a.dtype is cpu.bool_:
            raise cpu.DTypeError(f"[bincount] expected whole numbers, got {a.dtype.name}")
        if a.ndim != 1:
            raise RuntimeError(f"[bincount] expected one dimension, got shape {a.shape}")
        if minlength < 0:
            raise RuntimeError(f"[bincount] minlength is {minlength}: expected 0 or more")
        if weights is not None and weights.shape != a.shape:
            raise RuntimeError(
                f"[bincount] weights {weights.shape} and values {a.shape} differ: expected one "
                "weight for each value"
            )

    def _check_searchable(self, sorted: CudaArray, values: CudaArray) -> None:
        """Refuse a sorted row and values whose shapes or dtypes do not match."""
        op = "searchsorted"
        self.check(op, sorted, values)
        same_rows = sorted.ndim == values.ndim and sorted.shape[:-1] == values.shape[:-1]
        if sorted.ndim == 0 or (sorted.ndim > 1 and not same_rows):
            raise RuntimeError(
                f"[{op}] sorted {sorted.shape} and values {values.shape} do not match: expected "
                "one sorted row, or equal sizes but for the last dim"
            )
        if sorted.dtype is not values.dtype:
            raise RuntimeError(
                f"[{op}] sorted is {sorted.dtype.name} but values are {values.dtype.name}: "
                "cast one of them first"
            )


def _extremes(ops: OperationsBase, a: CudaArray) -> tuple[float, float]:
    """Return the smallest and the largest element; waits for the device."""
    low, high = (fold(ops, op, a, None, False).item() for op in ("amin", "amax"))
    return low, high
