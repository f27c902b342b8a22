"""Elements in order, and what order gives: the largest few, the median, the different ones."""

from __future__ import annotations

from functools import partial

import norch_cpu_ops as cpu
from norch_cpu_ops import DType
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import computing_dtype
from norch_cuda.launch.base import Givens, New, OperationsBase
from norch_cuda.launch.walks import Arguments, line_walks, row_major
from norch_cuda.operations.reductions import running
from norch_cuda.runtime.sources import ELEMENTS, family_source
from norch_strides import contiguous, movedim, narrow, normalize_dim, numel

_SHARED = 1024  # kShared of sort.cu
_DIGITS, _RUNS = 256, 64  # kDigits, kRuns of radix.cu
_LEAST_RUN, _MOST_BLOCKS = 32, 512  # entries of a thread; blocks, until runs must grow
_LONGEST_RUN = 1023  # 64 of them are counted in 16 bits
_MOST = (1 << 32) - 1  # entries of a line: places have 32 bits

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
        lines = [
            self.reshape(self._move_last(x, dim), (x.numel // n, n)) for x in (values, indices)
        ]
        results = (New((a.numel // n,)), New((a.numel // n,), cpu.int64))
        out, places = self.compute("sort", a.dtype, "median", n, *lines, *results)
        shape = contiguous(_shape_without(a.shape, dim, keepdim))
        return out.view(shape), places.view(shape)

    def unique(self, a: CudaArray) -> tuple[CudaArray, CudaArray, CudaArray]:
        """Return the different values in order, the number of each element's value, how often.

        Waits for the device, since nobody knows before how many there are.
        """
        self.check("unique", a)
        flat = self.reshape(a, (a.numel,))
        values, places = sort_lines(self, flat, 0, False)
        x = self.cast(values, _sort_dtype(a.dtype))
        n = a.numel
        (starts,) = self.compute("sort", x.dtype, "starts", x, New((n,), cpu.int64))
        numbers = running(self, "cumsum", starts, 0)
        found = int(numbers.view(narrow(numbers.layout, 0, n - 1, 1)).item()) if n else 0
        counts, results = (
            self.new_full((found,), 0, cpu.int64),
            (New((found,)), New(a.shape, cpu.int64)),
        )
        given = (x, places, numbers, *results, counts)
        different, inverse = self.compute("sort", x.dtype, "unique", *given, n=n)
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


def sort_lines(
    ops: OperationsBase, a: CudaArray, dim: int, descending: bool, below: int | None = None
) -> Pair:
    """Return the elements in order along `dim`, and where each stood.

    Of whole numbers from 0 to `below` - 1 long lines need fewer passes; any others among them may
    stand anywhere then.
    """
    x, results = ops.cast(a, _sort_dtype(a.dtype)), (New(a.shape), New(a.shape, cpu.int64))
    if a.numel == 0:
        return ops.new(a.shape, a.dtype), ops.new(a.shape, cpu.int64)
    walks, (length, step, step_out) = line_walks(x.layout, row_major(a.shape)[0], dim)
    given = (walks[0], step, x.pointer)
    if length > _SHARED:
        bits = 8 * x.dtype.itemsize if below is None else (below - 1).bit_length()
        places = _radix_places(ops, x, length, (*given, int(descending)), bits)
        order: Givens = (length, *given, places, walks[1], step_out, *results)
        out, indices = ops.compute("radix", x.dtype, "radix_gather", *order)
    else:
        padded, lines = 1 << (length - 1).bit_length(), (numel(walks[0].shape), length)
        order = (padded, *given, int(descending), walks[1], step_out, *results)
        out, indices = ops.compute("sort", x.dtype, "sort", *order, lines=lines)
    return ops.cast(out, a.dtype), indices


def _radix_places(
    ops: OperationsBase, x: CudaArray, length: int, given: Arguments, bits: int
) -> CudaArray:
    """Return where the elements of each line stood, in order: radix.cu, pass after pass."""
    if length > _MOST:
        raise RuntimeError(f"[sort] a line has {length} elements: expected at most {_MOST}")
    lines = x.numel // length
    run = min(_LONGEST_RUN, max(_LEAST_RUN, -(-length // (_RUNS * _MOST_BLOCKS))))
    blocks = -(-length // (run * _RUNS))
    key_dtype = cpu.int64 if x.dtype.itemsize == 8 else cpu.int32
    counts = ops.new((lines, blocks, _DIGITS), cpu.int32)
    entries, moved = ([ops.new(x.shape, d) for d in (key_dtype, cpu.int32)] for _ in range(2))
    ops.compute("radix", x.dtype, "radix_keys", length, *given, *entries, n=x.numel)
    launch = partial(ops.backend.launch, family_source("radix", ELEMENTS[x.dtype.name]))
    grid, threads = (lines * blocks, 1, 1), (_RUNS, 1, 1)
    for shift in range(0, bits, 8):
        sizes, at = (length, blocks, run, shift), counts.pointer
        (keys, places), targets = ([a.pointer for a in e] for e in (entries, moved))
        launch("radix_count_kernel", grid, threads, (*sizes, keys, at))
        launch("radix_places_kernel", (lines, 1, 1), (_DIGITS, 1, 1), (blocks, at))
        launch("radix_move_kernel", grid, threads, (*sizes, keys, places, at, *targets))
        entries, moved = moved, entries
    return entries[1]


def _sort_dtype(dtype: DType) -> DType:
    """Return what sort.cu compares: bools as bytes, halves as float32."""
    return cpu.uint8 if dtype is cpu.bool_ else computing_dtype(dtype)


def _shape_without(shape: tuple[int, ...], dim: int, keepdim: bool) -> tuple[int, ...]:
    """Return a shape without a dim, or with size 1 there."""
    return tuple(1 if d == dim else size for d, size in enumerate(shape) if keepdim or d != dim)
