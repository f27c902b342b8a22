"""Matrix products: `matmul` of any rank, and `linear` with its bias in the same kernel."""

from __future__ import annotations

from dataclasses import replace

from norch_cpu_ops import DType, DTypeError
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import computing_dtype
from norch_cuda.launch.base import OperationsBase
from norch_cuda.launch.blas import blas_of
from norch_cuda.launch.pointwise import binary
from norch_cuda.launch.walks import Shape, matrix_walk, vector_walk
from norch_cuda.runtime.backend import Argument
from norch_cuda.runtime.capture import current_capture
from norch_cuda.runtime.sources import ELEMENTS, family_source
from norch_strides import broadcast_shapes, numel, squeeze, transpose, unsqueeze

WAYS = ("naive", "tiled", "vectorized", "wmma")  # the kernels; the last is of halves
HALVES = {"float16": "half", "bfloat16": "__nv_bfloat16"}  # as CUDA's own headers call them
_BLAS = ("float32", "float64")  # what goes to cuBLAS
_TILE = 16  # kTile of matmul.cu
_SMALL, _LARGE = 64, 128  # kSide of product.h
_IN_REGISTERS_FROM = 64**3  # multiplications
_THREADS = 256
_MAX_GRID = 65535  # of blocks in y and z


def matmul(ops: OperationsBase, a: CudaArray, b: CudaArray) -> CudaArray:
    """Matrix product; vectors and batches by PyTorch's rules."""
    left, right = _matrices(ops, "matmul", a, b)
    out = _product(ops, left, right, None)
    if a.ndim > 1 and b.ndim > 1:
        return out
    layout = squeeze(out.layout, -1) if b.ndim == 1 else out.layout
    if a.ndim == 1:
        layout = squeeze(layout, -1 if b.ndim == 1 else -2)
    return out.view(layout)


def linear(
    ops: OperationsBase, x: CudaArray, weight: CudaArray, bias: CudaArray | None = None
) -> CudaArray:
    """Compute x @ weight.T + bias; x (..., in), weight (out, in), bias (out)."""
    ops.check("linear", x, weight, *([] if bias is None else [bias]))
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
    rows = ops.reshape(x, (numel(x.shape[:-1]), x.shape[-1]))
    _same_dtype("linear", rows, weight, bias)
    turned = weight.view(transpose(weight.layout, 0, 1))
    out = _product(ops, rows, turned, bias)
    return ops.reshape(out, (*x.shape[:-1], weight.shape[0]))


def _matrices(
    ops: OperationsBase, op: str, a: CudaArray, b: CudaArray
) -> tuple[CudaArray, CudaArray]:
    """Check two operands; a vector becomes a matrix of one row (left) or one column (right)."""
    ops.check(op, a, b)
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
    ops: OperationsBase, a: CudaArray, b: CudaArray, bias: CudaArray | None, way: str = ""
) -> CudaArray:
    """Multiply batches of matrices one way of WAYS, by default as suits their sizes."""
    batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
    m, k, n = a.shape[-2], a.shape[-1], b.shape[-1]
    sizes = (numel(batch), m, n, k)
    dtype, computing = a.dtype, computing_dtype(a.dtype)
    chosen, way = not way, way or _suitable(sizes)
    if way == "vectorized" and ops.backend.has_tensor_cores_for(dtype.name):
        way = "wmma"
    if way == "wmma":
        return _on_tensor_cores(ops, a, b, bias, batch)
    a, b = ops.cast(a, computing), ops.cast(b, computing)
    out = ops.new((*batch, m, n), computing)
    gpu = blas_of(ops.backend) if chosen and way == "vectorized" and not batch else None
    if gpu is not None and dtype.name in _BLAS and current_capture() is None:
        gpu.cublas_matmul(*(ops.as_cupy(x) for x in (a, b, out)))
        return out if bias is None else binary(ops, "add", out, bias)
    row = vector_walk(None if bias is None else ops.cast(bias, computing))
    operands = (*matrix_walk(a, batch), *matrix_walk(b, batch), *row, out.pointer)
    if out.numel:
        _launch(ops, computing, way, sizes, operands)
    return ops.cast(out, dtype)


def _on_tensor_cores(
    ops: OperationsBase, a: CudaArray, b: CudaArray, bias: CudaArray | None, batch: Shape
) -> CudaArray:
    """Multiply halves as they are: matmul_halves.cu, whose text is for this dtype and direction."""
    m, k, n = a.shape[-2], a.shape[-1], b.shape[-1]
    a, b = (x if 1 in x.strides[-2:] else ops.contiguous(x) for x in (a, b))
    out = ops.new((*batch, m, n), a.dtype)
    by_rows: list[bool] = []
    operands: list[Argument] = []
    for walk in (matrix_walk(x, batch) for x in (a, b)):
        layout, row, column, pointer = walk
        by_rows.append(column == 1)
        operands += layout, row if column == 1 else column, pointer
    flags = ", ".join(str(flag).lower() for flag in by_rows)
    kernel = f"matmul_halves_kernel<{HALVES[a.dtype.name]}, {flags}>"
    source = replace(family_source("matmul_halves", "float"), expression=kernel)
    blocks = numel(batch) * -(-m // _SMALL) * -(-n // _SMALL)
    arguments = (m, n, k, *operands, *vector_walk(bias), out.pointer)
    ops.backend.launch(source, kernel, (blocks, 1, 1), (128, 1, 1), arguments)
    return out


def _suitable(sizes: tuple[int, ...]) -> str:
    """Choose the kernel for batches, m, n and k."""
    batches, m, n, k = sizes
    if min(m, n) == 1:  # no element of the matrix is used twice: nothing to share in tiles
        return "naive"
    large = min(m, n) > 2 * _TILE and batches * m * n * k > _IN_REGISTERS_FROM
    return "vectorized" if large else "tiled"


def _launch(
    ops: OperationsBase,
    dtype: DType,
    way: str,
    sizes: tuple[int, ...],
    operands: tuple[Argument, ...],
) -> None:
    """Launch the kernel of one way; a large tile halves the reads, if all processors get one."""
    batches, m, n, _ = sizes
    kernel, block = f"matmul_{way}_kernel", (_TILE, _TILE, 1)
    if way == "naive":
        block = (_THREADS, 1, 1)
        grid = (min(ops.backend.num_blocks, -(-batches * m * n // _THREADS)), 1, 1)
    elif way == "tiled":
        grid = (-(-n // _TILE), min(-(-m // _TILE), _MAX_GRID), min(batches, _MAX_GRID))
    else:
        small, large = (batches * -(-m // side) * -(-n // side) for side in (_SMALL, _LARGE))
        wide = dtype.itemsize == 4 and large >= ops.backend.large_tiles_from
        grid = (large if wide else small, 1, 1)
        kernel = f"matmul_{'large' if wide else 'small'}_tiles_kernel"
    family = "matmul_vectorized" if way == "vectorized" else "matmul"
    source = family_source(family, ELEMENTS[dtype.name])
    ops.backend.launch(source, kernel, grid, block, (*sizes, *operands))


def _same_dtype(op: str, *arrays: CudaArray | None) -> None:
    """Refuse matrices of two dtypes, of bools and of int8."""
    dtypes = [a.dtype.name for a in arrays if a is not None]
    if len(set(dtypes)) > 1:
        raise RuntimeError(
            f"[{op}] dtypes {' and '.join(dtypes)} do not match: cast one of them first"
        )
    if dtypes[0] == "bool":
        raise DTypeError(f"[{op}] bools cannot be multiplied as matrices: cast them first")
    if dtypes[0] == "int8":
        raise DTypeError(f"[{op}] has no kernel for int8: cast to int32, where sums fit, first")


class MatrixProducts(OperationsBase):
    """Products of matrices; recurrent layers call the two functions too."""

    matmul = matmul
    linear = linear

    def matmul_naive(self, a: CudaArray, b: CudaArray) -> CudaArray:
        """Compute what matmul does, one thread an element, nothing shared: the lesson's start."""
        return self.matmul_by("naive", a, b)

    def matmul_by(self, way: str, a: CudaArray, b: CudaArray) -> CudaArray:
        """Multiply matrices one way of WAYS, whatever their sizes."""
        op = f"matmul_{way}"
        left, right = _matrices(self, op, a, b)
        if a.ndim < 2 or b.ndim < 2:
            raise RuntimeError(f"[{op}] expected matrices, got shapes {a.shape} and {b.shape}")
        return _product(self, left, right, None, way)
