"""A captured graph of a GPU: CUDA keeps the work of a stream, and launches it as one.

CUDA bakes addresses into a graph, so the memory must stay: arrays made in the capture come from a
pool of the graph's own, and others that a launch names are held. cupy_backend.py begins captures.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any, Protocol

from norch_cuda.runtime.backend import Memory
from norch_cuda.runtime.capture import Capture, GraphPool
from norch_cuda.runtime.cupy_memory import DeviceMemory


class Gpu(Protocol):
    """What a capture asks of cupy_backend.py."""

    device: str
    memory: DeviceMemory

    def current(self) -> AbstractContextManager[None]:
        """Make the GPU the current one."""

    def stream(self) -> Any:
        """CuPy's current stream."""


class StreamCapture(Capture):
    """What a stream of a GPU is given between `begin` and `end`, as CUDA's own graph."""

    def __init__(self, gpu: Gpu, pool: GraphPool) -> None:
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
