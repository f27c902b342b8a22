"""The devices "cuda:0", "cuda:1", ...: memory, streams and compilation by CuPy, nothing else of it.

CuPy is imported when a GPU is asked for, never before. It compiles the same .cu files at run time
(NVRTC), and a launch hands the driver the very array of argument addresses the simulator gets.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import lru_cache
from threading import RLock
from typing import Any

from norch_cuda.runtime.arguments import pack
from norch_cuda.runtime.backend import Argument, Dims, Memory, Pointer, Windows
from norch_cuda.runtime.sources import KernelSource, source_directory
from norch_strides import Layout

# Stage 2 rounds each multiplication and addition; where bits must agree, so does the GPU.
_WITHOUT_FMA = frozenset({"random"})
_BLOCKS_PER_MULTIPROCESSOR = 16


class _Allocation:
    """Memory of CuPy's pool, counted while it lives."""

    __slots__ = ("backend", "nbytes", "pointer")
    _lock = RLock()  # one that the thread may hold already, should the collector call __del__

    def __init__(self, backend: CupyBackend, pointer: object, nbytes: int) -> None:
        self.backend, self.pointer, self.nbytes = backend, pointer, nbytes
        with self._lock:
            backend.used_bytes += nbytes
            backend.peak_bytes = max(backend.peak_bytes, backend.used_bytes)

    def __del__(self) -> None:
        with self._lock:
            self.backend.used_bytes -= self.nbytes


class CupyBackend:
    """The backend of one GPU."""

    def __init__(self, cupy: Any, index: int) -> None:
        """Bind to GPU number `index`; `cupy` is the imported module."""
        self.device = f"cuda:{index}"
        self._cupy = cupy
        self._device = cupy.cuda.Device(index)
        processors = self._device.attributes["MultiProcessorCount"]
        self.num_blocks = int(processors) * _BLOCKS_PER_MULTIPROCESSOR
        self.used_bytes = 0  # what arrays occupy now, and the most they ever did: see memory.py
        self.peak_bytes = 0

    def allocate(self, nbytes: int) -> Memory:
        """Take memory from CuPy's pool; it returns there when nobody holds it."""
        with self._device:
            pointer = self._cupy.cuda.alloc(max(1, nbytes))
        return Memory(int(pointer.ptr), nbytes, _Allocation(self, pointer, nbytes))

    def reserved_bytes(self) -> int:
        """Return how many bytes CuPy's pool holds, in use or kept for later."""
        with self._device:
            return int(self._cupy.get_default_memory_pool().total_bytes())

    def upload(self, memory: Memory, offset: int, source: int, nbytes: int) -> None:
        """Copy from the host, after everything launched before."""
        self._copy(
            memory.address + offset, source, nbytes, self._cupy.cuda.runtime.memcpyHostToDevice
        )

    def download(self, memory: Memory, offset: int, target: int, nbytes: int) -> None:
        """Copy to the host, after everything launched before."""
        self._copy(
            target, memory.address + offset, nbytes, self._cupy.cuda.runtime.memcpyDeviceToHost
        )

    def _copy(self, target: int, source: int, nbytes: int, direction: int) -> None:
        runtime = self._cupy.cuda.runtime
        with self._device:
            stream = self._cupy.cuda.get_current_stream()
            runtime.memcpyAsync(target, source, nbytes, direction, stream.ptr)
            stream.synchronize()

    def synchronize(self) -> None:
        """Wait for the current stream."""
        with self._device:
            self._cupy.cuda.get_current_stream().synchronize()

    def cublas_matmul(
        self, dtype: str, sizes: Dims, left: Pointer, right: Pointer, out: Pointer
    ) -> None:
        """Write left (m, k) @ right (k, n) into out, by NVIDIA's own library; all contiguous."""
        m, k, n = sizes
        with self._device:
            a = self._as_cupy(left, (m, k), dtype)
            b = self._as_cupy(right, (k, n), dtype)
            self._cupy.matmul(a, b, out=self._as_cupy(out, (m, n), dtype))

    def _as_cupy(self, pointer: Pointer, shape: tuple[int, int], dtype: str) -> Any:
        """Return CuPy's array of the same memory."""
        memory: Any = pointer.memory
        start = memory.owner.pointer + pointer.offset_bytes
        return self._cupy.ndarray(shape, dtype=dtype, memptr=start)

    def launch(
        self,
        source: KernelSource,
        kernel: str,
        grid: Dims,
        block: Dims,
        arguments: Sequence[Argument],
        dynamic_shared: int = 0,
    ) -> None:
        """Start a kernel on the current stream."""
        packed = pack(kernel, [_parameter(a) for a in arguments], arguments)
        with self._device:
            function = self._function(source, kernel)
            stream = self._cupy.cuda.get_current_stream()
            addresses = ctypes.addressof(packed.addresses)
            self._cupy.cuda.driver.launchKernel(
                function.ptr, *grid, *block, dynamic_shared, stream.ptr, addresses, 0
            )

    @lru_cache(maxsize=1024)  # noqa: B019 - backends live as long as the process
    def _function(self, source: KernelSource, kernel: str) -> Any:
        return self._module(source).get_function(kernel).kernel

    @lru_cache(maxsize=512)  # noqa: B019 - backends live as long as the process
    def _module(self, source: KernelSource) -> Any:
        options = ["-std=c++17", f"-I{source_directory()}"]
        if source.family in _WITHOUT_FMA:
            options.append("--fmad=false")
        return self._cupy.RawModule(code=source.typed_text, options=tuple(options))


def _parameter(argument: Argument) -> str:
    """What the shipped kernels declare for a value: see csrc/signature.h."""
    kinds = {Pointer: "Pv", Layout: " S", Windows: " W", float: " d"}
    return kinds.get(type(argument), " q")
