"""Any kernel of any .cu text, ready to be called: what the lessons and the tests use.

The operations do not need this; it is for reading, changing and breaking kernels one at a time.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import norch_cpu_ops
import norch_strides as strides
from norch_cuda.arrays.array import CudaArray, Storage
from norch_cuda.devices.device import ops_for
from norch_cuda.operations import Operations
from norch_cuda.runtime.backend import Argument, Dims, Pointer
from norch_cuda.runtime.sources import ELEMENTS, KernelSource, insert_headers, kernel_expression


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel on a device; call it with a grid, a block and its arguments."""

    ops: Operations
    source: KernelSource
    name: str

    def __call__(
        self,
        grid: int | Sequence[int],
        block: int | Sequence[int],
        *arguments: CudaArray | Argument,
        dynamic_shared: int = 0,
    ) -> None:
        """Run `grid` blocks of `block` threads; dynamic_shared is in bytes.

        Numbers become what the kernel declares; an array of another dtype than its pointer is an
        error. None is a null pointer, a tuple a vector such as float4.
        """
        values = [_argument(a) for a in arguments]
        backend, name = self.ops.backend, self.source.expression or self.name
        backend.launch(self.source, name, _dims(grid), _dims(block), values, dynamic_shared)

    def get_global(self, name: str, dtype: str = "float32") -> CudaArray:
        """Return a `__constant__` or `__device__` variable of the text as an array.

        Writing to it is what cudaMemcpyToSymbol does. All kernels of one text share its variables.
        """
        if dtype not in ELEMENTS:
            raise TypeError(f"[get_global] dtype {dtype!r}: expected one of {', '.join(ELEMENTS)}")
        memory = self.ops.backend.symbol(self.source, name)
        kind: norch_cpu_ops.DType = getattr(norch_cpu_ops, "bool_" if dtype == "bool" else dtype)
        line = strides.contiguous((memory.nbytes // kind.itemsize,))
        return CudaArray(Storage(memory), line, kind, self.ops)


def load_kernel(
    source: str | Path,
    name: str,
    device: str = "cuda-sim",
    element: str = "float32",
    max_dynamic_shared: int = 48 * 1024,
) -> Kernel:
    """Return the kernel `name` of a .cu text or file; `T` in it stands for the dtype `element`.

    A file, given as a Path, may include headers that lie beside it: `#include "mine.h"`.

    An instance of a template is named as in C++, `scale<float, 4>`, one of several overloads by its
    parameters, `scale(float*, int)`. More than 48 KB of `extern __shared__` memory must be asked
    for, as in CUDA: max_dynamic_shared, at most 232448.
    """
    if element not in ELEMENTS:
        raise TypeError(f"[load_kernel] element {element!r}: expected one of {', '.join(ELEMENTS)}")
    source = source.resolve() if isinstance(source, Path) else source
    file = str(source) if isinstance(source, Path) else "kernel.cu"
    own_text = source.read_text(encoding="utf-8") if isinstance(source, Path) else source
    text = insert_headers(own_text, source) if isinstance(source, Path) else source
    expression = kernel_expression(text, file, name)
    kernel_source = KernelSource(
        text, file, ELEMENTS[element], True, expression, max_dynamic_shared, own_text
    )
    return Kernel(ops_for(device), kernel_source, name)


def _argument(value: CudaArray | Argument) -> Argument:
    """What a launch takes for an argument of `load_kernel`'s kernel: for an array its pointer."""
    if isinstance(value, CudaArray):
        pointer = value.pointer
        return Pointer(pointer.memory, pointer.offset_bytes, value.dtype.name, _extent(value))
    return value


def _extent(array: CudaArray) -> tuple[int, int]:
    """From the first to past the last byte of an array that `load_kernel`'s kernel is given."""
    steps = [(n - 1) * stride for n, stride in zip(array.shape, array.layout.strides, strict=True)]
    first = array.layout.offset + sum(step for step in steps if step < 0)
    last = array.layout.offset + sum(step for step in steps if step > 0)
    size = array.dtype.itemsize
    return (first * size, (last + 1) * size) if array.numel else (0, 0)


def _dims(size: int | Sequence[int]) -> Dims:
    """Check the grid or block that a user calls `load_kernel`'s kernel with; return three sizes."""
    given = size if isinstance(size, Sequence) else (size,)
    try:
        sizes = tuple(operator.index(s) for s in given)
    except TypeError:
        raise TypeError(
            f"[launch] size {size!r}: expected a whole number, or one to three of them"
        ) from None
    if not 1 <= len(sizes) <= 3 or any(s < 1 for s in sizes):
        raise ValueError(f"[launch] size {sizes}: expected one to three numbers, each at least 1")
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z
