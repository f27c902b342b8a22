"""Scaled dot-product attention and its gradients, tile by tile: see attention.cu."""

from __future__ import annotations

import math

import norch_cpu_ops as cpu
from norch_cpu_ops import DType, DTypeError
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import computing_dtype, is_real
from norch_cuda.launch.base import OperationsBase
from norch_cuda.launch.walks import NOTHING, matrix_walk
from norch_cuda.runtime.backend import Argument
from norch_cuda.runtime.sources import ELEMENTS, family_source
from norch_strides import Layout, broadcast_shapes, broadcast_to, numel

_TILE = 16  # kTile of attention.cu
_COLUMNS = 128  # of the results that a block works on at once: what its shared memory holds

_Three = tuple[CudaArray, CudaArray, CudaArray]


class Attention(OperationsBase):
    """Queries look at keys and collect values."""

    def scaled_dot_product_attention(
        self,
        q: CudaArray,
        k: CudaArray,
        v: CudaArray,
        mask: CudaArray | None = None,
        is_causal: bool = False,
        scale: float | None = None,
    ) -> tuple[CudaArray, CudaArray]:
        """softmax(scale q k.T + mask) v; q (..., L, E), k (..., S, E), v (..., S, V).

        Returns the result (..., L, V) and the logsumexp (..., L) of the scores. A bool mask says
        which keys a query may look at, any other is added to the scores.
        """
        op = "scaled_dot_product_attention"
        q, k, v, mask = self._broadcast_operands(op, q, k, v, mask)
        out = self.new((*q.shape[:-1], v.shape[-1]), computing_dtype(q.dtype))
        logsumexp = self.new(q.shape[:-1], out.dtype)
        operands = self._attention_operands(out.dtype, q, k, v, mask, is_causal, scale)
        batches, results = numel(q.shape[:-2]), (out, logsumexp)
        self._attend("attention", batches, q.shape[-2], v.shape[-1], operands, results, out.dtype)
        return self.cast(out, q.dtype), logsumexp

    def scaled_dot_product_attention_backward(
        self,
        grad: CudaArray,
        q: CudaArray,
        k: CudaArray,
        v: CudaArray,
        out: CudaArray,
        logsumexp: CudaArray,
        mask: CudaArray | None = None,
        is_causal: bool = False,
        scale: float | None = None,
    ) -> _Three:
        """Return the gradients (dq, dk, dv), in the broadcast batch."""
        op = "scaled_dot_product_attention_backward"
        q, k, v, mask = self._broadcast_operands(op, q, k, v, mask)
        self._check_upstream(op, grad, out, logsumexp, (*q.shape[:-1], v.shape[-1]))
        dtype = computing_dtype(q.dtype)
        dq, dk, dv = (self.new(a.shape, dtype) for a in (q, k, v))
        grad, out, logsumexp = (self.cast(a, dtype) for a in (grad, out, logsumexp))
        grad, out, logsumexp = (self.contiguous(a) for a in (grad, out, logsumexp))
        average = self.new(logsumexp.shape, dtype)
        pointers = (grad.pointer, out.pointer, average.pointer)
        kernel = "attention_average_kernel"
        self.launch_lines("attention", dtype, kernel, average.numel, v.shape[-1], *pointers)
        given = (grad, average, logsumexp)
        operands = self._attention_operands(dtype, q, k, v, mask, is_causal, scale)
        batches, width = numel(q.shape[:-2]), q.shape[-1]
        wider = max(width, v.shape[-1])
        self._attend("attention_dq", batches, q.shape[-2], width, operands, (*given, dq), dtype)
        self._attend(
            "attention_dkv", batches, k.shape[-2], wider, operands, (*given, dk, dv), dtype, 2
        )
        return self.cast(dq, q.dtype), self.cast(dk, k.dtype), self.cast(dv, v.dtype)

    def _attend(
        self,
        kernel: str,
        batches: int,
        rows: int,
        columns: int,
        operands: list[Argument],
        arrays: tuple[CudaArray, ...],
        dtype: DType,
        sums: int = 1,
    ) -> None:
        """Launch a kernel over tiles of `rows`, for so many columns of its result at a time."""
        source = family_source("attention", ELEMENTS[dtype.name])
        blocks = min(self.backend.num_blocks, batches * -(-rows // _TILE))
        pointers = [a.pointer for a in arrays]
        for first in range(0, columns if blocks else 0, _COLUMNS):
            most = min(_COLUMNS, columns - first)
            grid, block = (blocks, 1, 1), (_TILE, _TILE, 1)
            shared = sums * _TILE * most * dtype.itemsize
            arguments = (*operands, first, most, *pointers)
            self.backend.launch(source, f"{kernel}_kernel", grid, block, arguments, shared)

    def _attention_operands(
        self,
        dtype: DType,
        q: CudaArray,
        k: CudaArray,
        v: CudaArray,
        mask: CudaArray | None,
        is_causal: bool,
        scale: float | None,
    ) -> list[Argument]:
        """Return the arguments that the three kernels share."""
        batch = q.shape[:-2]
        walks = [matrix_walk(self.cast(a, dtype), batch) for a in (q, k, v)]
        factor = 1.0 / math.sqrt(max(1, q.shape[-1])) if scale is None else float(scale)
        sizes = (numel(batch), q.shape[-2], k.shape[-2], q.shape[-1], v.shape[-1])
        flat = [argument for walk in walks for argument in walk]
        return [*sizes, *flat, *self._mask_walk(mask, dtype, batch), int(is_causal), factor]

    def _mask_walk(
        self, mask: CudaArray | None, dtype: DType, batch: tuple[int, ...]
    ) -> tuple[Argument, ...]:
        """Return the kernel arguments of a mask: bools, numbers to add, or none."""
        if mask is None:
            return Layout((1,), (0,)), 0, 0, NOTHING, NOTHING
        if mask.dtype is cpu.bool_:
            return *matrix_walk(mask, batch), NOTHING
        outer, row, column, pointer = matrix_walk(self.cast(mask, dtype), batch)
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
        self, op: str, grad: CudaArray, out: CudaArray, logsumexp: CudaArray, shape: tuple[int, ...]
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
