"""Kernels in several versions side by side: what a faster one does differently.

Each function takes and returns contiguous arrays of one device; `version` names the kernel. The
texts are in csrc/matmul.cu and csrc/lessons/. The operations do not use this module.
"""

from __future__ import annotations

from typing import cast

from norch_cuda.arrays.array import CudaArray
from norch_cuda.operations import Operations
from norch_cuda.operations.matmul import HALVES, WAYS
from norch_cuda.runtime.backend import Argument, Dims
from norch_cuda.runtime.cupy_backend import CupyBackend
from norch_cuda.runtime.sources import ELEMENTS, family_source

_THREADS = 256
_FLOATS = ("float32", "float64")


def matmul(a: CudaArray, b: CudaArray, version: str = "blocked") -> CudaArray:
    """Product of two matrices: "naive", "tiled" (shared memory), "blocked" (registers too).

    "vectorized" fetches four numbers at once, and is what the library does with large matrices.
    "wmma" multiplies float16 or bfloat16 on tensor cores, with sums in float32: as a GPU does with
    large matrices. "cublas"
    asks NVIDIA's library, which needs a GPU.
    """
    if version == "wmma":
        _check_floats("matmul", a, b, allowed=tuple(HALVES))
    if version in WAYS:
        return _ops(a).matmul_by(version, a, b)
    _check_version("matmul", version, (*WAYS, "blocked", "cublas"))
    _check_floats("matmul", a, b)
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        raise RuntimeError(f"[matmul] shapes {a.shape} and {b.shape} do not match")
    left, right = _ops(a).contiguous(a), _ops(a).contiguous(b)
    out = _ops(a).empty((a.shape[0], b.shape[1]), a.dtype)
    if version == "cublas":
        _on_gpu("matmul", version, a).cublas_matmul(*map(_ops(a).as_cupy, (left, right, out)))
        return out
    (m, k), n = a.shape, b.shape[1]
    arguments = (m, n, k, left.pointer, right.pointer, out.pointer)
    grid = (-(-n // 64), -(-m // 64), 1)
    _launch(out, "matmul", "matmul_blocked_kernel", grid, (16, 16, 1), arguments)
    return out


def sum(a: CudaArray, version: str = "shuffle", blocks: int = 2) -> CudaArray:
    """Sum of all elements: "atomic", "tree", "halves" (of a tree) or "shuffle" (between lanes)."""
    _check_version("sum", version, ("atomic", "tree", "halves", "shuffle"))
    _check_floats("sum", a)
    flat, kernel, block = _ops(a).contiguous(a), f"sum_{version}_kernel", (_THREADS, 1, 1)
    parts, out = _ops(a).zeros((blocks,), a.dtype), _ops(a).zeros((), a.dtype)
    arguments = (a.numel, flat.pointer, parts.pointer)
    _launch(out, "sum", kernel, (blocks, 1, 1), block, arguments)
    _launch(out, "sum", kernel, (1, 1, 1), block, (blocks, parts.pointer, out.pointer))
    return out


def transpose(a: CudaArray, version: str = "padded") -> CudaArray:
    """Copy of a matrix with rows and columns exchanged: "naive", "tiled" or "padded"."""
    _check_version("transpose", version, ("naive", "tiled", "padded"))
    _check_floats("transpose", a)
    if a.ndim != 2:
        raise RuntimeError(f"[transpose] expected a matrix, got shape {a.shape}")
    rows, columns = a.shape
    out, x = _ops(a).empty((columns, rows), a.dtype), _ops(a).contiguous(a)
    height = 8 if version == "naive" else 32  # rows of a block's tile
    grid = (-(-columns // 32), -(-rows // height), 1)
    arguments = (rows, columns, x.pointer, out.pointer)
    _launch(out, "transpose", f"transpose_{version}_kernel", grid, (32, 8, 1), arguments)
    return out


def _ops(a: CudaArray) -> Operations:
    """Return the operations of an array's device."""
    return cast(Operations, a.ops)


def _launch(
    out: CudaArray,
    lesson: str,
    kernel: str,
    grid: Dims,
    block: Dims,
    arguments: tuple[Argument, ...],
) -> None:
    """Launch a kernel of csrc/lessons for the dtype of its result."""
    if out.numel == 0:
        return
    source = family_source(f"lessons/{lesson}", ELEMENTS[out.dtype.name])
    _ops(out).backend.launch(source, kernel, grid, block, arguments)


def _on_gpu(lesson: str, version: str, a: CudaArray) -> CupyBackend:
    """Return the GPU that an array is on; refuse the simulator."""
    backend = _ops(a).backend
    if not isinstance(backend, CupyBackend):
        raise RuntimeError(
            f"[{lesson}] version {version!r} is a library for GPUs, and the arrays are on "
            f"{a.device}"
        )
    return backend


def _check_version(lesson: str, version: str, versions: tuple[str, ...]) -> None:
    """Refuse a version of a lesson's kernel that there is not."""
    if version not in versions:
        raise ValueError(f"[{lesson}] version {version!r}: expected one of {', '.join(versions)}")


def _check_floats(lesson: str, *arrays: CudaArray, allowed: tuple[str, ...] = _FLOATS) -> None:
    """Refuse arrays of several dtypes, or of one that the lesson's kernel does not take."""
    names = [a.dtype.name for a in arrays]
    if any(name not in allowed or name != names[0] for name in names):
        raise TypeError(f"[{lesson}] expected {' or '.join(allowed)}, got {' and '.join(names)}")
