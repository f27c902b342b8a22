"""Matrix products: `matmul` of any rank, and `linear` with its bias in the same kernel."""

from __future__ import annotations

from norch_cpu_ops import DType, DTypeError
from norch_cuda.array import CudaArray
from norch_cuda.backend import Pointer
from norch_cuda.operations.cumulative import Cumulative
from norch_cuda.promotion import computing_dtype
from norch_cuda.sources import ELEMENTS, family_source
from norch_strides import (
    Layout,
    broadcast_shapes,
    broadcast_to,
    coalesce,
    numel,
    squeeze,
    transpose,
    unsqueeze,
)

_TILE = 16  # kTile of matmul.cu
_MAX_GRID = 65535  # of blocks in y and z


class LinearAlgebra(Cumulative):
    """Products of matrices."""

    def matmul(self, a: CudaArray, b: CudaArray) -> CudaArray:
        """Matrix product; vectors and batches by PyTorch's rules."""
        left, right = self._matrices("matmul", a, b)
        out = self._product("matmul", left, right, None)
        layout = out.layout
        if b.ndim == 1:
            layout = squeeze(layout, -1)
        if a.ndim == 1:
            layout = squeeze(layout, -1 if b.ndim == 1 else -2)
        return out.view(layout)

    def matmul_naive(self, a: CudaArray, b: CudaArray) -> CudaArray:
        """Compute what matmul does, one thread an element, nothing shared: the lesson's start."""
        left, right = self._matrices("matmul_naive", a, b)
        if a.ndim < 2 or b.ndim < 2:
            raise RuntimeError(
                f"[matmul_naive] expected matrices, got shapes {a.shape} and {b.shape}"
            )
        return self._product("matmul_naive", left, right, None, tiled=False)

    def linear(self, x: CudaArray, weight: CudaArray, bias: CudaArray | None = None) -> CudaArray:
        """Compute x @ weight.T + bias; x (..., in), weight (out, in), bias (out)."""
        self._check("linear", x, weight, *([] if bias is None else [bias]))
        if weight.ndim != 2 or x.ndim == 0 or x.shape[-1] != weight.shape[1]:
            raise RuntimeError(
                f"[linear] input {x.shape} and weight {weight.shape} do not match: expected input "
                "(..., in) and weight (out, in)"
            )
        if bias is not None and bias.shape != weight.shape[:1]:
            raise RuntimeError(
                f"[linear] bias {bias.shape} does not match weight {weight.shape}: "
                f"expected ({weight.shape[0]},)"
            )
        rows = self._reshaped(x, (numel(x.shape[:-1]), x.shape[-1]))
        _same_dtype("linear", rows, weight, bias)
        turned = weight.view(transpose(weight.layout, 0, 1))
        out = self._product("linear", rows, turned, bias)
        return self._reshaped(out, (*x.shape[:-1], weight.shape[0]))

    def _matrices(self, op: str, a: CudaArray, b: CudaArray) -> tuple[CudaArray, CudaArray]:
        """Check two operands; a vector becomes a matrix of one row (left) or one column (right)."""
        self._check(op, a, b)
        if a.ndim == 0 or b.ndim == 0:
            raise RuntimeError(
                f"[{op}] shapes {a.shape} and {b.shape}: both need at least one dimension"
            )
        _same_dtype(op, a, b)
        left = a.view(unsqueeze(a.layout, 0)) if a.ndim == 1 else a
        right = b.view(unsqueeze(b.layout, 1)) if b.ndim == 1 else b
        if left.shape[-1] != right.shape[-2]:
            raise RuntimeError(
                f"[{op}] shapes {a.shape} and {b.shape} do not match: {left.shape[-1]} columns "
                f"against {right.shape[-2]} rows"
            )
        return left, right

    def _product(
        self, op: str, a: CudaArray, b: CudaArray, bias: CudaArray | None, tiled: bool = True
    ) -> CudaArray:
        computing = computing_dtype(a.dtype)
        dtype = a.dtype
        a, b = self.cast(a, computing), self.cast(b, computing)
        batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
        m, k, n = a.shape[-2], a.shape[-1], b.shape[-1]
        out = self._empty((*batch, m, n), computing)
        bias_walk = (0, Pointer(None))
        if bias is not None:
            bias = self.cast(bias, computing)
            bias_walk = (bias.strides[0], bias.pointer)
        operands = (*matrix_walk(a, batch), *matrix_walk(b, batch), *bias_walk, out.pointer)
        sizes = (numel(batch), m, n, k)
        shares = m > 1 and n > 1  # with a vector, no element of the matrix is used twice
        if out.numel and tiled and shares:
            self._tiles(computing, sizes, operands)
        elif out.numel:
            self._elements_of_product(computing, sizes, operands)
        return self.cast(out, dtype)

    def _tiles(self, dtype: DType, sizes: tuple[int, ...], operands: tuple[object, ...]) -> None:
        batches, m, n, _ = sizes
        rows, columns = -(-m // _TILE), -(-n // _TILE)
        grid = (columns, min(rows, _MAX_GRID), min(batches, _MAX_GRID))
        source = family_source("matmul", ELEMENTS[dtype.name])
        self.backend.launch(
            source, "matmul_tiled_kernel", grid, (_TILE, _TILE, 1), (*sizes, *operands)
        )

    def _elements_of_product(
        self, dtype: DType, sizes: tuple[int, ...], operands: tuple[object, ...]
    ) -> None:
        source = family_source("matmul", ELEMENTS[dtype.name])
        blocks = min(self.backend.num_blocks, -(-sizes[0] * sizes[1] * sizes[2] // 256))
        self.backend.launch(
            source, "matmul_naive_kernel", (blocks, 1, 1), (256, 1, 1), (*sizes, *operands)
        )


def _same_dtype(op: str, *arrays: CudaArray | None) -> None:
    dtypes = [a.dtype.name for a in arrays if a is not None]
    if len(set(dtypes)) > 1:
        raise RuntimeError(
            f"[{op}] dtypes {' and '.join(dtypes)} do not match: cast one of them first"
        )
    if dtypes[0] == "bool":
        raise DTypeError(f"[{op}] bools cannot be multiplied as matrices: cast them first")


def matrix_walk(a: CudaArray, batch: tuple[int, ...]) -> tuple[Layout, int, int, Pointer]:
    """Return the walk over the batches, the steps of row and column, and the first element."""
    batches = broadcast_to(Layout(a.shape[:-2], a.strides[:-2]), batch)
    return coalesce(batches), a.strides[-2], a.strides[-1], a.pointer
