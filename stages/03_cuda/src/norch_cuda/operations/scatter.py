"""Writing and joining at places that another array names."""

from __future__ import annotations

import norch_cpu_ops as cpu
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import is_real
from norch_cuda.launch.base import Givens, OperationsBase
from norch_cuda.launch.determinism import check_determinism
from norch_cuda.launch.pointwise import binary
from norch_cuda.launch.walks import NOTHING, coalesce_walk, rest_of, walk
from norch_cuda.operations.index import (
    ADDED_AS,
    add_at,
    check_index_source,
    check_scatter,
    list_along,
    out_of_range,
    size_and_step,
    slices_along,
)
from norch_cuda.runtime.backend import Argument, Pointer

_WAYS = ("sum", "prod", "mean", "amax", "amin")


class Scattering(OperationsBase):
    """scatter writes; scatter_reduce joins what is there with what comes."""

    def scatter(self, a: CudaArray, dim: int, index: CudaArray, source: CudaArray) -> CudaArray:
        """Copy of `a` with elements of `source` where `index` points; of several the last."""
        dim, places = check_scatter(self, "scatter", a, dim, index, source)
        out = self.clone(a)
        self._write_owned(out, dim, places, source, self._owner("scatter", a, dim, places))
        return out

    def index_copy_(self, a: CudaArray, dim: int, index: CudaArray, source: CudaArray) -> None:
        """Write slice i of `source` at index[i] of `a` along `dim`; of several the last."""
        op = "index_copy_"
        index = self.clone(index) if a.shares_storage(index) else index  # read before it is lost
        dim, places = list_along(self, op, a, dim, index)
        check_index_source(self, op, a, source)
        stretched = slices_along(op, a, dim, places, source)
        owner = self._owner(op, a, dim, stretched)
        given = self.clone(source) if a.shares_storage(source) else source
        self.begin_write(op, a)
        out = self.contiguous(a)  # as the owners lie
        self._write_owned(out, dim, stretched, given, owner)
        if out is not a:
            self.copy(a, out)

    def scatter_reduce(
        self, a: CudaArray, dim: int, index: CudaArray, source: CudaArray, reduce: str,
        include_self: bool = True,
    ) -> CudaArray:  # fmt: skip
        """Copy of `a` joined with `source` where `index` points: sum, prod, mean, amax or amin.

        Without `include_self` a place forgets its own element when the first other one comes.
        """
        op = "scatter_reduce"
        if reduce not in _WAYS:
            raise RuntimeError(
                f"[{op}] reduce is '{reduce}': expected 'sum', 'prod', 'mean', 'amax' or 'amin'"
            )
        dim, places = check_scatter(self, op, a, dim, index, source)
        owner = self._owner(op, a, dim, places)
        if reduce not in ("amax", "amin"):  # the largest is the same in any order
            check_determinism(op, a.dtype)
        dtype = ADDED_AS.get(a.dtype, a.dtype)
        out = self.clone(a) if dtype is a.dtype else self.cast(a, dtype)
        given = self.cast(source, dtype)
        if not include_self:
            self._write_owned(out, dim, places, given, owner)
        skipped = NOTHING if include_self else owner.pointer
        way = "sum" if reduce == "mean" else reduce
        arguments = self._scatter_arguments(out, dim, places, given, skipped)
        self.launch_elements("scatter", dtype, f"scatter_{way}_kernel", places.numel, *arguments)
        if reduce == "mean" and a.dtype is not cpu.bool_:
            out = self._divide(out, dim, places, include_self)
        return self.cast(out, a.dtype)

    def _owner(self, op: str, a: CudaArray, dim: int, places: CudaArray) -> CudaArray:
        """Return for every place of `a` 1 + the last element that names it, or 0."""
        owner = self.new_full(a.shape, 0, cpu.int64)
        rest = rest_of(owner.layout, dim, places.shape)
        given: Givens = (*size_and_step(owner, dim), rest, owner, *walk(places))
        explain = out_of_range(self, op, a, dim, places)
        self.compute("index", cpu.int64, "owner", *given, n=places.numel, explain=explain)
        return owner

    def _write_owned(
        self, out: CudaArray, dim: int, places: CudaArray, source: CudaArray, owner: CudaArray
    ) -> None:
        """Launch the kernel that writes at each place the element that owns it."""
        arguments = self._scatter_arguments(out, dim, places, source, owner.pointer)
        self.launch_elements("index", out.dtype, "scatter_kernel", places.numel, *arguments)

    def _scatter_arguments(
        self, out: CudaArray, dim: int, places: CudaArray, source: CudaArray, owner: Pointer
    ) -> tuple[Argument, ...]:
        """Return the kernel arguments that say where elements of `source` go in `out`."""
        size, step = size_and_step(out, dim)
        rest = rest_of(out.layout, dim, places.shape)
        named = coalesce_walk(places.shape, source.strides)
        return size, step, rest, owner, out.pointer, *walk(places), named, source.pointer

    def _divide(
        self, total: CudaArray, dim: int, places: CudaArray, include_self: bool
    ) -> CudaArray:
        """Divide sums by their number of terms; whole numbers are rounded down."""
        ones = self.new_full(places.shape, 1, cpu.int64)
        zeros = self.new_full(total.shape, 0, cpu.int64)
        hits = add_at(self, "scatter_reduce", zeros, dim, places.shape, places, ones)
        terms = binary(self, "maximum", binary(self, "add", hits, int(include_self)), 1)
        if is_real(total.dtype):
            mean = binary(self, "div", total, terms, family="functions", real=True)
        else:
            mean = binary(self, "floor_divide", total, terms, more=(NOTHING,))
        return self.cast(mean, total.dtype)
