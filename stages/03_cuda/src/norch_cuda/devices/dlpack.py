"""Arrays of other libraries on the same GPU, shared without a copy: CuPy's, Numba's, PyTorch's.

CuPy reads what they offer, DLPack or `__cuda_array_interface__`, and its array keeps the memory.
The way out is `CudaArray.__dlpack__`. Called by stage 4's `from_dlpack` and `as_tensor`.
"""

from __future__ import annotations

from typing import Any

import norch_cpu_ops
from norch_cuda.arrays.array import CudaArray, Storage
from norch_cuda.devices.device import ops_for
from norch_cuda.runtime.backend import Memory
from norch_cuda.runtime.sources import ELEMENTS
from norch_strides import Layout


def from_dlpack(exporter: Any) -> CudaArray:
    """Return an array over the memory of an object on a GPU; it is kept as long as the array."""
    ops_for("cuda")  # says what is missing, where there is no GPU or no CuPy
    import cupy

    if isinstance(exporter, cupy.ndarray):
        theirs = exporter
    elif hasattr(exporter, "__dlpack__"):
        theirs = cupy.from_dlpack(exporter)
    else:
        theirs = cupy.asarray(exporter)
    name, size = theirs.dtype.name, theirs.dtype.itemsize
    if name not in ELEMENTS:
        raise TypeError(f"[from_dlpack] dtype {name} is not one of {', '.join(ELEMENTS)}")
    if any(step % size for step in (theirs.data.ptr, *theirs.strides)):
        raise ValueError("[from_dlpack] the elements are not aligned to their size: copy the array")
    ops = ops_for(f"cuda:{theirs.device.id}")
    kind: norch_cpu_ops.DType = getattr(norch_cpu_ops, "bool_" if name == "bool" else name)
    if theirs.size == 0:
        return ops.empty(theirs.shape, kind)  # nothing to share, and strides may be anything
    steps = tuple(step // size for step in theirs.strides)
    reach = [(n - 1) * step for n, step in zip(theirs.shape, steps, strict=True)]
    before, after = -sum(r for r in reach if r < 0), sum(r for r in reach if r > 0)
    memory = Memory(theirs.data.ptr - before * size, (before + after + 1) * size, theirs)
    return CudaArray(Storage(memory), Layout(theirs.shape, steps, before), kind, ops)
