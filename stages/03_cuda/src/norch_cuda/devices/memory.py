"""How much memory of a GPU is in use, under PyTorch's names.

Memory comes from CuPy's pool, which keeps what is freed for the next array. As in PyTorch, a
machine without a GPU uses 0 bytes and has nothing to empty: no error, so that scripts run anywhere.
"""

from __future__ import annotations

from norch_cuda.devices.device import device_count, gpu_backend, gpus_in_use


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
