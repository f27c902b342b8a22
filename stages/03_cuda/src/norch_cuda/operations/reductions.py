"""Many numbers become one: sums, products, extremes."""

from __future__ import annotations

import norch_cpu_ops as cpu
from norch_cpu_ops import DType
from norch_cuda.array import CudaArray
from norch_cuda.operations.activations import Activations
from norch_cuda.operations.base import dims_tuple, split_dims
from norch_cuda.promotion import computing_dtype, is_real
from norch_strides import (
    Layout,
    contiguous,
    numel,
    reduced_shape,
    reshape,
)

_CHUNK = 4096  # fewer elements are not worth a block of their own

Dims = int | tuple[int, ...] | list[int] | None


class Reductions(Activations):
    """Folding an array along some of its dimensions; None means all of them."""

    def sum(self, a: CudaArray, dims: Dims = None, keepdim: bool = False) -> CudaArray:
        """Sum; whole numbers and bools add up to an int64."""
        return self._fold("sum", a, dims, keepdim)

    def prod(self, a: CudaArray, dims: Dims = None, keepdim: bool = False) -> CudaArray:
        """Product; of whole numbers and bools an int64."""
        return self._fold("prod", a, dims, keepdim)

    def mean(self, a: CudaArray, dims: Dims = None, keepdim: bool = False) -> CudaArray:
        """Sum divided by the number of elements."""
        self._check("mean", a)
        if not is_real(a.dtype):
            raise RuntimeError(
                f"[mean] the mean of {a.dtype.name} is no {a.dtype.name}: cast to a real dtype"
            )
        count = numel(tuple(a.shape[d] for d in dims_tuple(dims, a.ndim, "mean")))
        total = self.sum(self.cast(a, computing_dtype(a.dtype)), dims, keepdim)
        return self.cast(self.div(total, float(count)), a.dtype)

    def var(
        self, a: CudaArray, dims: Dims = None, correction: int | float = 1, keepdim: bool = False
    ) -> CudaArray:
        """Mean squared distance from the mean, divided by count - correction."""
        self._check("var", a)
        if not is_real(a.dtype):
            raise RuntimeError(f"[var] expected a real dtype, got {a.dtype.name}: cast it first")
        x = self.cast(a, computing_dtype(a.dtype))
        count = numel(tuple(a.shape[d] for d in dims_tuple(dims, a.ndim, "var")))
        distance = self.sub(x, self.mean(x, dims, True))
        total = self.sum(self.square(distance), dims, keepdim)
        return self.cast(self.div(total, max(0.0, float(count - correction))), a.dtype)

    def amax(self, a: CudaArray, dims: Dims = None, keepdim: bool = False) -> CudaArray:
        """Largest element; a NaN wins."""
        return self._fold("amax", a, dims, keepdim)

    def amin(self, a: CudaArray, dims: Dims = None, keepdim: bool = False) -> CudaArray:
        """Smallest element; a NaN wins."""
        return self._fold("amin", a, dims, keepdim)

    def any(self, a: CudaArray, dims: Dims = None, keepdim: bool = False) -> CudaArray:
        """Whether one element is not zero."""
        return self._fold("any", a, dims, keepdim)

    def all(self, a: CudaArray, dims: Dims = None, keepdim: bool = False) -> CudaArray:
        """Whether no element is zero."""
        return self._fold("all", a, dims, keepdim)

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

    def _reshaped(self, a: CudaArray, shape: tuple[int, ...]) -> CudaArray:
        """View an array with another shape of the same size; copy only if it must."""
        layout = reshape(a.layout, shape)
        return self._reshaped(self.clone(a), shape) if layout is None else a.view(layout)

    def _fold(self, op: str, a: CudaArray, dims: Dims, keepdim: bool) -> CudaArray:
        self._check(op, a)
        chosen = dims_tuple(dims, a.ndim, op)
        x = self.cast(a, computing_dtype(a.dtype))
        outer, inner = split_dims(x.layout, chosen)
        shape = reduced_shape(a.shape, chosen, keepdim)
        length = numel(tuple(a.shape[d] for d in chosen))
        if op in ("amax", "amin") and a.numel == 0 and dims in (None, ()):
            raise RuntimeError(f"[{op}] shape {a.shape} has no elements: name the dims")
        if op in ("amax", "amin") and length == 0:
            raise IndexError(
                f"[{op}] an array of shape {a.shape} has no element to choose along {chosen}"
            )
        out = self._fold_lines(op, x, outer, inner, length).view(contiguous(shape))
        # As in PyTorch, any and all of a uint8 are a uint8.
        logical = op in ("any", "all") and a.dtype is cpu.uint8
        return self.cast(out, a.dtype) if is_real(out.dtype) or logical else out

    def _fold_lines(
        self, op: str, x: CudaArray, outer: Layout, inner: Layout, length: int
    ) -> CudaArray:
        """Fold each line of `length` elements; few long lines in chunks first."""
        lines = numel(outer.shape)
        spare = self.backend.num_blocks // max(1, lines)
        chunks = max(1, min(spare, length // _CHUNK))
        out = self._empty((lines * chunks,), _fold_dtype(op, x.dtype))
        arguments = (chunks, outer, inner, x.pointer, out.pointer)
        self._lines("reduce", x.dtype, f"{op}_kernel", lines, length, *arguments, blocks=chunks)
        if chunks == 1:
            return out
        again = Layout((lines,), (chunks,)), Layout((chunks,), (1,))
        return self._fold_lines(op, out, *again, chunks)

    def _extreme(
        self, kernel: str, a: CudaArray, dim: int | None, keepdim: bool, op: str = ""
    ) -> tuple[CudaArray, CudaArray]:
        op = op or kernel
        self._check(op, a)
        chosen = dims_tuple(dim, a.ndim, op)
        length = numel(tuple(a.shape[d] for d in chosen))
        if length == 0:
            raise IndexError(
                f"[{op}] an array of shape {a.shape} has no element to choose along {chosen}"
            )
        x = self.cast(a, computing_dtype(a.dtype))
        outer, inner = split_dims(x.layout, chosen)
        shape = reduced_shape(a.shape, chosen, keepdim)
        values, places = self._empty(shape, x.dtype), self._empty(shape, cpu.int64)
        arguments = (outer, inner, x.pointer, values.pointer, places.pointer)
        self._lines("reduce", x.dtype, f"{kernel}_kernel", values.numel, length, *arguments)
        return self.cast(values, a.dtype), places


def _sum_dtype(dtype: DType) -> DType:
    return dtype if is_real(dtype) else cpu.int64


def _fold_dtype(op: str, dtype: DType) -> DType:
    if op in ("any", "all"):
        return cpu.bool_
    return _sum_dtype(dtype) if op in ("sum", "prod") else dtype
