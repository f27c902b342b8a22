"""Memory of a GPU and of the host: how much is in use, what is pinned, which streams use it.

Memory comes from CuPy's pool, which keeps what is freed for the next array. As in PyTorch, a
machine without a GPU uses 0 bytes and has nothing to empty: no error, so that scripts run anywhere.
"""

from __future__ import annotations

from typing import Any

import norch_cpu_ops as cpu
from norch_cuda.arrays.array import CudaArray
from norch_cuda.devices.device import device_count, gpu_backend, gpus_in_use, ops_for
from norch_cuda.devices.streams import Stream


def memory_allocated(device: str | int | None = None) -> int:
    """Return the bytes that arrays occupy now."""
    return memory_stats(device)["allocated_bytes.all.current"]


def max_memory_allocated(device: str | int | None = None) -> int:
    """Return the most bytes that arrays occupied at once since the last reset."""
    return memory_stats(device)["allocated_bytes.all.peak"]


def memory_reserved(device: str | int | None = None) -> int:
    """Return the bytes the pool holds, in use or kept for later."""
    return memory_stats(device)["reserved_bytes.all.current"]


def memory_stats(device: str | int | None = None) -> dict[str, int]:
    """Return all these numbers under the names PyTorch gives them."""
    names = ("allocated_bytes.all.current", "allocated_bytes.all.peak")
    if device_count() == 0:
        return dict.fromkeys((*names, "reserved_bytes.all.current"), 0)
    backend = gpu_backend(device)
    with backend.current():
        reserved = backend.memory.reserved_bytes()
    numbers = (backend.memory.used_bytes, backend.memory.peak_bytes, reserved)
    return dict(zip((*names, "reserved_bytes.all.current"), numbers, strict=True))


def reset_peak_memory_stats(device: str | int | None = None) -> None:
    """Let max_memory_allocated begin anew, from what is in use now."""
    if device_count():
        memory = gpu_backend(device).memory
        memory.peak_bytes = memory.used_bytes


def empty_cache() -> None:
    """Give the memory that the pools of all GPUs keep for later back to the driver."""
    for index in gpus_in_use():
        backend = gpu_backend(index)
        with backend.current():
            backend.memory.release_cached()


def pin(array: cpu.Array) -> cpu.Array:
    """Copy an array of the CPU to pinned memory, where a CUDA device copies from by itself.

    Without a GPU it is the simulator's, which is ordinary memory.
    """
    if not isinstance(array, cpu.Array):
        raise RuntimeError(
            f"[pin_memory] the tensor is on {array.device}, and only memory of the host can be "
            "pinned: take a tensor on the CPU"
        )
    out = ops_for("cuda" if device_count() else "cuda-sim").new_pinned(array.shape, array.dtype)
    cpu.ops.copy_(out, array)
    return out


def record_stream(array: CudaArray, stream: Stream) -> None:
    """Let the memory of an array, once nobody holds it, wait for what a stream was given by then.

    Without it the memory is given out again in the order of the stream that made the array.
    """
    if not isinstance(stream, Stream):
        raise TypeError(
            f"[record_stream] the stream is a {type(stream).__name__}: expected a norch.cuda.Stream"
        )
    if not isinstance(array, CudaArray) or array.device != stream.device:
        raise RuntimeError(
            f"[record_stream] the tensor is on {array.device} and the stream of {stream.device}: "
            "expected both on one GPU"
        )
    owner: Any = array.storage.memory.owner
    if not hasattr(owner, "record_stream"):
        raise RuntimeError(
            "[record_stream] the memory is another library's, or a variable of a kernel's text: "
            "expected norch's own; keep the tensor until the stream has used it, or clone() it"
        )
    owner.record_stream(stream._stream)
