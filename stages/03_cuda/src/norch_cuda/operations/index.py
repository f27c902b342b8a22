"""Reading and adding at places that another array names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import norch_cpu_ops as cpu
from norch_cpu_ops import DType, DTypeError
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import HALVES
from norch_cuda.launch.base import Givens, New, OperationsBase
from norch_cuda.launch.determinism import check_determinism
from norch_cuda.launch.walks import Shape, coalesce_walk, rest_of, walk
from norch_cuda.runtime.backend import Explain
from norch_strides import Layout, broadcast_shapes, broadcast_to, normalize_dim

# No device adds single bytes (or halves, everywhere) atomically: they are added in a wider type.
ADDED_AS: dict[DType, DType] = dict.fromkeys(
    (cpu.uint8, cpu.int8, cpu.bool_), cpu.int32
) | dict.fromkeys(HALVES, cpu.float32)


class Indexing(OperationsBase):
    """index_select and gather read; index_add and scatter_add add."""

    def index_select(self, a: CudaArray, dim: int, index: CudaArray) -> CudaArray:
        """Slices of `a` along `dim` that `index` names, in its order."""
        dim, places = list_along(self, "index_select", a, dim, index)
        shape = (*a.shape[:dim], places.shape[0], *a.shape[dim + 1 :])
        return _gather(
            self, "index_select", a, dim, shape, places.view(_spread_indices(places, dim, shape))
        )

    def ravel_multi_index(
        self, indices: Sequence[CudaArray], shape: Shape, dims: Shape
    ) -> CudaArray:
        """Numbers of the places that `indices` name along `dims` of an array of `shape`, counted
        row by row over those dims; negative indices count from the end.
        """
        op = "ravel_multi_index"
        common = broadcast_shapes(*(index.shape for index in indices))
        numbers = self.new_full(common, 0, cpu.int64)
        for index, named in zip(indices, dims, strict=True):
            dim = normalize_dim(named, len(shape), op)
            size = shape[dim] if shape else 1
            places = as_index(self, op, numbers, index)
            spread = places.view(broadcast_to(places.layout, common))
            given = (size, *walk(places, common), numbers)
            explain = partial(_out_of_bounds, self, dim, size, spread)
            self.compute("index", cpu.int64, "ravel", *given, n=numbers.numel, explain=explain)
        return numbers

    def gather(self, a: CudaArray, dim: int, index: CudaArray) -> CudaArray:
        """One element of `a` for every index, picked along `dim`."""
        dim, places = grid_along(self, "gather", a, dim, index)
        return _gather(self, "gather", a, dim, index.shape, places)

    def index_add(self, a: CudaArray, dim: int, index: CudaArray, source: CudaArray) -> CudaArray:
        """Copy of `a` with slice i of `source` added at index[i]."""
        dim, places = list_along(self, "index_add", a, dim, index)
        check_index_source(self, "index_add", a, source)
        stretched = slices_along("index_add", a, dim, places, source)
        return add_at(self, "index_add", a, dim, source.shape, stretched, source)

    def scatter_add(self, a: CudaArray, dim: int, index: CudaArray, source: CudaArray) -> CudaArray:
        """Copy of `a` with every element of `source` added where `index` points along `dim`."""
        dim, places = check_scatter(self, "scatter_add", a, dim, index, source)
        return add_at(self, "scatter_add", a, dim, index.shape, places, source)


def as_index(ops: OperationsBase, op: str, a: CudaArray, index: CudaArray) -> CudaArray:
    """Return an index as int64; other dtypes than int64 and int32 are refused."""
    ops.check(op, a, index)
    if index.dtype is not cpu.int64 and index.dtype is not cpu.int32:
        raise DTypeError(f"[{op}] expected an index of int64 or int32, got {index.dtype.name}")
    return ops.cast(index, cpu.int64)


def list_along(
    ops: OperationsBase, op: str, a: CudaArray, dim: int, index: CudaArray
) -> tuple[int, CudaArray]:
    """Check a list of indices along `dim`; return the dim from 0 and the list."""
    places = as_index(ops, op, a, index)
    dim = normalize_dim(dim, a.ndim, op)
    if a.ndim == 0 or index.ndim > 1:
        raise IndexError(
            f"[{op}] array {a.shape}, index {index.shape}: expected an array with dimensions "
            "and an index with one"
        )
    return dim, ops.reshape(places, (places.numel,))


def slices_along(
    op: str, a: CudaArray, dim: int, places: CudaArray, source: CudaArray
) -> CudaArray:
    """Return the place of every element of `source`, slice i of which belongs at places[i]."""
    shape = (*a.shape[:dim], places.shape[0], *a.shape[dim + 1 :])
    if source.shape != shape:
        raise RuntimeError(
            f"[{op}] source {source.shape} does not match array {a.shape} with "
            f"{places.shape[0]} indices along dim {dim}: expected {shape}"
        )
    return places.view(_spread_indices(places, dim, shape))


def grid_along(
    ops: OperationsBase, op: str, a: CudaArray, dim: int, index: CudaArray
) -> tuple[int, CudaArray]:
    """Check an index for every element along `dim`; return the dim from 0 and the index."""
    places = as_index(ops, op, a, index)
    dim = normalize_dim(dim, a.ndim, op)
    if not _fits(index, a, dim):
        raise RuntimeError(
            f"[{op}] index {index.shape} does not fit into the array {a.shape}: "
            f"same number of dims, and no larger except in dim {dim}"
        )
    return dim, places


def check_index_source(ops: OperationsBase, op: str, a: CudaArray, source: CudaArray) -> None:
    """Refuse a source of another dtype than the array's."""
    ops.check(op, source)
    if a.dtype is not source.dtype:
        raise DTypeError(
            f"[{op}] the array is {a.dtype.name} but the source is {source.dtype.name}: "
            "cast one of them first"
        )


def check_scatter(
    ops: OperationsBase, op: str, a: CudaArray, dim: int, index: CudaArray, source: CudaArray
) -> tuple[int, CudaArray]:
    """Check the operands of a scatter; return the dim from 0 and the places."""
    dim, places = grid_along(ops, op, a, dim, index)
    check_index_source(ops, op, a, source)
    if not _fits(index, source, None):
        raise RuntimeError(
            f"[{op}] index {index.shape} does not fit into the source {source.shape}: "
            "same number of dims, and no larger"
        )
    return dim, places


def _gather(
    ops: OperationsBase, op: str, a: CudaArray, dim: int, shape: Shape, places: CudaArray
) -> CudaArray:
    """Launch the kernel that gathers elements of `a` at `places` along `dim`."""
    given: Givens = (
        *size_and_step(a, dim),
        rest_of(a.layout, dim, shape),
        a.pointer,
        *walk(places),
    )
    explain = out_of_range(ops, op, a, dim, places)
    result = New(shape)
    return ops.compute("index", a.dtype, "gather", *given, result, explain=explain, stored=True)[0]


def add_at(
    ops: OperationsBase, op: str, a: CudaArray, dim: int, shape: Shape, places: CudaArray,
    source: CudaArray,
) -> CudaArray:  # fmt: skip
    """Copy of `a` with elements of `source` added where `places`, seen as `shape`, point."""
    check_determinism(op, a.dtype)
    dtype = ADDED_AS.get(a.dtype, a.dtype)
    out = ops.clone(a) if dtype is a.dtype else ops.cast(a, dtype)
    added = ops.cast(source, dtype)
    given: Givens = (*size_and_step(out, dim), rest_of(out.layout, dim, shape), out, *walk(places))
    given = (*given, coalesce_walk(shape, added.strides), added.pointer)
    explain = out_of_range(ops, op, a, dim, places)
    ops.compute("scatter", dtype, "scatter_add", *given, n=places.numel, explain=explain)
    return ops.cast(out, a.dtype)


def out_of_range(
    ops: OperationsBase, op: str, a: CudaArray, dim: int, places: CudaArray
) -> Explain:
    """Return what says that a kernel has found a place out of range along `dim`."""
    size = a.shape[dim] if a.ndim else 1
    return partial(_out_of_range, ops, op, dim, size, places)


def wrong_element(ops: OperationsBase, a: CudaArray, number: int, low: int, high: int) -> int | str:
    """Read the element that a kernel reported; "?" if it lies in low ... high - 1 by now."""
    value = int(ops.to_cpu(a).reshape(a.numel).select(0, number).item())
    return "?" if low <= value < high else value


def _out_of_range(
    ops: OperationsBase, op: str, dim: int, size: int, places: CudaArray, number: int
) -> Exception:
    """What to raise for an index that a kernel found out of range."""
    value = wrong_element(ops, places, number, 0, size)
    # As in PyTorch.
    kind = RuntimeError if op.startswith(("gather", "scatter")) else IndexError
    if size == 0:
        return kind(
            f"[{op}] index {value} is out of range for dim {dim} of size 0, which has nothing "
            "to choose: expected no indices"
        )
    return kind(
        f"[{op}] index {value} is out of range for dim {dim} of size {size}: "
        f"expected 0 to {size - 1}, negative ones do not count from the end"
    )


def _out_of_bounds(
    ops: OperationsBase, dim: int, size: int, places: CudaArray, number: int
) -> IndexError:
    """What to raise for an index of `ravel_multi_index` that its kernel found out of bounds."""
    value = wrong_element(ops, places, number, -size, size)
    return IndexError(
        f"[index] index {value} is out of bounds for dimension {dim} with size {size}"
    )


def _spread_indices(places: CudaArray, dim: int, shape: Shape) -> Layout:
    """Lay a list of indices along `dim` of a larger shape, the same for all other places."""
    sizes = tuple(places.shape[0] if d == dim else 1 for d in range(len(shape)))
    strides = tuple(places.strides[0] if d == dim else 0 for d in range(len(shape)))
    return broadcast_to(Layout(sizes, strides, places.offset), shape)


def size_and_step(a: CudaArray, dim: int) -> tuple[int, int]:
    """Return the size and the stride of a dim; a scalar has one element."""
    return (a.shape[dim], a.strides[dim]) if a.ndim else (1, 0)


def _fits(index: CudaArray, a: CudaArray, free_dim: int | None) -> bool:
    """Whether an index has the array's dims and is larger in none but `free_dim`."""
    return index.ndim == a.ndim and all(
        d == free_dim or x <= y for d, (x, y) in enumerate(zip(index.shape, a.shape, strict=True))
    )
