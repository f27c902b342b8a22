"""The devices "cuda:0", "cuda:1", ...: copies, streams and launches by CuPy, nothing else of it.

CuPy is imported when a GPU is asked for, never before. nvrtc.py compiles the same .cu files at run
time, and a launch hands the driver the very array of argument addresses the simulator gets. What
CUDA answers with a number is said here in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from norch_cuda.runtime.arguments import Packer
from norch_cuda.runtime.backend import (
    Argument,
    Dims,
    Explain,
    Memory,
    OutOfMemoryError,
    Pointer,
    memories_in,
)
from norch_cuda.runtime.capture import (
    DOWNLOADING,
    UPLOADING,
    Capture,
    GraphPool,
    capturing,
    refuse_waiting,
    when_run,
)
from norch_cuda.runtime.reports import Report, Reports
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
_CAPTURING = range(900, 909)


class CupyBackend:
    """The backend of one GPU."""

    def __init__(self, cupy: Any, index: int) -> None:
        """Bind to GPU number `index`; `cupy` is the imported module."""
        self.device = f"cuda:{index}"
        self._cupy = cupy
        self._device, driver = cupy.cuda.Device(index), cupy.cuda.driver
        self._attributes = self._device.attributes
        # What each operation calls, found once.
        self._start, self._current_context = driver.launchKernel, driver.ctxGetCurrent
        self._current_stream = cupy.cuda.get_current_stream
        self._context = 0  # of this GPU, which is current if it is the thread's; 0: not used yet
        self._errors = (cupy.cuda.driver.CUDADriverError, cupy.cuda.runtime.CUDARuntimeError)
        processors = self._attributes["MultiProcessorCount"]
        self.num_blocks = processors * _BLOCKS_PER_MULTIPROCESSOR
        self.large_tiles_from = 2 * processors  # as many as run at once
        # Here, as below, because only a GPU needs it: `import norch` is to load little.
        from norch_cuda.runtime.cupy_memory import DeviceMemory

        self.memory = DeviceMemory(cupy, self.device)
        self._reports = Reports(self._new_reports, self.synchronize_all)

    # ---- memory --------------------------------------------------------------------------

    def allocate(self, nbytes: int) -> Memory:
        """Take memory from a pool; it returns there when nobody holds it."""
        capture: Any = capturing.get()
        pool = capture.pool if capture is not None and capture.device == self.device else None
        if self._current_context() == self._context != 0:
            return self.memory.allocate(nbytes, pool)
        with self.current():
            return self.memory.allocate(nbytes, pool)

    def pin(self, nbytes: int) -> Any:
        """Take memory of the host from CuPy's pool of what the driver has pinned."""
        with self.current():
            self.memory.let_go()
            return self._cupy.cuda.alloc_pinned_memory(nbytes)

    def upload(
        self, memory: Memory, offset: int, source: int, nbytes: int, pinned: object = None
    ) -> None:
        """Copy from the host, after everything launched before."""
        if pinned is None:
            refuse_waiting(self.device, UPLOADING)
        kind = self._cupy.cuda.runtime.memcpyHostToDevice
        self._copy(memory.address + offset, source, nbytes, kind, memory, pinned)

    def download(
        self, memory: Memory, offset: int, target: int, nbytes: int, pinned: object = None
    ) -> None:
        """Copy to the host, after everything launched before."""
        if pinned is None:
            refuse_waiting(self.device, DOWNLOADING)
        kind = self._cupy.cuda.runtime.memcpyDeviceToHost
        self._copy(target, memory.address + offset, nbytes, kind, memory, pinned)

    def _copy(
        self, target: int, source: int, nbytes: int, kind: int, memory: Memory, pinned: object
    ) -> None:
        """Copy bytes in the current stream; wait for it unless the host's memory is pinned."""
        capture = self._capture()
        with self.current():
            stream = self.stream()
            self._cupy.cuda.runtime.memcpyAsync(target, source, nbytes, kind, stream.ptr)
            if pinned is None:
                stream.synchronize()
                self.raise_reported(stream.ptr)
            elif capture is None:
                self.memory.hold(pinned, stream)
            else:
                capture.keep([memory, Memory(0, 0, pinned)])

    def stream(self) -> Any:
        """Return CuPy's current stream, which launches and copies go to."""
        return self._cupy.cuda.get_current_stream()

    def has_tensor_cores_for(self, dtype: str) -> bool:
        """Tell the halves that this GPU multiplies so, if CUDA's header for it is installed."""
        least = {"float16": 70, "bfloat16": 80}.get(dtype)
        if least is None or int(self._device.compute_capability) < least:
            return False
        from norch_cuda.runtime.nvrtc import has_header  # here because it is slow

        return has_header("mma.h")

    def synchronize(self) -> None:
        """Wait for the current stream."""
        refuse_waiting(self.device, "synchronizing")
        with self.current():
            stream = self.stream()
            stream.synchronize()
        self.raise_reported(stream.ptr)

    def new_report(self) -> Report:
        """Return a report in pinned memory."""
        return self._reports.new()

    def synchronize_all(self) -> None:
        """Wait for all streams."""
        with self.current():
            self._device.synchronize()
        self.raise_reported(None)

    def when_run(self, report: Any, explain: Explain) -> None:
        """Read a report where the host waits next; one of a capture after each replay."""
        when_run(self.device, partial(self._defer, report, explain))

    def _defer(self, report: Report, explain: Explain) -> None:
        """Leave a report for the next wait."""
        self._reports.defer(report, explain, self.stream().ptr)

    def _new_reports(self, nbytes: int) -> Memory:
        """Pinned memory, which has the same address for the host and for the GPU."""
        pinned = self.pin(nbytes)
        return Memory(int(pinned.ptr), nbytes, pinned)

    def raise_reported(self, stream: int | None) -> None:
        """Raise what kernels have reported; all in `stream` (None: in all streams) have run."""
        self._reports.read(stream)

    def begin_capture(self, pool: GraphPool) -> StreamCapture:
        """Let the current stream keep what it is given, for a graph."""

        return StreamCapture(self, pool)

    def _capture(self) -> StreamCapture | None:
        """What this thread captures of this GPU."""
        capture: Any = capturing.get()
        return capture if capture is not None and capture.device == self.device else None

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

    @lru_cache(maxsize=64)  # noqa: B019 - backends live as long as the process
    def has_cublas(self) -> bool:
        """Whether CuPy finds NVIDIA's library of matrix products."""
        try:
            import_module("cupy.cublas")
        except ImportError:
            return False
        return True

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
        if not self._current_context() == self._context != 0:
            with self.current():
                return self.launch(source, kernel, grid, block, arguments, dynamic_shared)
        try:
            function, packer = self._function(source, kernel)
            packed = packer.pack(arguments)
            capture: Any = capturing.get()
            if capture is not None and capture.device == self.device:
                capture.keep(memory for *_, memory in memories_in(arguments))
            self._start(
                function, *grid, *block, dynamic_shared, self._current_stream().ptr,
                packed.start, 0,
            )  # fmt: skip
            packer.take_back(packed)
        except self._errors as error:
            if error.status != _INVALID_VALUE:
                raise self._in_words(error) from error
            raise RuntimeError(
                f"[{kernel}] the GPU cannot start a grid of {grid} blocks of {block} threads "
                f"with {dynamic_shared} bytes of dynamic shared memory: a block has at most "
                "1024 threads, 64 of them in z; a grid at most 65535 blocks in y and in z; "
                f"shared memory beyond {_SHARED_UNASKED} bytes must be asked for "
                "(max_dynamic_shared)"
            ) from None

    @lru_cache(maxsize=1024)  # noqa: B019 - backends live as long as the process
    def _function(self, source: KernelSource, kernel: str) -> tuple[int, Packer]:
        """Find a kernel in its loaded module, with the shared memory that it asks for."""
        image, module = self._module(source)
        if kernel not in image.signatures:
            known = ", ".join(image.signatures) or "none"
            raise RuntimeError(f"[{kernel}] no such kernel; there are {known}")
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
        return int(function.ptr), Packer(kernel, image.signatures[kernel])

    @lru_cache(maxsize=512)  # noqa: B019 - backends live as long as the process
    def _module(self, source: KernelSource) -> tuple[Image, Any]:
        """Compile a text and load it on this GPU."""
        from norch_cuda.runtime.nvrtc import image_of  # here because it is slow: hashlib, tempfile

        image = image_of(source, int(self._device.compute_capability))
        module = self._cupy.cuda.function.Module()
        module.load(image.code)
        return image, module

    def symbol(self, source: KernelSource, name: str) -> Memory:
        """Find a variable of a text in the memory of the GPU."""
        with self.current():
            image, module = self._module(source)
            if name not in image.sizes:
                known = ", ".join(image.sizes) or "none"
                raise RuntimeError(
                    f"[{name}] is no __constant__ or __device__ variable of "
                    f"{Path(source.file).name}; there are: {known}"
                )
            address = self._cupy.cuda.driver.moduleGetGlobal(module.ptr, image.names[name])
        return Memory(int(address), image.sizes[name], module)

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
                self._context = self._context or self._current_context()
                yield
        except self._errors as error:
            raise self._in_words(error) from error

    def _in_words(self, error: Any) -> RuntimeError:
        """Say what CUDA has answered."""
        if error.status == _OUT_OF_MEMORY:
            return OutOfMemoryError(self.memory.full(0))
        return RuntimeError(f"[{self.device}] {error}{_advice(error.status)}")


class StreamCapture(Capture):
    """What a stream of a GPU is given between `begin` and `end`, as CUDA's own graph.

    CUDA bakes addresses into a graph, so the memory must stay: arrays made in the capture come from
    a pool of the graph's own, and others that a launch names are held.
    """

    def __init__(self, gpu: CupyBackend, pool: GraphPool) -> None:
        """Begin: from now on the stream keeps what it is given.

        CUDA's mode is the relaxed one: the others refuse the growth of a pool, by any thread.
        """
        super().__init__(gpu.device)
        self._gpu, self._graph = gpu, None
        self.pool = pool
        self._kept: dict[int, Any] = {}
        self._replayed_in: dict[int, Any] = {}
        with gpu.current():
            self._stream = gpu.stream()
            if self._stream.ptr in (0, 1):
                raise RuntimeError(
                    "[CUDAGraph] the default stream cannot be captured: use norch.cuda.graph(g), "
                    "or capture inside norch.cuda.stream(norch.cuda.Stream())"
                )
            if self._stream.is_capturing():
                raise RuntimeError(
                    "[CUDAGraph] another thread captures in this stream: take one of your own, "
                    "norch.cuda.graph(g, stream=norch.cuda.Stream())"
                )
            gpu.memory.open_graph_pool(pool)
            self._stream.begin_capture()

    def keep(self, memories: Iterable[Memory | None]) -> None:
        """Hold memory that the graph reads or writes, unless it is the graph's own."""
        for memory in memories:
            if memory is not None and getattr(memory.owner, "pool", None) is not self.pool.memory:
                self._kept[id(memory.owner)] = memory.owner

    def __del__(self) -> None:
        """Leave what a replay under way still copies from or to: pinned memory of the host."""
        pinned = [owner for owner in self._kept.values() if not hasattr(owner, "record_stream")]
        if pinned and self._replayed_in:
            self._gpu.memory.leave(pinned, list(self._replayed_in.values()))

    def end(self) -> None:
        """Let CUDA make a graph of what it kept; it refuses one that an error has spoiled."""
        with self._gpu.current():
            self._graph = self._stream.end_capture()

    def replay(self) -> None:
        """Launch the graph in the current stream; then check what its kernels cannot raise."""
        graph: Any = self._graph
        with self._gpu.current():
            stream = self._gpu.stream()
            graph.launch(stream)
        if stream.ptr not in self._replayed_in:
            self._replayed_in[stream.ptr] = stream
            for owner in self._kept.values():
                if hasattr(owner, "record_stream"):
                    owner.record_stream(stream)
        super().replay()


def _advice(status: int) -> str:
    """What to do about an answer of CUDA."""
    if status in _OLD_DRIVER:
        return ": the NVIDIA driver is older than NVRTC; update it, or install an older NVRTC"
    if status in _FAILED_KERNEL:
        return (
            ": a kernel has failed, and this process can use the GPU no more; run it on device "
            "'cuda-sim' under norch.cuda.simulator(check=True), which names the line"
        )
    if status in _CAPTURING:
        return (
            ": while a graph is captured nothing runs, so nothing can be waited for, and only "
            "streams that its own stream has led in by an event take part"
        )
    return ""
