"""What all families of operations share: checks at the door, new arrays, copies, launches.

An operation is: check, let stage 1 say where the elements lie, make the output, launch one kernel.
A family is a class over this base; it calls the base and named functions, never another family.
With all of them it is what an array's `ops` must be, alone it is not: three times that is ignored.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import norch_cpu_ops as cpu
from norch_cpu_ops import DType, DTypeError
from norch_cuda.arrays.array import CudaArray, Number, Storage
from norch_cuda.arrays.promotion import computing_dtype, natural_dtype
from norch_cuda.launch.walks import NOTHING, Shape, row_major, walk
from norch_cuda.runtime.backend import (
    Argument,
    Backend,
    Dims,
    Explain,
    Pointer,
    Windows,
    pointer_to,
)
from norch_cuda.runtime.cupy_backend import CupyBackend
from norch_cuda.runtime.sources import ELEMENTS, KernelSource, family_source
from norch_strides import Layout, as_ints, reshape

_THREADS = 256
_WARP = 32
_AS_IS = frozenset({int, float, Layout, Pointer, Windows})  # what `compute` hands to the kernel


class New(NamedTuple):
    """Among the arguments of `compute`: a result, of the dtype of its operands if none is named."""

    shape: Shape
    dtype: DType | None = None


Given = Argument | CudaArray | New
Givens = tuple[Given, ...]


class OperationsBase:
    """The operations of one device; `backend` holds its memory and runs its kernels."""

    def __init__(self, backend: Backend) -> None:
        """Bind the operations to a device."""
        self.backend = backend

    @property
    def device(self) -> str:
        """Name of the device."""
        return self.backend.device

    # ---- checks ----

    def check(self, op: str, *arrays: object) -> None:
        """Refuse anything but arrays of this device."""
        for array in arrays:
            if isinstance(array, CudaArray) and array.ops is self:  # type: ignore[comparison-overlap]
                continue
            if not isinstance(array, (CudaArray, cpu.Array)):
                raise TypeError(f"[{op}] expected an array, got {type(array).__name__}")
            raise RuntimeError(
                f"[{op}] the arrays are on two devices, {self.device} and {array.device}: "
                "move one of them, with ops.from_cpu or ops.to_cpu"
            )

    def check_operands(self, op: str, *operands: object) -> None:
        """Refuse anything but arrays of this device and numbers, and numbers alone."""
        arrays = [x for x in operands if not isinstance(x, (bool, int, float))]
        if not arrays:
            raise TypeError(f"[{op}] expected at least one array, got Python numbers only")
        self.check(op, *arrays)

    def check_saved(self, op: str, grad: CudaArray, name: str, saved: CudaArray) -> None:
        """Refuse a gradient that is not of the shape and dtype of what the forward kept."""
        self.check(op, grad, saved)
        if not grad.alike(saved):
            raise RuntimeError(
                f"[{op}] grad is {grad.dtype.name} {grad.shape} but {name} {saved.dtype.name} "
                f"{saved.shape}: both must be alike"
            )

    def begin_write(self, op: str, array: CudaArray) -> None:
        """Check and announce an in-place operation: the version moves before the elements do."""
        self.check(op, array)
        if _is_stretched(array.layout):
            raise RuntimeError(
                f"[{op}] an array of shape {array.shape} and strides {array.strides} has "
                "elements that share their memory, and cannot be written: clone it first"
            )
        array.storage.version += 1

    # ---- new arrays ----

    def empty(self, shape: Sequence[int], dtype: DType) -> CudaArray:
        """Make an array with undefined elements."""
        return self.new(check_shape(shape), dtype)

    def new(self, shape: Shape, dtype: DType) -> CudaArray:
        """Make a row-major array with undefined elements; `empty` checks the shape first."""
        if dtype is cpu.int16:
            raise DTypeError("[to] int16 lies on the CPU alone: cast to int32 or int64 first")
        layout, count = row_major(shape)
        memory = self.backend.allocate(count * dtype.itemsize)
        return CudaArray(Storage(memory), layout, dtype, self)

    def new_full(self, shape: Shape, value: Number, dtype: DType) -> CudaArray:
        """Make an array of equal elements."""
        out = self.new(shape, dtype)
        self.fill(out, value)
        return out

    def fill(self, out: CudaArray, value: Number) -> None:
        """Write `value` everywhere, uncounted by the version."""
        if not (out.dtype.is_floating_point or value in (0, 1)):
            cpu.ops.full((), value, out.dtype)  # refuses what the dtype does not hold
        real = natural_dtype(value) is cpu.float32
        fits = not real or (value == value and abs(value) < 2.0**63)
        arguments = (float(value), int(value) if fits else 0, *walk(out))
        self.launch_elements("copy", out.dtype, "fill_kernel", out.numel, *arguments)

    # ---- copies ----

    def cast(self, a: CudaArray, dtype: DType) -> CudaArray:
        """Return the elements as another dtype; the array itself if it has that dtype."""
        self.check("cast", a)
        if a.dtype is dtype:
            return a
        out = self.new(a.shape, dtype)
        self.copy(out, a)
        return out

    def clone(self, a: CudaArray) -> CudaArray:
        """Make a row-major copy."""
        self.check("clone", a)
        out = self.new(a.shape, a.dtype)
        self.copy(out, a)
        return out

    def contiguous(self, a: CudaArray) -> CudaArray:
        """Return the array itself if it is row-major without gaps, else such a copy."""
        self.check("contiguous", a)
        return a if a.is_contiguous else self.clone(a)

    def new_pinned(self, shape: Shape, dtype: DType) -> cpu.Array:
        """Make an array of the host, in memory that the device reaches by itself: pinned.py."""
        nbytes = math.prod(shape) * dtype.itemsize
        if nbytes == 0:
            return cpu.ops.empty(shape, dtype)
        from norch_cuda.runtime.pinned import pinned_array  # here because few programs need it

        return pinned_array(self.backend.pin(nbytes), shape, dtype)

    def to_cpu(
        self, a: CudaArray, non_blocking: bool = False, out: cpu.Array | None = None
    ) -> cpu.Array:
        """Copy an array to the host, into `out` if given: row-major, of the same shape and dtype.

        It waits for the device, but for `non_blocking` copies to pinned memory, which a new array
        then lies in: the elements are there when the current stream has come past.
        """
        self.check("to_cpu", a)
        source = self.contiguous(a)
        if out is None:
            new = self.new_pinned if non_blocking else cpu.ops.empty
            out = new(source.shape, source.dtype)
        else:
            cpu.ops.fill_(out.view(((0,), (1,), 0)), 0)  # counts as a write, and is refused as one
        if out.nbytes:
            pinned = out if non_blocking and _is_pinned(out) else None
            start, memory = source.offset * source.itemsize, source.storage.memory
            self.backend.download(memory, start, out.data_ptr, out.nbytes, pinned)
        return out

    def from_cpu(self, a: cpu.Array, non_blocking: bool = False) -> CudaArray:
        """Copy an array of stage 2 to the device; the result is contiguous.

        `non_blocking` copies from contiguous pinned memory are left to the current stream.
        """
        if not isinstance(a, cpu.Array):
            raise TypeError(f"[from_cpu] expected an array on the CPU, got {type(a).__name__}")
        source = cpu.ops.contiguous(a)
        out = self.new(source.shape, source.dtype)
        if out.nbytes:
            pinned = source if non_blocking and _is_pinned(source) else None
            self.backend.upload(out.storage.memory, 0, source.data_ptr, out.nbytes, pinned)
        return out

    def as_cupy(self, a: CudaArray) -> Any:
        """Return CuPy's array of the same memory: what other libraries on a GPU understand."""
        self.check("as_cupy", a)
        if not isinstance(self.backend, CupyBackend):
            raise BufferError(
                f"[dlpack] the array is on {self.device}, which no other library knows"
            )
        if a.dtype.name == "bfloat16":
            raise BufferError("[dlpack] CuPy, which exports arrays of a GPU, has no bfloat16")
        return self.backend.as_cupy(a.pointer, a.layout, a.dtype.name, a.itemsize)

    def copy(self, out: CudaArray, a: CudaArray) -> None:
        """Write `a`, broadcast and cast, into `out`, uncounted by the version."""
        kernel = f"to_{out.dtype.name}_kernel"
        self.launch_elements("copy", a.dtype, kernel, out.numel, *walk(a, out.shape), *walk(out))

    def reshape(self, a: CudaArray, shape: Shape) -> CudaArray:
        """View an array with another shape of the same size; copy only if it must."""
        layout = reshape(a.layout, shape)
        return self.reshape(self.clone(a), shape) if layout is None else a.view(layout)

    # ---- launches ----

    def compute(
        self, family: str, dtype: DType, kernel: str, *given: Given, n: int | None = None,
        lines: tuple[int, int] | None = None, grid: tuple[Dims, Dims] | None = None,
        explain: Explain | None = None, stored: bool = False,
    ) -> list[CudaArray]:  # fmt: skip
        """Launch `<kernel>_kernel` on operands of `dtype`; make and return what is `New`.

        An array stands for its elements, row-major and cast if the kernel calculates in another
        dtype (`stored`: it only moves them); None for a null pointer. Threads share `n` elements,
        by default those of the first result; or blocks share lines: their number and length; or it
        has a grid of its own. What a kernel reports, its last argument, `explain` words.
        """
        computing = dtype if stored else computing_dtype(dtype)
        arguments, results = self._fill_in(given, dtype, computing)
        head: tuple[int, ...] = lines or ()
        if lines is not None:
            grid = share_lines(self.backend.num_blocks, *lines)
        elif grid is None:
            head = (results[0].numel if n is None else n,)
            grid = share_elements(self.backend.num_blocks, *head)
        if explain is not None:
            report = self.backend.new_report()
            arguments.append(report.pointer)
        if grid[0][0] > 0:
            source = source_of(family, computing)
            self.backend.launch(source, f"{kernel}_kernel", *grid, [*head, *arguments])
        if explain is not None:
            self.backend.when_run(report, explain)
        if computing is dtype:
            return results
        own = [x.dtype for x in given if isinstance(x, New)]
        return [a if t else self.cast(a, dtype) for a, t in zip(results, own, strict=True)]

    def _fill_in(
        self, given: Givens, dtype: DType, computing: DType
    ) -> tuple[list[Argument], list[CudaArray]]:
        """Return the arguments of `compute` as a kernel takes them, and the results among them."""
        arguments: list[Argument] = []
        results = []
        for x in given:
            if type(x) in _AS_IS:
                arguments.append(x)  # type: ignore[arg-type]
            elif isinstance(x, New):
                out = self.new(x.shape, x.dtype or computing)
                results.append(out)
                arguments.append(pointer_to((out.storage.memory, 0, "", None)))
            elif isinstance(x, CudaArray):
                if x.dtype is dtype is not computing:
                    x = self.cast(x, computing)
                arguments.append((x if x.is_contiguous else self.clone(x)).pointer)
            else:
                arguments.append(NOTHING if x is None else x)
        return arguments, results

    def computing(self, a: CudaArray) -> CudaArray:
        """Cast an array to the dtype that kernels calculate in: see `computing_dtype`."""
        return self.cast(a, computing_dtype(a.dtype))

    def launch_elements(
        self, family: str, dtype: DType, kernel: str, n: int, *arguments: Argument
    ) -> None:
        """Launch a kernel whose threads share `n` elements among them."""
        if n:
            grid = share_elements(self.backend.num_blocks, n)
            self.backend.launch(source_of(family, dtype), kernel, *grid, (n, *arguments))


@lru_cache(maxsize=1024)
def _is_stretched(layout: Layout) -> bool:
    """Whether several places of an array have one element."""
    return any(n > 1 and step == 0 for n, step in zip(layout.shape, layout.strides, strict=True))


def check_shape(shape: Sequence[int]) -> Shape:
    """Return the sizes of an array that is to be made; refuse negative ones."""
    sizes = as_ints(shape, "empty")
    if any(size < 0 for size in sizes):
        raise RuntimeError(f"[empty] shape {sizes} has a negative size")
    return sizes


@lru_cache(maxsize=1024)
def source_of(family: str, dtype: DType) -> KernelSource:
    """Find the kernels of a family for elements of a dtype."""
    return family_source(family, ELEMENTS[dtype.name])


@lru_cache(maxsize=1024)
def share_elements(num_blocks: int, n: int) -> tuple[Dims, Dims]:
    """Return the grid and the blocks whose threads share `n` elements."""
    return (min(num_blocks, -(-n // _THREADS)), 1, 1), (_THREADS, 1, 1)


@lru_cache(maxsize=1024)
def share_lines(num_blocks: int, lines: int, length: int, each: int = 1) -> tuple[Dims, Dims]:
    """Return the grid and the blocks that share lines of so many elements, `each` one of them."""
    threads = _WARP
    while threads < min(length, _THREADS):
        threads *= 2
    return (min(num_blocks, lines * each), 1, 1), (threads, 1, 1)


def _is_pinned(array: cpu.Array) -> bool:
    """Whether `to_cpu` and `from_cpu` can leave their copy to a stream: the CPU array is pinned."""
    from norch_cuda.runtime.pinned import is_pinned  # as above

    return is_pinned(array)
