"""Random arrays, the same numbers as stage 2 makes from the same seed and offset."""

from __future__ import annotations

import math
from collections.abc import Sequence

import norch_cpu_ops as cpu
from norch_cpu_ops import DType, DTypeError
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import is_real
from norch_cuda.launch.base import New, OperationsBase, check_shape
from norch_cuda.runtime.capture import refuse_changing


class Random(OperationsBase):
    """Counter-based random numbers (Philox4x32-10)."""

    def uniform(
        self, shape: Sequence[int], low: float, high: float, dtype: DType, seed: int, offset: int
    ) -> CudaArray:
        """Numbers in [low, high), all equally likely."""
        if not low <= high or not math.isfinite(high - low):
            raise RuntimeError(
                f"[uniform] expected finite low <= high, got low = {low} and high = {high}"
            )
        return self._draw("uniform", shape, low, high, dtype, seed, offset)

    def normal(
        self, shape: Sequence[int], mean: float, std: float, dtype: DType, seed: int, offset: int
    ) -> CudaArray:
        """Normally distributed numbers."""
        if not std >= 0:
            raise RuntimeError(f"[normal] expected std >= 0, got {std}")
        return self._draw("normal", shape, mean, std, dtype, seed, offset)

    def randint(
        self, shape: Sequence[int], low: int, high: int, seed: int, offset: int
    ) -> CudaArray:
        """Whole numbers low ... high - 1 as int64."""
        if low >= high:
            raise RuntimeError(f"[randint] expected low < high, got low = {low} and high = {high}")
        refuse_changing("randint", "the seed")
        numbers = (low, _signed(high - low), _signed(seed), _signed(offset))
        return self.compute("randint", cpu.int64, "randint", *numbers, New(check_shape(shape)))[0]

    def randperm(self, n: int, seed: int, offset: int) -> CudaArray:
        """Numbers 0 ... n - 1 in random order, drawn on the host (it is a sequence)."""
        return self.from_cpu(cpu.ops.randperm(n, seed, offset))

    def bernoulli(
        self, shape: Sequence[int], p: float, dtype: DType, seed: int, offset: int
    ) -> CudaArray:
        """1 with probability p, else 0."""
        if not 0.0 <= p <= 1.0:
            raise RuntimeError(f"[bernoulli] expected a probability from 0 to 1, got {p}")
        refuse_changing("bernoulli", "the seed")
        given = (int(p * 2.0**32), _signed(seed), _signed(offset), New(check_shape(shape)))
        return self.compute("randint", dtype, "bernoulli", *given)[0]

    def _draw(
        self, op: str, shape: Sequence[int], first: float, second: float, dtype: DType,
        seed: int, offset: int,
    ) -> CudaArray:  # fmt: skip
        """Launch the kernel that draws real numbers by a seed."""
        if not is_real(dtype):
            raise DTypeError(
                f"[{op}] expected a floating dtype, got {dtype.name}: randint makes whole numbers"
            )
        refuse_changing(op, "the seed")
        numbers = (float(first), float(second), _signed(seed), _signed(offset))
        return self.compute("random", dtype, op, *numbers, New(check_shape(shape)))[0]


def _signed(word: int) -> int:
    """Return the 64 bits of an unsigned number as the signed one a kernel is given."""
    word &= 2**64 - 1
    return word - 2**64 if word >= 2**63 else word
