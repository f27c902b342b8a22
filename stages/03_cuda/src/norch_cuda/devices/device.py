"""Names of devices: which there are, and the operations of each. Never replaces one by another."""

from __future__ import annotations

import re
from functools import lru_cache
from types import ModuleType
from typing import Any

from norch_cuda.operations import Operations
from norch_cuda.runtime.cupy_backend import CupyBackend
from norch_cuda.runtime.simulator_backend import SimulatorBackend

_NAME = re.compile(r"cuda(?::(\d+))?")


def _import_cupy() -> ModuleType | None:
    try:
        import cupy
    except ImportError:
        return None
    return cupy


def _has_nvidia_driver() -> bool:
    """Whether the machine looks as if it had an NVIDIA GPU, CuPy or not."""
    from ctypes.util import find_library
    from pathlib import Path

    return find_library("cuda") is not None or Path("/proc/driver/nvidia").exists()


def device_count() -> int:
    """Return how many GPUs can be used: those CuPy sees, 0 without CuPy."""
    cupy = _import_cupy()
    if cupy is None:
        return 0
    try:
        return int(cupy.cuda.runtime.getDeviceCount())
    except cupy.cuda.runtime.CUDARuntimeError:
        return 0


def is_available() -> bool:
    """Whether "cuda" can be used: a GPU, its driver and CuPy are there."""
    return device_count() > 0


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether "cuda" computes with bfloat16: any GPU does, in float32 between load and store."""
    return is_available()


def gpu_library() -> Any:
    """Return CuPy for what only a GPU can do; RuntimeError where there is no GPU."""
    _check_gpu("cuda", 0)
    return _import_cupy()


def gpu_index(device: str | int | None = None) -> int:
    """Return the number of a GPU: of "cuda:1" or 1 it is 1; of None and "cuda", the current one."""
    if device is None:
        index = current_device()
    elif isinstance(device, int):
        index = device
    else:
        match = _NAME.fullmatch(str(device))
        if match is None:
            raise ValueError(f"[device] {device!r} is no GPU: expected 'cuda', 'cuda:0' or 0")
        index = current_device() if match[1] is None else int(match[1])
    _check_gpu(f"cuda:{index}", index)
    return index


def current_device() -> int:
    """Return the number of the GPU that "cuda" means."""
    return int(gpu_library().cuda.runtime.getDevice())


def set_device(device: str | int) -> None:
    """Choose the GPU that "cuda" means from now on, in this thread."""
    gpu_library().cuda.Device(gpu_index(device)).use()


def get_device_name(device: str | int | None = None) -> str:
    """Return what a GPU is called."""
    properties = gpu_library().cuda.runtime.getDeviceProperties(gpu_index(device))
    return str(properties["name"].decode())


def ops_for(device: str) -> Operations:
    """Return the operations of "cuda-sim", "cuda" (the current GPU) or "cuda:<number>"."""
    if device == "cuda-sim":
        return _simulator()
    match = _NAME.fullmatch(device) if isinstance(device, str) else None
    if match is None:
        raise RuntimeError(
            f"[device] {device!r} is no CUDA device: expected 'cuda', 'cuda:0' or 'cuda-sim'"
        )
    _check_gpu(device, int(match[1] or 0))
    return _gpu(current_device() if match[1] is None else int(match[1]))


def _check_gpu(device: str, index: int) -> None:
    if _import_cupy() is None and _has_nvidia_driver():
        raise RuntimeError(
            f"[device] {device!r} needs CuPy, which is not installed: pip install 'norch[cuda12]'; "
            "or choose device 'cuda-sim', which simulates a GPU on the CPU"
        )
    count = device_count()
    if count == 0:
        raise RuntimeError(
            f"[device] {device!r} was asked for, but this machine has no CUDA GPU to use; "
            "choose device 'cuda-sim', which runs the same kernels on the CPU (slowly), or 'cpu'"
        )
    if index >= count:
        raise RuntimeError(
            f"[device] {device!r} was asked for, but there are {count} GPUs: "
            f"'cuda:0' to 'cuda:{count - 1}'"
        )


@lru_cache(maxsize=1)
def _simulator() -> Operations:
    return Operations(SimulatorBackend())


@lru_cache(maxsize=64)
def _gpu(index: int) -> Operations:
    return Operations(CupyBackend(_import_cupy(), index))
