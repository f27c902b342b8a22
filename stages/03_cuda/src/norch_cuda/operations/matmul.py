"""Matrix products: `matmul` of any rank, and `linear` with its bias in the same kernel."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from norch_cpu_ops import DType, DTypeError, bool_, int8
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import HALVES as _HALVES
from norch_cuda.launch.base import New, OperationsBase, share_elements
from norch_cuda.launch.blas import blas_of
from norch_cuda.launch.plan import At, Plan, plan, run
from norch_cuda.launch.pointwise import binary
from norch_cuda.launch.walks import NOTHING, Shape, matrix_walk, vector_walk
from norch_cuda.runtime.backend import Argument, Dims
from norch_cuda.runtime.capture import current_capture
from norch_cuda.runtime.cupy_backend import CupyBackend
from norch_cuda.runtime.sources import family_source
from norch_strides import Layout, broadcast_shapes, contiguous, numel, reshape, transpose, unsqueeze

WAYS = ("naive", "tiled", "vectorized", "wmma")  # the kernels; the last is of halves
HALVES = {"float16": "half", "bfloat16": "__nv_bfloat16"}  # as CUDA's own headers call them
_BLAS = ("float32", "float64")  # what goes to cuBLAS
_TILE = 16  # kTile of matmul.cu
_SMALL, _LARGE = 64, 128  # kSide of product.h
_IN_REGISTERS_FROM = 64**3  # multiplications
_MAX_GRID = 65535  # of blocks in y and z


class _Product(NamedTuple):
    """A product of batches of matrices: which way, of what they are seen as, and its launch."""

    way: str
    left: Layout | None  # None: of a copy in rows
    right: Layout
    batch: Shape
    plan: Plan


def matmul(ops: OperationsBase, a: CudaArray, b: CudaArray) -> CudaArray:
    """Matrix product; vectors and batches by PyTorch's rules."""
    return _multiply(ops, "matmul", a, b)


def linear(
    ops: OperationsBase, x: CudaArray, weight: CudaArray, bias: CudaArray | None = None
) -> CudaArray:
    """Compute x @ weight.T + bias; x (..., in), weight (out, in), bias (out)."""
    return _multiply(ops, "linear", x, weight, bias)


def _multiply(
    ops: OperationsBase, op: str, a: CudaArray, b: CudaArray, bias: CudaArray | None = None,
    way: str = "",
) -> CudaArray:  # fmt: skip
    """Multiply matrices one way of WAYS, by default as suits their sizes."""
    operands = [a, b] if bias is None else [a, b, bias]
    ops.check(op, *operands)
    _check_dtypes(op, operands)
    backend, dtype = ops.backend, a.dtype
    limits = (backend.num_blocks, backend.large_tiles_from)
    if way == "wmma" or (dtype in _HALVES and backend.has_tensor_cores_for(dtype.name)):
        way = "vectorized" if way == "wmma" else way
        found = _plan_product(op, dtype, *limits, way, *(x.layout for x in operands))
        if found.way == "vectorized":
            return _on_tensor_cores(ops, found, *operands)
    operands = [ops.computing(x) for x in operands]
    found = _plan_product(op, operands[0].dtype, *limits, way, *(x.layout for x in operands))
    if found.way == "vectorized" and not (way or found.batch) and dtype.name in _BLAS:
        gpu = blas_of(backend)
        if gpu is not None and current_capture() is None:
            return _by_cublas(ops, gpu, found, *operands)
    if found.left is None:
        operands[0] = ops.clone(operands[0])
    out = run(ops, found.plan, [x.storage.memory for x in operands])[0]
    return ops.cast(out, dtype)


@lru_cache(maxsize=4096)
def _plan_product(
    op: str, dtype: DType, num_blocks: int, large_tiles_from: float, way: str,
    a: Layout, b: Layout, bias: Layout | None = None,
) -> _Product:  # fmt: skip
    """Check the shapes of a product; plan its launch."""
    seen, right = _of_linear(a, b, bias) if op == "linear" else _of_matmul(op, a, b)
    left = seen or contiguous((numel(a.shape[:-1]), a.shape[-1]))
    batch = broadcast_shapes(left.shape[:-2], right.shape[:-2])
    sizes = (numel(batch), left.shape[-2], right.shape[-1], left.shape[-1])
    # A vector has no rows (left) or no columns (right).
    rows = a.shape[:-1] if op == "linear" else batch + a.shape[-2:-1]
    shape = rows + (right.shape[-1:] if len(b.shape) > 1 else ())
    way = way or _suitable(sizes)
    kernel, grid = _kernel(dtype, way, sizes, num_blocks, large_tiles_from)
    walks = [(*matrix_walk(x, batch), At(i, x.offset)) for i, x in enumerate((left, right))]
    row = (0, NOTHING) if bias is None else (bias.strides[0], At(2, bias.offset))
    family = "matmul_vectorized" if way == "vectorized" else "matmul"
    planned = plan(family, dtype, kernel, grid, *sizes, *walks[0], *walks[1], *row, New(shape))
    return _Product(way, seen, right, batch, planned)


def _of_linear(x: Layout, weight: Layout, bias: Layout | None) -> tuple[Layout | None, Layout]:
    """Check the operands of `linear`; return the matrices, None if x can only be copied to one."""
    if len(weight.shape) != 2 or not x.shape or x.shape[-1] != weight.shape[1]:
        raise RuntimeError(
            f"[linear] input {x.shape} and weight {weight.shape} do not match: expected input "
            "(..., in) and weight (out, in)"
        )
    if bias is not None and bias.shape != weight.shape[:1]:
        raise RuntimeError(
            f"[linear] bias {bias.shape} does not match weight {weight.shape}: "
            f"expected ({weight.shape[0]},)"
        )
    return reshape(x, (numel(x.shape[:-1]), x.shape[-1])), transpose(weight, 0, 1)


def _of_matmul(op: str, a: Layout, b: Layout) -> tuple[Layout, Layout]:
    """Check the operands of a product; return the matrices, a vector as one row or column."""
    if not a.shape or not b.shape:
        raise RuntimeError(
            f"[{op}] shapes {a.shape} and {b.shape}: both need at least one dimension"
        )
    left = unsqueeze(a, 0) if len(a.shape) == 1 else a
    right = unsqueeze(b, 1) if len(b.shape) == 1 else b
    if left.shape[-1] != right.shape[-2]:
        raise RuntimeError(
            f"[{op}] shapes {a.shape} and {b.shape} do not match: {left.shape[-1]} columns "
            f"against {right.shape[-2]} rows"
        )
    return left, right


def _views(
    ops: OperationsBase, found: _Product, a: CudaArray, b: CudaArray
) -> tuple[CudaArray, CudaArray]:
    """Return the matrices of a product."""
    rows = (
        ops.reshape(a, (numel(a.shape[:-1]), a.shape[-1]))
        if found.left is None
        else a.view(found.left)
    )
    return rows, b.view(found.right)


def _by_cublas(
    ops: OperationsBase, gpu: CupyBackend, found: _Product, a: CudaArray, b: CudaArray,
    bias: CudaArray | None = None,
) -> CudaArray:  # fmt: skip
    """Multiply two matrices by NVIDIA's library."""
    left, right = _views(ops, found, a, b)
    out = ops.new((left.shape[0], right.shape[1]), a.dtype)
    gpu.cublas_matmul(*(ops.as_cupy(x) for x in (left, right, out)))
    out = out.view(found.plan.results[0][0])
    return out if bias is None else binary(ops, "add", out, bias)


def _on_tensor_cores(
    ops: OperationsBase, found: _Product, a: CudaArray, b: CudaArray,
    bias: CudaArray | None = None,
) -> CudaArray:  # fmt: skip
    """Multiply halves as they are: matmul_halves.cu, whose text is for this dtype and direction."""
    a, b = _views(ops, found, a, b)
    m, k, n = a.shape[-2], a.shape[-1], b.shape[-1]
    a, b = (x if 1 in x.strides[-2:] else ops.contiguous(x) for x in (a, b))
    out = ops.new(found.plan.results[0][0].shape, a.dtype)
    by_rows: list[bool] = []
    operands: list[Argument] = []
    for x in (a, b):
        layout, row, column = matrix_walk(x.layout, found.batch)
        by_rows.append(column == 1)
        operands += layout, row if column == 1 else column, x.pointer
    flags = ", ".join(str(flag).lower() for flag in by_rows)
    kernel = f"matmul_halves_kernel<{HALVES[a.dtype.name]}, {flags}>"
    source = replace(family_source("matmul_halves", "float"), expression=kernel)
    blocks = numel(found.batch) * -(-m // _SMALL) * -(-n // _SMALL)
    arguments = (m, n, k, *operands, *vector_walk(bias), out.pointer)
    ops.backend.launch(source, kernel, (blocks, 1, 1), (128, 1, 1), arguments)
    return out


def _suitable(sizes: tuple[int, ...]) -> str:
    """Choose the way for batches, m, n and k."""
    batches, m, n, k = sizes
    if min(m, n) == 1:  # no element of the matrix is used twice: nothing to share in tiles
        return "naive"
    large = min(m, n) > 2 * _TILE and batches * m * n * k > _IN_REGISTERS_FROM
    return "vectorized" if large else "tiled"


def _kernel(
    dtype: DType, way: str, sizes: tuple[int, ...], num_blocks: int, large_tiles_from: float
) -> tuple[str, tuple[Dims, Dims]]:
    """Return the kernel of one way, its grid and blocks."""
    batches, m, n, _ = sizes
    if way == "naive":
        return "matmul_naive", share_elements(num_blocks, batches * m * n)
    block = (_TILE, _TILE, 1)
    if way == "tiled":
        rows, columns = min(-(-m // _TILE), _MAX_GRID), -(-n // _TILE)
        return "matmul_tiled", ((columns, rows, min(batches, _MAX_GRID)), block)
    # A large tile halves the reads, if all processors get one.
    small, large = (batches * -(-m // side) * -(-n // side) for side in (_SMALL, _LARGE))
    if dtype.itemsize == 4 and large >= large_tiles_from:
        return "matmul_large_tiles", ((large, 1, 1), block)
    return "matmul_small_tiles", ((small, 1, 1), block)


def _check_dtypes(op: str, arrays: list[CudaArray]) -> None:
    """Refuse matrices of two dtypes, of bools and of int8."""
    dtype = arrays[0].dtype
    for a in arrays:
        if a.dtype is not dtype:
            names = " and ".join(x.dtype.name for x in arrays)
            raise RuntimeError(f"[{op}] dtypes {names} do not match: cast one of them first")
    if dtype is bool_:
        raise DTypeError(f"[{op}] bools cannot be multiplied as matrices: cast them first")
    if dtype is int8:
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
        self.check(op, a, b)
        if a.ndim < 2 or b.ndim < 2:
            raise RuntimeError(f"[{op}] expected matrices, got shapes {a.shape} and {b.shape}")
        return _multiply(self, op, a, b, None, way)
