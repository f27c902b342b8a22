"""CUDA graphs under PyTorch's names: work that is captured once and replayed in the same memory.

On a GPU they are CUDA's own graphs, of what a stream was given; on "cuda-sim" a capture keeps every
launch with its arguments and runs it at each replay. Nothing here knows of tensors; for those see
stage 5.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress

from norch_cuda.devices.device import ops_for
from norch_cuda.devices.streams import Stream, capture_stream, stream as use_stream
from norch_cuda.runtime import capture
from norch_cuda.runtime.capture import Capture, GraphPool


class CUDAGraph:
    """Captured work of a device; it keeps all memory that the work names.

    Arrays made during the capture are filled by `replay`, not before. Numbers of the host are
    captured as they are, so what would change them (a seed, a count of steps) raises. What kernels
    of a replay find wrong (an index, a class) is raised as that of other launches: on a GPU where
    the host waits next.

    >>> ops = norch_cuda.ops_for("cuda-sim")
    >>> x = ops.from_list([1., 2.])
    >>> g = norch_cuda.CUDAGraph(device="cuda-sim")
    >>> with norch_cuda.graph(g):
    ...     y = ops.mul(x, 10.)
    >>> ops.fill(x, 3.); g.replay(); y.tolist()
    [30.0, 30.0]
    """

    def __init__(self, *, device: str = "cuda") -> None:
        """Bind an empty graph to a device."""
        self._backend = ops_for(device).backend
        self._captured: Capture | None = None
        self._capturing = False
        self._pool = GraphPool()

    @property
    def device(self) -> str:
        """Name of the device."""
        return self._backend.device

    def capture_begin(
        self, pool: GraphPool | None = None, capture_error_mode: str = "global"
    ) -> None:
        """Keep what this thread launches from now on, in the current stream, instead of running it.

        `pool` is another graph's `pool()`, to share its memory; on the simulator a graph has memory
        of its own. CUDA is always asked for its "relaxed" mode, whatever `capture_error_mode` says:
        the others refuse any growth of a pool. What cannot be captured is refused here.
        """
        modes = ("global", "thread_local", "relaxed")
        if capture_error_mode not in modes:
            raise RuntimeError(
                f"[CUDAGraph] capture_error_mode is {capture_error_mode!r}: expected one of {modes}"
            )
        if not isinstance(pool, GraphPool | None):
            raise TypeError("[CUDAGraph] pool: expected what another graph's pool() returned")
        if self._captured is not None:
            raise RuntimeError(
                "[CUDAGraph] this graph is captured already: make another one, or reset() it"
            )
        self._pool = self._pool if pool is None else pool
        self._captured = capture.begin(self._backend.begin_capture, self._pool)
        self._capturing = True

    def capture_end(self) -> None:
        """Let launches run again; what was captured can be replayed."""
        if not self._capturing:
            raise RuntimeError("[CUDAGraph] capture_end() without capture_begin()")
        if capture.current_capture() is not self._captured:
            raise RuntimeError("[CUDAGraph] another thread began this capture: end it there")
        self._capturing = False
        try:
            capture.end()
        except BaseException:
            self.reset()  # CUDA has no graph for it
            raise

    def replay(self) -> None:
        """Do the captured work again: same kernels, same arguments, same memory.

        On a GPU it goes to the current stream, and runs when its turn comes.
        """
        if self._captured is None or self._capturing:
            raise RuntimeError(
                "[CUDAGraph] replay() without a finished capture: call it after capture_end()"
            )
        capture.refuse_waiting(self.device, "replaying a graph")
        self._captured.replay()

    def reset(self) -> None:
        """Forget what was captured, and let go of its memory; a capture under way ends."""
        if self._capturing:
            self.capture_end()
        self._captured, self._pool = None, GraphPool()

    def pool(self) -> GraphPool:
        """Return the graph's memory, which another graph's `capture_begin` takes."""
        return self._pool


def graph_pool_handle() -> GraphPool:
    """Return memory for CUDA graphs that are captured with it as their `pool`, to be shared."""
    return GraphPool()


@contextmanager
def graph(
    cuda_graph: CUDAGraph,
    pool: GraphPool | None = None,
    stream: Stream | None = None,
    capture_error_mode: str = "global",
) -> Iterator[None]:
    """Capture what the block launches on a CUDA device; if the block raises, nothing is kept.

    On a GPU the block runs in `stream`, None: in one that the GPU keeps for it, as the default
    stream cannot be captured. The simulator has no streams.
    """
    with _stream_for(cuda_graph.device, stream):
        cuda_graph.capture_begin(pool, capture_error_mode)
        try:
            yield
        except BaseException:
            with suppress(RuntimeError):  # the error says more than that it spoiled the capture
                cuda_graph.reset()
            raise
        cuda_graph.capture_end()


def _stream_for(device: str, stream: Stream | None) -> AbstractContextManager[None]:
    """Choose the stream of a CUDA device in which a CUDA graph's work is captured."""
    if device == "cuda-sim":
        return nullcontext()
    return use_stream(capture_stream(device) if stream is None else stream)


def is_current_stream_capturing() -> bool:
    """Whether this thread captures a CUDA graph."""
    return capture.current_capture() is not None
