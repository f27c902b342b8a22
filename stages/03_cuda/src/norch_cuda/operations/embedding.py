"""The gradient of a table of rows, of which an index picks some, often several times."""

from __future__ import annotations

from norch_cpu_ops import DTypeError
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import computing_dtype, is_real
from norch_cuda.launch.base import Givens, OperationsBase
from norch_cuda.operations.index import as_index, out_of_range
from norch_cuda.operations.sort import sort_lines


class Embeddings(OperationsBase):
    """The forward is index_select."""

    def embedding_backward(
        self, grad: CudaArray, index: CudaArray, num_weights: int, padding_idx: int = -1,
        scale_grad_by_freq: bool = False,
    ) -> CudaArray:  # fmt: skip
        """Return (num_weights, D): the rows of grad (..., D) added up by their index (...)."""
        op = "embedding_backward"
        self.check(op, grad)
        if grad.ndim != index.ndim + 1 or grad.shape[:-1] != index.shape:
            raise RuntimeError(
                f"[{op}] grad {grad.shape} does not match index {index.shape}: expected its shape "
                "and the width of a row"
            )
        if not is_real(grad.dtype):
            raise DTypeError(f"[{op}] expected a floating dtype, got {grad.dtype.name}")
        places = as_index(self, op, grad, index)
        n, width, dtype = index.numel, grad.shape[-1], computing_dtype(grad.dtype)
        ordered, stood = sort_lines(self, self.reshape(places, (n,)), 0, False, num_weights)
        rows = self.reshape(self.cast(grad, dtype), (n, width))
        out = self.new_full((num_weights, width), 0, dtype)
        given: Givens = (num_weights, ordered, stood, *rows.strides, rows.pointer, padding_idx)
        given = (*given, int(scale_grad_by_freq), out)
        explain = out_of_range(self, op, out, 0, places)
        self.compute("embedding", dtype, op, *given, lines=(n, width), explain=explain)
        return self.cast(out, grad.dtype)
