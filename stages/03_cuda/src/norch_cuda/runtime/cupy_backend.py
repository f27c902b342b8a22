"""The devices "cuda:0", "cuda:1", ...: memory, streams and launches by CuPy, nothing else of it.

CuPy is imported when a GPU is asked for, never before. nvrtc.py compiles the same .cu files at run
time, and a launch hands the driver the very array of argument addresses the simulator gets. What
CUDA answers with a number is said here in words.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from norch_cuda.runtime.arguments import pack
from norch_cuda.runtime.backend import Argument, Dims, Memory, Pointer
from norch_cuda.runtime.sources import KernelSource
from norch_strides import Layout

if TYPE_CHECKING:
    from norch_cuda.runtime.nvrtc import Image

_BLOCKS_PER_MULTIPROCESSOR = 16
_SHARED_UNASKED = 48 << 10  # bytes of dynamic shared memory that a block has without asking
# Answers of CUDA, the same numbers in both of its interfaces.
_INVALID_VALUE, _OUT_OF_MEMORY = 1, 2
_OLD_DRIVER = (222, 803)  # PTX of a later version, a library of a later version
_FAILED_KERNEL = range(700, 720)


class OutOfMemoryError(RuntimeError):
    """A GPU had no room for an array. Source: `torch.cuda.OutOfMemoryError`."""


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
        self._attributes = self._device.attributes
        self._errors = (cupy.cuda.driver.CUDADriverError, cupy.cuda.runtime.CUDARuntimeError)
        self.blocks_products = False  # not measured on a GPU
        self.num_blocks = self._attributes["MultiProcessorCount"] * _BLOCKS_PER_MULTIPROCESSOR
        self.used_bytes = 0  # what arrays occupy now, and the most they ever did: see memory.py
        self.peak_bytes = 0

    # ---- memory --------------------------------------------------------------------------

    def allocate(self, nbytes: int) -> Memory:
        """Take memory from CuPy's pool; it returns there when nobody holds it."""
        with self.current():
            try:
                pointer = self._cupy.cuda.alloc(max(1, nbytes))
            except self._cupy.cuda.memory.OutOfMemoryError:
                raise OutOfMemoryError(self._full(nbytes)) from None
        return Memory(int(pointer.ptr), nbytes, _Allocation(self, pointer, nbytes))

    def _full(self, nbytes: int) -> str:
        free, total = self._cupy.cuda.runtime.memGetInfo()
        asked, used, rest, whole = (
            f"{number / 2**20:,.1f} MiB" for number in (nbytes, self.used_bytes, free, total)
        )
        return (
            f"[{self.device}] no room for {asked}: of {whole}, arrays of this process occupy "
            f"{used}, and {rest} are free, not always in one piece; take a smaller batch, "
            "or drop tensors that are not needed and call norch.cuda.empty_cache()"
        )

    def reserved_bytes(self) -> int:
        """Return how many bytes CuPy's pool holds, in use or kept for later."""
        with self.current():
            return int(self._cupy.get_default_memory_pool().total_bytes())

    def release_cached(self) -> None:
        """Give what the pool keeps for later back to the driver."""
        with self.current():
            self._cupy.get_default_memory_pool().free_all_blocks()

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
        with self.current():
            stream = self._cupy.cuda.get_current_stream()
            runtime.memcpyAsync(target, source, nbytes, direction, stream.ptr)
            stream.synchronize()

    def synchronize(self) -> None:
        """Wait for the current stream."""
        with self.current():
            self._cupy.cuda.get_current_stream().synchronize()

    def when_run(self, check: Callable[[], None]) -> None:
        """Check what the launches so far have left; waits for the device."""
        check()

    # ---- arrays of CuPy, for other libraries -------------------------------------------------

    def as_cupy(self, pointer: Pointer, layout: Layout, dtype: str, itemsize: int) -> Any:
        """Return CuPy's array of the same memory, which it keeps."""
        memory: Any = pointer.memory
        owner = self._cupy.cuda.UnownedMemory(
            memory.address, memory.nbytes, memory.owner, self._device.id
        )
        start = self._cupy.cuda.MemoryPointer(owner, pointer.offset_bytes)
        steps = tuple(step * itemsize for step in layout.strides)
        return self._cupy.ndarray(layout.shape, dtype, start, steps)

    def cublas_matmul(self, left: Any, right: Any, out: Any) -> None:
        """Write left @ right into out, by NVIDIA's own library; all are arrays of CuPy."""
        try:
            from cupy.cublas import gemm
        except ImportError as error:
            raise RuntimeError(
                "[matmul] cuBLAS is not installed: python -m pip install nvidia-cublas-cu12 (CUDA "
                "13: nvidia-cublas)"
            ) from error
        with self.current():
            gemm("N", "N", left, right, out)

    # ---- kernels -----------------------------------------------------------------------------

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
        if dynamic_shared < 0:
            raise ValueError(f"[{kernel}] dynamic_shared is {dynamic_shared}: expected bytes")
        with self.current():
            image, function = self._function(source, kernel)
            packed = pack(kernel, image.signatures[kernel], arguments)
            stream = self._cupy.cuda.get_current_stream()
            addresses = ctypes.addressof(packed.addresses)
            try:
                self._cupy.cuda.driver.launchKernel(
                    function.ptr, *grid, *block, dynamic_shared, stream.ptr, addresses, 0
                )
            except self._errors as error:
                if error.status != _INVALID_VALUE:
                    raise
                raise RuntimeError(
                    f"[{kernel}] the GPU cannot start a grid of {grid} blocks of {block} threads "
                    f"with {dynamic_shared} bytes of dynamic shared memory: a block has at most "
                    "1024 threads, 64 of them in z; a grid at most 65535 blocks in y and in z; "
                    f"shared memory beyond {_SHARED_UNASKED} bytes must be asked for "
                    "(max_dynamic_shared)"
                ) from None

    @lru_cache(maxsize=1024)  # noqa: B019 - backends live as long as the process
    def _function(self, source: KernelSource, kernel: str) -> tuple[Image, Any]:
        if kernel not in source.kernels:
            known = ", ".join(source.kernels) or "none"
            raise RuntimeError(f"[{kernel}] no such kernel; there are {known}")
        image, module = self._module(source)
        function = module.get_function(image.names[kernel])
        asked = source.max_dynamic_shared
        if asked > _SHARED_UNASKED:
            most = self._attributes["MaxSharedMemoryPerBlockOptin"]
            if asked > most:
                raise RuntimeError(
                    f"[{kernel}] max_dynamic_shared is {asked} bytes: a block of {self.device} "
                    f"has at most {most}"
                )
            driver = self._cupy.cuda.driver
            which = driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            driver.funcSetAttribute(function.ptr, which, asked)
        return image, function

    @lru_cache(maxsize=512)  # noqa: B019 - backends live as long as the process
    def _module(self, source: KernelSource) -> tuple[Image, Any]:
        from norch_cuda.runtime.nvrtc import image_of  # here because it is slow: hashlib, tempfile

        image = image_of(source, int(self._device.compute_capability))
        module = self._cupy.cuda.function.Module()
        module.load(image.code)
        return image, module

    def symbol(self, source: KernelSource, name: str) -> Memory:
        """Find a variable of a text in the memory of the GPU."""
        with self.current():
            image, module = self._module(source)
            if name not in image.names:
                known = ", ".join(n for n in image.names if n not in image.signatures) or "none"
                raise RuntimeError(
                    f"[{name}] is no __constant__ or __device__ variable of "
                    f"{Path(source.file).name}; there are: {known}"
                )
            driver = self._cupy.cuda.driver
            address, nbytes = driver.moduleGetGlobal(module.ptr, image.names[name])
        return Memory(int(address), int(nbytes), module)

    # ---- CUDA's answers ----------------------------------------------------------------------

    @contextmanager
    def current(self) -> Iterator[None]:
        """Make this GPU the current one; say in words what CUDA answers with a number.

        CuPy leaves a GPU alone that has the right number already; a new thread begins with number
        0, but without the context that the driver wants: `use` makes one.
        """
        try:
            with self._device:
                self._device.use()
                yield
        except self._errors as error:
            if error.status == _OUT_OF_MEMORY:
                raise OutOfMemoryError(self._full(0)) from error
            raise RuntimeError(f"[{self.device}] {error}{_advice(error.status)}") from error


def _advice(status: int) -> str:
    """What to do about an answer of CUDA."""
    if status in _OLD_DRIVER:
        return ": the NVIDIA driver is older than NVRTC; update it, or install an older NVRTC"
    if status in _FAILED_KERNEL:
        return (
            ": a kernel has failed, and this process can use the GPU no more; run it on device "
            "'cuda-sim' under norch.cuda.simulator(check=True), which names the line"
        )
    return ""
