"""Elements in order, and what order gives: the largest few, the median, the different ones."""

from __future__ import annotations

import norch_cpu_ops as cpu
from norch_cpu_ops import DType
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import computing_dtype
from norch_cuda.launch.base import OperationsBase
from norch_cuda.launch.walks import line_walks
from norch_cuda.operations.reductions import running
from norch_strides import contiguous, movedim, narrow, normalize_dim, numel

_SHARED = 1024  # kShared of sort.cu

Pair = tuple[CudaArray, CudaArray]


class Sorting(OperationsBase):
    """Equal elements keep their order, and a NaN is larger than all numbers."""

    def sort(
        self, a: CudaArray, dim: int = -1, descending: bool = False, stable: bool = False
    ) -> Pair:
        """Elements in order along `dim`, and where each stood; always stable."""
        self.check("sort", a)
        return sort_lines(self, a, normalize_dim(dim, a.ndim, "sort"), descending)

    def topk(
        self, a: CudaArray, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
    ) -> Pair:
        """Return the k largest (or smallest) elements along `dim` in order, and their places."""
        self._check_orderable("topk", a)
        dim = normalize_dim(dim, a.ndim, "topk")
        n = a.shape[dim] if a.ndim else 1
        if not 0 <= k <= n:
            raise RuntimeError(
                f"[topk] k is {k} but dim {dim} of shape {a.shape} has {n} elements: "
                f"expected 0 to {n}"
            )
        values, indices = sort_lines(self, a, dim, largest)
        if a.ndim == 0:
            return values, indices
        return self._copy_slice(values, dim, 0, k), self._copy_slice(indices, dim, 0, k)

    def kthvalue(self, a: CudaArray, k: int, dim: int = -1, keepdim: bool = False) -> Pair:
        """Return the k-th smallest element along `dim`, counted from 1, and its place."""
        self._check_orderable("kthvalue", a)
        dim, n = self._dim_with_elements("kthvalue", a, dim)
        if not 1 <= k <= n:
            raise RuntimeError(
                f"[kthvalue] k is {k} but dim {dim} of shape {a.shape} has {n} elements: "
                f"expected 1 to {n}"
            )
        values, indices = sort_lines(self, a, dim, False)
        if a.ndim == 0:
            return values, indices
        shape = _shape_without(a.shape, dim, keepdim)
        parts = (self._copy_slice(x, dim, k - 1, 1) for x in (values, indices))
        value, index = (self.reshape(part, shape) for part in parts)
        return value, index

    def median(self, a: CudaArray, dim: int = -1, keepdim: bool = False) -> Pair:
        """Return the lower of the two middle elements along `dim`, and its place; a NaN wins."""
        self._check_orderable("median", a)
        dim, n = self._dim_with_elements("median", a, dim)
        values, indices = sort_lines(self, a, dim, False)
        lines = [self.reshape(self._move_last(x, dim), (x.numel // n, n))
                 for x in (self.cast(values, computing_dtype(a.dtype)), indices)]  # fmt: skip
        kept = [self.contiguous(x) for x in lines]
        out, places = (self.new((kept[0].shape[0],), x.dtype) for x in kept)
        pointers = [x.pointer for x in (*kept, out, places)]
        self.launch_elements("sort", out.dtype, "median_kernel", out.numel, n, *pointers)
        shape = contiguous(_shape_without(a.shape, dim, keepdim))
        return self.cast(out, a.dtype).view(shape), places.view(shape)

    def unique(self, a: CudaArray) -> tuple[CudaArray, CudaArray, CudaArray]:
        """Return the different values in order, the number of each element's value, how often.

        Waits for the device, since nobody knows before how many there are.
        """
        self.check("unique", a)
        flat = self.reshape(a, (a.numel,))
        values, places = sort_lines(self, flat, 0, False)
        x = self.cast(values, _sort_dtype(a.dtype))
        starts, n = self.new((a.numel,), cpu.int64), a.numel
        self.launch_elements("sort", x.dtype, "starts_kernel", n, x.pointer, starts.pointer)
        numbers = running(self, "cumsum", starts, 0)
        found = int(numbers.view(narrow(numbers.layout, 0, n - 1, 1)).item()) if n else 0
        different, inverse = self.new((found,), x.dtype), self.new(a.shape, cpu.int64)
        counts = self.new_full((found,), 0, cpu.int64)
        arrays = (x, places, numbers, different, inverse, counts)
        pointers = [array.pointer for array in arrays]
        self.launch_elements("sort", x.dtype, "unique_kernel", n, *pointers)
        return self.cast(different, a.dtype), inverse, counts

    def _copy_slice(self, a: CudaArray, dim: int, start: int, size: int) -> CudaArray:
        """Copy `size` elements along `dim`, from `start` on."""
        return self.clone(a.view(narrow(a.layout, dim, start, size)))

    def _move_last(self, a: CudaArray, dim: int) -> CudaArray:
        """View an array with its sorted dim last."""
        return a.view(movedim(a.layout, dim, -1)) if a.ndim else a

    def _check_orderable(self, op: str, a: CudaArray) -> None:
        """Refuse bools, which have no kernel that orders them."""
        self.check(op, a)
        if a.dtype is cpu.bool_:
            raise cpu.DTypeError(f"[{op}] has no kernel for bool: cast to uint8 first")

    def _dim_with_elements(self, op: str, a: CudaArray, dim: int) -> tuple[int, int]:
        """Return the dim, counted from the front, and its size, which must not be 0."""
        dim = normalize_dim(dim, a.ndim, op)
        size = a.shape[dim] if a.ndim else 1
        if size == 0:
            raise IndexError(
                f"[{op}] dim {dim} of shape {a.shape} has size 0: expected at least one element"
            )
        return dim, size


def sort_lines(ops: OperationsBase, a: CudaArray, dim: int, descending: bool) -> Pair:
    """Return the elements in order along `dim`, and where each stood."""
    x = ops.cast(a, _sort_dtype(a.dtype))
    out, indices = ops.new(a.shape, x.dtype), ops.new(a.shape, cpu.int64)
    if a.numel == 0:
        return ops.cast(out, a.dtype), indices
    lines_of_x, lines_of_out, (length, step, step_out) = line_walks(x, out, dim)
    padded = 1 << (length - 1).bit_length()
    lines = numel(lines_of_x.shape)
    room = 0 if padded <= _SHARED else padded * min(lines, ops.backend.num_blocks)
    rooms = [ops.new((room,), dtype).pointer for dtype in (x.dtype, cpu.int64)]
    given = (padded, lines_of_x, step, x.pointer, int(descending))
    results = (lines_of_out, step_out, out.pointer, indices.pointer)
    ops.launch_lines("sort", x.dtype, "sort_kernel", lines, length, *given, *rooms, *results)
    return ops.cast(out, a.dtype), indices


def _sort_dtype(dtype: DType) -> DType:
    """Return what sort.cu compares: bools as bytes, halves as float32."""
    return cpu.uint8 if dtype is cpu.bool_ else computing_dtype(dtype)


def _shape_without(shape: tuple[int, ...], dim: int, keepdim: bool) -> tuple[int, ...]:
    """Return a shape without a dim, or with size 1 there."""
    return tuple(1 if d == dim else size for d, size in enumerate(shape) if keepdim or d != dim)
