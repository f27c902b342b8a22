"""Scaled dot-product attention and its gradients, tile by tile: see attention.cu."""

from __future__ import annotations

import math

import norch_cpu_ops as cpu
from norch_cpu_ops import DType, DTypeError
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import computing_dtype, is_real
from norch_cuda.launch.base import New, OperationsBase
from norch_cuda.launch.walks import NOTHING, Shape, matrix_walk
from norch_cuda.runtime.backend import Argument, Pointer
from norch_cuda.runtime.sources import ELEMENTS, family_source
from norch_strides import Layout, broadcast_shapes, broadcast_to, numel

_TILE = 16  # kTile of attention.cu
_COLUMNS = 128  # of the results that a block works on at once: what its shared memory holds

_Three = tuple[CudaArray, CudaArray, CudaArray]


class Attention(OperationsBase):
    """Queries look at keys and collect values."""

    def scaled_dot_product_attention(
        self, q: CudaArray, k: CudaArray, v: CudaArray, mask: CudaArray | None = None,
        is_causal: bool = False, scale: float | None = None,
    ) -> tuple[CudaArray, CudaArray]:  # fmt: skip
        """softmax(scale q k.T + mask) v; q (..., L, E), k (..., S, E), v (..., S, V).

        Returns the result (..., L, V) and the logsumexp (..., L) of the scores. A bool mask says
        which keys a query may look at, any other is added to the scores.
        """
        op = "scaled_dot_product_attention"
        q, k, v, mask = self._broadcast_operands(op, q, k, v, mask)
        dtype = computing_dtype(q.dtype)
        out, logsumexp = (self.new(q.shape[:-1] + end, dtype) for end in (v.shape[-1:], ()))
        operands = self._attention_operands(dtype, q, k, v, mask, is_causal, scale)
        self._attend("attention", q.shape[:-1], v.shape[-1], operands, out, logsumexp)
        return self.cast(out, q.dtype), logsumexp

    def scaled_dot_product_attention_backward(
        self, grad: CudaArray, q: CudaArray, k: CudaArray, v: CudaArray,
        out: CudaArray, logsumexp: CudaArray, mask: CudaArray | None = None,
        is_causal: bool = False, scale: float | None = None,
    ) -> _Three:  # fmt: skip
        """Return the gradients (dq, dk, dv), in the broadcast batch."""
        op = "scaled_dot_product_attention_backward"
        q, k, v, mask = self._broadcast_operands(op, q, k, v, mask)
        self._check_upstream(op, grad, out, logsumexp, (*q.shape[:-1], v.shape[-1]))
        dtype, rows = computing_dtype(q.dtype), logsumexp.shape
        dq, dk, dv = (self.new(a.shape, dtype) for a in (q, k, v))
        grad, out, logsumexp = (
            self.contiguous(self.cast(a, dtype)) for a in (grad, out, logsumexp)
        )
        lines = (logsumexp.numel, v.shape[-1])
        sums = (grad, out, New(rows))
        (average,) = self.compute("attention", dtype, "attention_average", *sums, lines=lines)
        given = (grad, average, logsumexp)
        operands = self._attention_operands(dtype, q, k, v, mask, is_causal, scale)
        wider = max(q.shape[-1], v.shape[-1])
        self._attend("attention_dq", rows, q.shape[-1], operands, *given, dq)
        self._attend("attention_dkv", k.shape[:-1], wider, operands, *given, dk, dv, sums=2)
        return self.cast(dq, q.dtype), self.cast(dk, k.dtype), self.cast(dv, v.dtype)

    def _attend(
        self, kernel: str, rows: Shape, columns: int, operands: list[Argument],
        *arrays: CudaArray, sums: int = 1,
    ) -> None:  # fmt: skip
        """Launch a kernel over tiles of `rows` (..., L), for so many columns at a time."""
        dtype = arrays[0].dtype
        source = family_source("attention", ELEMENTS[dtype.name])
        blocks = min(self.backend.num_blocks, numel(rows[:-1]) * -(-rows[-1] // _TILE))
        pointers = [a.pointer for a in arrays]
        for first in range(0, columns if blocks else 0, _COLUMNS):
            most = min(_COLUMNS, columns - first)
            grid, block = (blocks, 1, 1), (_TILE, _TILE, 1)
            shared = sums * _TILE * most * dtype.itemsize
            arguments = (*operands, first, most, *pointers)
            self.backend.launch(source, f"{kernel}_kernel", grid, block, arguments, shared)

    def _attention_operands(
        self, dtype: DType, q: CudaArray, k: CudaArray, v: CudaArray, mask: CudaArray | None,
        is_causal: bool, scale: float | None,
    ) -> list[Argument]:  # fmt: skip
        """Return the arguments that the three kernels share."""
        batch = q.shape[:-2]
        flat = [x for a in (q, k, v) for x in _matrix(self.cast(a, dtype), batch)]
        factor = 1.0 / math.sqrt(max(1, q.shape[-1])) if scale is None else float(scale)
        sizes = (numel(batch), q.shape[-2], k.shape[-2], q.shape[-1], v.shape[-1])
        return [*sizes, *flat, *self._mask_walk(mask, dtype, batch), int(is_causal), factor]

    def _mask_walk(
        self, mask: CudaArray | None, dtype: DType, batch: Shape
    ) -> tuple[Argument, ...]:
        """Return the kernel arguments of a mask: bools, numbers to add, or none."""
        if mask is None:
            return Layout((1,), (0,)), 0, 0, NOTHING, NOTHING
        if mask.dtype is cpu.bool_:
            return *_matrix(mask, batch), NOTHING
        outer, row, column, pointer = _matrix(self.cast(mask, dtype), batch)
        return outer, row, column, NOTHING, pointer

    def _broadcast_operands(
        self, op: str, q: CudaArray, k: CudaArray, v: CudaArray, mask: CudaArray | None
    ) -> tuple[CudaArray, CudaArray, CudaArray, CudaArray | None]:
        """Check the operands; return them with one shape of batches."""
        self._check_attention(op, q, k, v, mask)
        batches = [a.shape[:-2] for a in (q, k, v)]
        try:
            batch = broadcast_shapes(*batches)
        except RuntimeError:
            raise RuntimeError(
                f"[{op}] batches {batches[0]}, {batches[1]} and {batches[2]} of query, key and "
                "value do not broadcast: sizes must be equal, or 1"
            ) from None
        q, k, v = (a.view(broadcast_to(a.layout, (*batch, *a.shape[-2:]))) for a in (q, k, v))
        if mask is None:
            return q, k, v, None
        scores = (*batch, q.shape[-2], k.shape[-2])
        try:
            return q, k, v, mask.view(broadcast_to(mask.layout, scores))
        except RuntimeError:
            raise RuntimeError(
                f"[{op}] a mask of shape {mask.shape} does not broadcast to the scores' {scores}"
            ) from None

    def _check_attention(
        self, op: str, q: CudaArray, k: CudaArray, v: CudaArray, mask: CudaArray | None
    ) -> None:
        """Refuse query, key, value and mask whose shapes or dtypes do not go together."""
        self.check(op, q, k, v, *([] if mask is None else [mask]))
        matrices = min(q.ndim, k.ndim, v.ndim) >= 2
        if not matrices or q.shape[-1] != k.shape[-1] or k.shape[-2] != v.shape[-2]:
            raise RuntimeError(
                f"[{op}] query {q.shape}, key {k.shape} and value {v.shape} do not match: expected "
                "(..., L, E), (..., S, E) and (..., S, Ev)"
            )
        if not is_real(q.dtype):
            raise DTypeError(
                f"[{op}] expected floating arrays, got {q.dtype.name}: cast to float32 first"
            )
        if k.dtype is not q.dtype or v.dtype is not q.dtype:
            raise RuntimeError(
                f"[{op}] query, key and value must have one dtype, got {q.dtype.name}, "
                f"{k.dtype.name} and {v.dtype.name}: cast them first"
            )
        if mask is not None and mask.dtype not in (cpu.bool_, cpu.float32, q.dtype):
            raise RuntimeError(
                f"[{op}] expected a mask of bool, float32 or the query's {q.dtype.name}, "
                f"got {mask.dtype.name}"
            )

    def _check_upstream(
        self, op: str, grad: CudaArray, out: CudaArray, logsumexp: CudaArray, shape: Shape
    ) -> None:
        """Refuse a gradient and saved results that do not belong to the attention's shape."""
        self.check(op, grad, out, logsumexp)
        if grad.shape != shape or out.shape != shape or logsumexp.shape != shape[:-1]:
            raise RuntimeError(
                f"[{op}] expected grad and out {shape} and logsumexp {shape[:-1]}, got "
                f"{grad.shape}, {out.shape} and {logsumexp.shape}"
            )
        if not all(is_real(a.dtype) for a in (grad, out, logsumexp)):
            raise DTypeError(f"[{op}] expected floating arrays")


def _matrix(a: CudaArray, batch: Shape) -> tuple[Layout, int, int, Pointer]:
    """Return the kernel arguments of batches of matrices."""
    return *matrix_walk(a.layout, batch), a.pointer
