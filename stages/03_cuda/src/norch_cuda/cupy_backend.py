"""The devices "cuda:0", "cuda:1", ...: memory, streams and compilation by CuPy, nothing else of it.

CuPy is imported when a GPU is asked for, never before. It compiles the same .cu files at run time
(NVRTC), and a launch hands the driver the very array of argument addresses the simulator gets.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from norch_cuda.backend import Argument, Dims, Memory, pack
from norch_cuda.sources import KernelSource, source_directory

# Stage 2 rounds each multiplication and addition; where bits must agree, so does the GPU.
_WITHOUT_FMA = frozenset({"random"})
_BLOCKS_PER_MULTIPROCESSOR = 16


class CupyBackend:
    """The backend of one GPU."""

    def __init__(self, cupy: Any, index: int) -> None:
        """Bind to GPU number `index`; `cupy` is the imported module."""
        self.device = f"cuda:{index}"
        self._cupy = cupy
        self._device = cupy.cuda.Device(index)
        processors = self._device.attributes["MultiProcessorCount"]
        self.num_blocks = int(processors) * _BLOCKS_PER_MULTIPROCESSOR
        self.peak_bytes = 0  # the most that the pool ever had in use; see memory.py

    def allocate(self, nbytes: int) -> Memory:
        """Take memory from CuPy's pool; it returns there when nobody holds it."""
        with self._device:
            owner = self._cupy.cuda.alloc(max(1, nbytes))
        self.peak_bytes = max(self.peak_bytes, self.pool_bytes()[0])
        return Memory(int(owner.ptr), nbytes, owner)

    def pool_bytes(self) -> tuple[int, int]:
        """Return how many bytes of CuPy's pool are in use, and how many it holds."""
        with self._device:
            pool = self._cupy.get_default_memory_pool()
            return int(pool.used_bytes()), int(pool.total_bytes())

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
        packed = pack(arguments)
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
