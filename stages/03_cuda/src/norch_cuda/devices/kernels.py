"""Any kernel of any .cu text, ready to be called: what the lessons and the tests use.

The operations do not need this; it is for reading, changing and breaking kernels one at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from norch_cuda.arrays.array import CudaArray
from norch_cuda.devices.device import ops_for
from norch_cuda.operations import Operations
from norch_cuda.runtime.backend import Argument, Dims
from norch_cuda.runtime.sources import ELEMENTS, KernelSource
from norch_strides import Layout


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
        *arguments: CudaArray | int | float | Layout,
        dynamic_shared: int = 0,
    ) -> None:
        """Run `grid` blocks of `block` threads; dynamic_shared is in bytes."""
        values: list[Argument] = [a.pointer if isinstance(a, CudaArray) else a for a in arguments]
        backend = self.ops.backend
        backend.launch(self.source, self.name, _dims(grid), _dims(block), values, dynamic_shared)


def load_kernel(
    source: str | Path, name: str, device: str = "cuda-sim", element: str = "float32"
) -> Kernel:
    """Return the kernel `name` of a .cu text or file; `T` in it stands for the dtype `element`."""
    if element not in ELEMENTS:
        raise TypeError(f"[load_kernel] element {element!r}: expected one of {', '.join(ELEMENTS)}")
    file = str(source) if isinstance(source, Path) else "kernel.cu"
    text = source.read_text(encoding="utf-8") if isinstance(source, Path) else source
    return Kernel(ops_for(device), KernelSource(text, file, ELEMENTS[element], watched=True), name)


def _dims(size: int | Sequence[int]) -> Dims:
    sizes = (size,) if isinstance(size, int) else tuple(size)
    if not 1 <= len(sizes) <= 3 or any(s < 1 for s in sizes):
        raise ValueError(f"[launch] size {sizes}: expected one to three numbers, each at least 1")
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z
