"""Names of devices: which there are, and the operations of each. Never replaces one by another."""

from __future__ import annotations

import re
from ctypes import CDLL
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from norch_cuda.operations import Operations
from norch_cuda.runtime.cupy_backend import CupyBackend
from norch_cuda.runtime.simulator_backend import SimulatorBackend

_NAME = re.compile(r"cuda(?::(\d+))?")


_INSTALL = "python -m pip install 'norch[cuda12]' (or 'norch[cuda13]')"
_NO_GPU, _OLD_DRIVER = 100, 35  # cudaErrorNoDevice, cudaErrorInsufficientDriver


def _import_cupy() -> Any:
    """Return CuPy, without which no device is called "cuda"; None where it is not installed."""
    try:
        import cupy
    except ModuleNotFoundError:
        return None
    return cupy


def _has_nvidia_driver() -> bool:
    """Whether an NVIDIA driver is here: then a missing CuPy may be why no device is found.

    The driver is opened by its name: `ctypes.util.find_library` would run a compiler to find it.
    """
    try:
        CDLL("libcuda.so.1")
    except OSError:
        return Path("/proc/driver/nvidia").exists()
    return True


def device_count() -> int:
    """Return how many GPUs can be used: those CuPy sees, 0 without CuPy."""
    cupy = _import_cupy()
    if cupy is None:
        return 0
    try:
        return int(cupy.cuda.runtime.getDeviceCount())
    except cupy.cuda.runtime.CUDARuntimeError:
        return 0


def _why_no_gpu() -> str:
    """Say what `device_count` found instead of a GPU."""
    cupy, none = _import_cupy(), "this machine has no CUDA GPU to use"
    if cupy is None:
        return f"CuPy is not installed: {_INSTALL}" if _has_nvidia_driver() else none
    runtime = cupy.cuda.runtime
    try:
        runtime.getDeviceCount()
    except runtime.CUDARuntimeError as error:
        driver = runtime.driverGetVersion()
        if error.status == _OLD_DRIVER and driver:
            return (
                f"the NVIDIA driver is too old: it is made for CUDA {_version(driver)}, and CuPy "
                f"for CUDA {_version(runtime.runtimeGetVersion())}; update the driver"
            )
        if driver and error.status != _NO_GPU:
            return f"CUDA answers {error}"
    return none


def _version(number: int) -> str:
    """Write a CUDA version, 12040, as people do, 12.4, in the message that no device is found."""
    return f"{number // 1000}.{number % 1000 // 10}"


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
    """Refuse the name of a CUDA device, "cuda:1", that this machine has not, and say why."""
    count = device_count()
    if count == 0:
        raise RuntimeError(
            f"[device] {device!r} was asked for, but {_why_no_gpu()}; choose device 'cuda-sim', "
            "which runs the same kernels on the CPU (slowly), or 'cpu'"
        )
    if index >= count:
        raise RuntimeError(
            f"[device] {device!r} was asked for, but there are {count} GPUs: "
            f"'cuda:0' to 'cuda:{count - 1}'"
        )


@lru_cache(maxsize=1)
def _simulator() -> Operations:
    """Return the operations of the device "cuda-sim", made once."""
    return Operations(SimulatorBackend())


_gpus: dict[int, Operations] = {}  # those in use: one object for each GPU, which counts its memory
_making = Lock()


def _gpu(index: int) -> Operations:
    """Return the operations of the device "cuda:<index>", made once by any thread."""
    with _making:
        if index not in _gpus:
            _gpus[index] = Operations(CupyBackend(_import_cupy(), index))
        return _gpus[index]


def gpu_backend(device: str | int | None = None) -> CupyBackend:
    """Return what runs a CUDA device: its number or name as `gpu_index` takes it."""
    ops: Any = ops_for(f"cuda:{gpu_index(device)}")
    backend: CupyBackend = ops.backend
    return backend


def gpus_in_use() -> tuple[int, ...]:
    """Return the numbers of the devices "cuda:0" ... that this process has touched."""
    return tuple(_gpus)
