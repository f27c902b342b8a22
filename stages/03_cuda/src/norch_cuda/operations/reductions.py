"""Sums, products and extremes: of many numbers, or running along a dimension."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import norch_cpu_ops as cpu
from norch_cpu_ops import DType
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import is_real
from norch_cuda.launch.base import Givens, New, OperationsBase, share_lines
from norch_cuda.launch.plan import At, Plan, plan, run
from norch_cuda.launch.pointwise import apply, binary, name_method, unary
from norch_cuda.launch.walks import Shape, line_walks, row_major, split_dims
from norch_strides import Layout, normalize_dim, normalize_dims, numel, reduced_shape

_CHUNK = 4096  # fewer elements are not worth a block of their own
_WARP, _SHARES = 32, 8  # kWarp, kShares of sum_columns.cu

Dims = int | tuple[int, ...] | list[int] | None
Fold = Callable[..., CudaArray]


def _fold(op: str, doc: str) -> Fold:
    """Make a method that folds the elements along some dims into one."""

    def method(
        self: OperationsBase, a: CudaArray, dims: Dims = None, keepdim: bool = False
    ) -> CudaArray:
        return fold(self, op, a, dims, keepdim)

    return name_method(method, op, doc)


def _running(op: str, doc: str) -> Fold:
    """Make a method that runs along a dim."""
    return name_method(lambda self, a, dim: running(self, op, a, dim), op, doc)


class Reductions(OperationsBase):
    """Folding an array along some of its dimensions, None means all; or running along one."""

    sum = _fold("sum", "Sum; whole numbers and bools add up to an int64.")
    prod = _fold("prod", "Product; of whole numbers and bools an int64.")
    amax = _fold("amax", "Largest element; a NaN wins.")
    amin = _fold("amin", "Smallest element; a NaN wins.")
    any = _fold("any", "Whether one element is not zero.")
    all = _fold("all", "Whether no element is zero.")

    def mean(self, a: CudaArray, dims: Dims = None, keepdim: bool = False) -> CudaArray:
        """Sum divided by the number of elements."""
        self.check("mean", a)
        if not is_real(a.dtype):
            raise RuntimeError(
                f"[mean] the mean of {a.dtype.name} is no {a.dtype.name}: cast to a real dtype"
            )
        count = numel(tuple(a.shape[d] for d in normalize_dims(dims, a.ndim, "mean")))
        x = self.computing(a)
        total = fold(self, "sum", x, dims, keepdim)
        return _divide(self, total, float(count), a.dtype)

    def var(
        self, a: CudaArray, dims: Dims = None, correction: int | float = 1,
        keepdim: bool = False, root: bool = False,
    ) -> CudaArray:  # fmt: skip
        """Mean squared distance from the mean, divided by count - correction; or its root."""
        self.check("var", a)
        if not is_real(a.dtype):
            raise RuntimeError(f"[var] expected a real dtype, got {a.dtype.name}: cast it first")
        x = self.computing(a)
        count = numel(tuple(a.shape[d] for d in normalize_dims(dims, a.ndim, "var")))
        distance = binary(self, "sub", x, self.mean(x, dims, True))
        total = fold(self, "sum", unary(self, "square", distance), dims, keepdim)
        found = _divide(self, total, max(0.0, float(count - correction)), x.dtype)
        if root:
            found = apply(self, "functions", "sqrt", x.dtype, x.dtype, found)
        return self.cast(found, a.dtype)

    def argmax(self, a: CudaArray, dim: int | None = None, keepdim: bool = False) -> CudaArray:
        """Place of the first largest element, along `dim` or in the flattened array."""
        return self._extreme("argmax", a, dim, keepdim)[1]

    def argmin(self, a: CudaArray, dim: int | None = None, keepdim: bool = False) -> CudaArray:
        """Place of the first smallest element, along `dim` or in the flattened array."""
        return self._extreme("argmin", a, dim, keepdim)[1]

    def max(self, a: CudaArray, dim: int, keepdim: bool = False) -> tuple[CudaArray, CudaArray]:
        """Largest elements along `dim`, and their places."""
        return self._extreme("argmax", a, dim, keepdim, op="max")

    def min(self, a: CudaArray, dim: int, keepdim: bool = False) -> tuple[CudaArray, CudaArray]:
        """Smallest elements along `dim`, and their places."""
        return self._extreme("argmin", a, dim, keepdim, op="min")

    def _extreme(
        self, kernel: str, a: CudaArray, dim: int | None, keepdim: bool, op: str = ""
    ) -> tuple[CudaArray, CudaArray]:
        """Launch the search for the largest or smallest elements along `dim`, and their places."""
        op = op or kernel
        self.check(op, a)
        chosen = normalize_dims(dim, a.ndim, op)
        length = numel(tuple(a.shape[d] for d in chosen))
        _check_choice(op, a.shape, chosen, length)
        x, shape = self.computing(a), reduced_shape(a.shape, chosen, keepdim)
        given = (*split_dims(x.layout, chosen), x.pointer, New(shape), New(shape, cpu.int64))
        lines = (numel(shape), length)
        values, places = self.compute("reduce", a.dtype, kernel, *given, lines=lines)
        return values, places

    # One result for every element: of all elements up to and including it.
    cumsum = _running("cumsum", "Sum of the elements up to and including each one, along `dim`.")
    cumprod = _running("cumprod", "Product of the elements up to and including each one.")

    def logcumsumexp(self, a: CudaArray, dim: int) -> CudaArray:
        """Log of the running sum of exp(x), never overflowing."""
        self.check("logcumsumexp", a)
        normalize_dim(dim, a.ndim, "logcumsumexp")
        if not is_real(a.dtype):
            raise cpu.DTypeError(
                f"[logcumsumexp] expected a floating dtype, got {a.dtype.name}: "
                "cast to float32 first"
            )
        return running(self, "logcumsumexp", a, dim)

    def cummax(self, a: CudaArray, dim: int) -> tuple[CudaArray, CudaArray]:
        """Largest element so far, and where it stands; a NaN stays, of equal ones the last."""
        return self._running_extreme("cummax", a, dim)

    def cummin(self, a: CudaArray, dim: int) -> tuple[CudaArray, CudaArray]:
        """Smallest element so far, and where it stands; a NaN stays, of equal ones the last."""
        return self._running_extreme("cummin", a, dim)

    def _running_extreme(self, op: str, a: CudaArray, dim: int) -> tuple[CudaArray, CudaArray]:
        """Launch a running maximum or minimum with its places."""
        values, indices = _run_lines(self, op, a, dim, New(a.shape), New(a.shape, cpu.int64))
        return values, indices


def fold(ops: OperationsBase, op: str, a: CudaArray, dims: Dims, keepdim: bool) -> CudaArray:
    """Launch `<op>_kernel` of reduce.cu along `dims`."""
    ops.check(op, a)
    x = ops.computing(a)
    chosen = tuple(dims) if isinstance(dims, list) else dims
    out = x
    for planned in _plan_fold(op, x.dtype, ops.backend.num_blocks, x.layout, chosen, keepdim):
        out = run(ops, planned, [out.storage.memory])[0]
    # As in PyTorch, any and all of a uint8 are a uint8.
    logical = op in ("any", "all") and a.dtype is cpu.uint8
    same = is_real(out.dtype) or logical or op in ("amax", "amin")
    return ops.cast(out, a.dtype) if same else out


@lru_cache(maxsize=4096)
def _plan_fold(
    op: str, dtype: DType, num_blocks: int, layout: Layout, dims: Dims, keepdim: bool
) -> list[Plan]:
    """Check a fold; plan its launches, of which each folds the result of the one before."""
    shape, offset = layout.shape, layout.offset
    chosen = normalize_dims(dims, len(shape), op)
    length = numel(tuple(shape[d] for d in chosen))
    if op in ("amax", "amin"):
        if 0 in shape and dims in (None, ()):
            raise RuntimeError(f"[{op}] shape {shape} has no elements: name the dims")
        _check_choice(op, shape, chosen, length)
    result = New(reduced_shape(shape, chosen, keepdim))
    return _fold_lines(op, dtype, num_blocks, split_dims(layout, chosen), At(0, offset), result)


def _fold_lines(
    op: str, dtype: DType, num_blocks: int, walks: tuple[Layout, Layout], x: At, result: New
) -> list[Plan]:
    """Plan to fold each line of the second walk; few long lines in chunks first."""
    outer, inner = walks
    lines, length = numel(outer.shape), numel(inner.shape)
    chunks = max(1, min(num_blocks // max(1, lines), length // _CHUNK))
    folded = _fold_dtype(op, dtype)
    if op == "sum" and chunks == 1 and is_real(dtype) and _side_by_side(outer, inner):
        grid = (min(num_blocks, -(-lines // _WARP)), 1, 1), (_WARP, _SHARES, 1)
        out = New(result.shape, folded)
        return [plan("sum_columns", dtype, "sum_columns", grid, lines, length, *walks, x, out)]
    out = New(result.shape if chunks == 1 else (lines * chunks,), folded)
    grid = share_lines(num_blocks, lines, length, chunks)
    first = plan("reduce", dtype, op, grid, lines, length, chunks, *walks, x, out)
    if chunks == 1:
        return [first]
    again = Layout((lines,), (chunks,)), Layout((chunks,), (1,))
    return [first, *_fold_lines(op, folded, num_blocks, again, At(0), result)]


def _side_by_side(outer: Layout, inner: Layout) -> bool:
    """Whether 32 lines or more lie beside each other, nearer than the elements of one."""
    if not outer.shape or not inner.shape or outer.shape[-1] < _WARP:
        return False
    return abs(outer.strides[-1]) < abs(inner.strides[-1])


def _check_choice(op: str, shape: Shape, chosen: Shape, length: int) -> None:
    """Refuse to choose an element where there is none."""
    if length == 0:
        raise IndexError(
            f"[{op}] an array of shape {shape} has no element to choose along {chosen}"
        )


def _divide(ops: OperationsBase, total: CudaArray, count: float, dtype: DType) -> CudaArray:
    """Divide a sum by a count, to a dtype."""
    return ops.cast(binary(ops, "div", total, count, family="functions", real=True), dtype)


def _fold_dtype(op: str, dtype: DType) -> DType:
    """Return the dtype that a fold's kernel writes."""
    if op in ("any", "all"):
        return cpu.bool_
    return cpu.int64 if op in ("sum", "prod") and not is_real(dtype) else dtype


def running(ops: OperationsBase, op: str, a: CudaArray, dim: int) -> CudaArray:
    """Launch a running sum or product along `dim`."""
    dtype = None if is_real(a.dtype) else cpu.int64
    return _run_lines(ops, op, a, dim, New(a.shape, dtype))[0]


def _run_lines(
    ops: OperationsBase, op: str, a: CudaArray, dim: int, *results: New
) -> list[CudaArray]:
    """Launch `<op>_kernel`, a line for each block; its results have the shape of `a`."""
    ops.check(op, a)
    x, (layout, count) = ops.computing(a), row_major(a.shape)
    walks, ends = line_walks(x.layout, layout, normalize_dim(dim, a.ndim, op))
    given: Givens = (walks[0], ends[1], x.pointer, walks[1], ends[2], *results)
    lines = (numel(walks[0].shape) if count else 0, ends[0])
    return ops.compute("cumulative", a.dtype, op, *given, lines=lines)
