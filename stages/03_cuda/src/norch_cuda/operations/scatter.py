"""Writing and joining at places that another array names."""

from __future__ import annotations

import norch_cpu_ops as cpu
from norch_cuda.array import CudaArray
from norch_cuda.backend import Argument, Pointer
from norch_cuda.determinism import check_determinism
from norch_cuda.operations.base import walk
from norch_cuda.operations.index import ADDED_AS, Indexing, rest_of
from norch_cuda.promotion import is_real
from norch_strides import Layout, coalesce

_WAYS = ("sum", "prod", "mean", "amax", "amin")


class Scattering(Indexing):
    """scatter writes; scatter_reduce joins what is there with what comes."""

    def scatter(self, a: CudaArray, dim: int, index: CudaArray, source: CudaArray) -> CudaArray:
        """Copy of `a` with elements of `source` where `index` points; of several the last."""
        dim, places = self._scattered("scatter", a, dim, index, source)
        out = self.clone(a)
        self._set(out, dim, places, source, self._owner("scatter", a, dim, places))
        return out

    def scatter_reduce(
        self,
        a: CudaArray,
        dim: int,
        index: CudaArray,
        source: CudaArray,
        reduce: str,
        include_self: bool = True,
    ) -> CudaArray:
        """Copy of `a` joined with `source` where `index` points: sum, prod, mean, amax or amin.

        Without `include_self` a place forgets its own element when the first other one comes.
        """
        op = "scatter_reduce"
        if reduce not in _WAYS:
            raise RuntimeError(
                f"[{op}] reduce is '{reduce}': expected 'sum', 'prod', 'mean', 'amax' or 'amin'"
            )
        dim, places = self._scattered(op, a, dim, index, source)
        owner = self._owner(op, a, dim, places)
        if reduce not in ("amax", "amin"):  # the largest is the same in any order
            check_determinism(op, a.dtype)
        dtype = ADDED_AS.get(a.dtype, a.dtype)
        out = self.clone(a) if dtype is a.dtype else self.cast(a, dtype)
        given = self.cast(source, dtype)
        if not include_self:
            self._set(out, dim, places, given, owner)
        skipped = Pointer(None) if include_self else owner.pointer
        way = "sum" if reduce == "mean" else reduce
        arguments = self._places_of(out, dim, places, given, skipped)
        self._elements("scatter", dtype, f"scatter_{way}_kernel", places.numel, *arguments)
        if reduce == "mean" and a.dtype is not cpu.bool_:
            out = self._divided(out, dim, places, include_self)
        return self.cast(out, a.dtype)

    def _scattered(
        self, op: str, a: CudaArray, dim: int, index: CudaArray, source: CudaArray
    ) -> tuple[int, CudaArray]:
        self._check(op, a, index, source)
        self._check_source(op, a, source)
        dim, places = self._grid_along(op, a, dim, index)
        self._check_reach(op, index, source)
        return dim, places

    def _owner(self, op: str, a: CudaArray, dim: int, places: CudaArray) -> CudaArray:
        """Return for every place of `a` 1 + the last element that names it, or 0."""
        owner, bad = self._filled(a.shape, 0, cpu.int64), self._filled((1,), 0, cpu.int64)
        size, step = (a.shape[dim], owner.strides[dim]) if a.ndim else (1, 0)
        rest = rest_of(owner, dim, places.shape)
        arguments = (size, step, rest, owner.pointer, *walk(places), bad.pointer)
        self._elements("index", cpu.int64, "owner_kernel", places.numel, *arguments)
        self._check_places(op, a, dim, places, bad)
        return owner

    def _set(
        self, out: CudaArray, dim: int, places: CudaArray, source: CudaArray, owner: CudaArray
    ) -> None:
        arguments = self._places_of(out, dim, places, source, owner.pointer)
        self._elements("index", out.dtype, "scatter_kernel", places.numel, *arguments)

    def _places_of(
        self, out: CudaArray, dim: int, places: CudaArray, source: CudaArray, owner: Pointer
    ) -> tuple[Argument, ...]:
        step = out.strides[dim] if out.ndim else 0
        rest = rest_of(out, dim, places.shape)
        named = coalesce(Layout(places.shape, source.strides))
        return step, rest, owner, out.pointer, *walk(places), named, source.pointer

    def _divided(
        self, total: CudaArray, dim: int, places: CudaArray, include_self: bool
    ) -> CudaArray:
        """Divide sums by their number of terms; whole numbers are rounded down."""
        ones = self._filled(places.shape, 1, cpu.int64)
        zeros = self._filled(total.shape, 0, cpu.int64)
        hits = self._add("scatter_reduce", zeros, dim, places.shape, places, ones)
        terms = self.maximum(self.add(hits, int(include_self)), 1)
        divide = self.div if is_real(total.dtype) else self.floor_divide
        return self.cast(divide(total, terms), total.dtype)
