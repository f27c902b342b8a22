"""Sums, products and extremes: of many numbers, or running along a dimension."""

from __future__ import annotations

from collections.abc import Callable

import norch_cpu_ops as cpu
from norch_cpu_ops import DType
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import is_real
from norch_cuda.launch.base import Givens, New, OperationsBase
from norch_cuda.launch.pointwise import apply, binary, name_method, unary
from norch_cuda.launch.walks import line_walks, row_major, split_dims
from norch_cuda.runtime.sources import ELEMENTS, family_source
from norch_strides import Layout, contiguous, normalize_dim, normalize_dims, numel, reduced_shape

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
    """Folding an array along some of its dimensions; None means all of them."""

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
        self,
        a: CudaArray,
        dims: Dims = None,
        correction: int | float = 1,
        keepdim: bool = False,
        root: bool = False,
    ) -> CudaArray:
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
        _check_choice(op, a, chosen, length)
        x, shape = self.computing(a), reduced_shape(a.shape, chosen, keepdim)
        given = (*split_dims(x.layout, chosen), x.pointer, New(shape), New(shape, cpu.int64))
        lines = (numel(shape), length)
        values, places = self.compute("reduce", a.dtype, kernel, *given, lines=lines)
        return values, places


class Cumulative(OperationsBase):
    """One result for every element: all elements up to and including it."""

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
    chosen = normalize_dims(dims, a.ndim, op)
    length = numel(tuple(a.shape[d] for d in chosen))
    if op in ("amax", "amin") and a.numel == 0 and dims in (None, ()):
        raise RuntimeError(f"[{op}] shape {a.shape} has no elements: name the dims")
    if op in ("amax", "amin"):
        _check_choice(op, a, chosen, length)
    x = ops.computing(a)
    out = _fold_lines(ops, op, x, *split_dims(x.layout, chosen), length)
    out = out.view(contiguous(reduced_shape(a.shape, chosen, keepdim)))
    # As in PyTorch, any and all of a uint8 are a uint8.
    logical = op in ("any", "all") and a.dtype is cpu.uint8
    same = is_real(out.dtype) or logical or op in ("amax", "amin")
    return ops.cast(out, a.dtype) if same else out


def _fold_lines(
    ops: OperationsBase, op: str, x: CudaArray, outer: Layout, inner: Layout, length: int
) -> CudaArray:
    """Fold each line of `length` elements; few long lines in chunks first."""
    lines = numel(outer.shape)
    spare = ops.backend.num_blocks // max(1, lines)
    chunks = max(1, min(spare, length // _CHUNK))
    out = ops.new((lines * chunks,), _fold_dtype(op, x.dtype))
    if op == "sum" and chunks == 1 and is_real(x.dtype) and _side_by_side(outer, inner):
        _sum_columns(ops, x, out, outer, inner, length)
        return out
    arguments = (chunks, outer, inner, x.pointer, out.pointer)
    ops.launch_lines("reduce", x.dtype, f"{op}_kernel", lines, length, *arguments, blocks=chunks)
    if chunks == 1:
        return out
    again = Layout((lines,), (chunks,)), Layout((chunks,), (1,))
    return _fold_lines(ops, op, out, *again, chunks)


def _side_by_side(outer: Layout, inner: Layout) -> bool:
    """Whether 32 lines or more lie beside each other, nearer than the elements of one."""
    if not outer.shape or not inner.shape or outer.shape[-1] < _WARP:
        return False
    return abs(outer.strides[-1]) < abs(inner.strides[-1])


def _sum_columns(
    ops: OperationsBase, x: CudaArray, out: CudaArray, outer: Layout, inner: Layout, length: int
) -> None:
    """Launch the kernel whose warps take 32 lines at once."""
    columns = numel(outer.shape)
    blocks = min(ops.backend.num_blocks, -(-columns // _WARP))
    source = family_source("sum_columns", ELEMENTS[x.dtype.name])
    arguments = (columns, length, outer, inner, x.pointer, out.pointer)
    grid, block = (blocks, 1, 1), (_WARP, _SHARES, 1)
    ops.backend.launch(source, "sum_columns_kernel", grid, block, arguments)


def _check_choice(op: str, a: CudaArray, chosen: tuple[int, ...], length: int) -> None:
    """Refuse to choose an element where there is none."""
    if length == 0:
        raise IndexError(
            f"[{op}] an array of shape {a.shape} has no element to choose along {chosen}"
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
