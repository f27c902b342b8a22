"""CUDA graphs under PyTorch's names: work that is captured once and replayed in the same memory.

On "cuda-sim" a capture keeps every launch with its arguments and runs it at each replay. A
GPU's own graphs are not used yet. Nothing here knows of tensors; for those see stage 5.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from norch_cuda.devices.device import ops_for
from norch_cuda.runtime import capture
from norch_cuda.runtime.capture import Capture


class CUDAGraph:
    """Captured work of a device; it keeps all memory that the work names.

    Arrays made during the capture are filled by `replay`, not before. Numbers of the host are
    captured as they are, so what would change them (a seed, a count of steps) raises.

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
        self._device = ops_for(device).device
        if self._device != "cuda-sim":
            raise NotImplementedError(
                f"[CUDAGraph] graphs of {self._device} are not written: capture on 'cuda-sim', "
                "or launch without a graph"
            )
        self._captured: Capture | None = None
        self._capturing = False

    def capture_begin(self, pool: object = None, capture_error_mode: str = "global") -> None:
        """Keep what this thread launches from now on, instead of running it.

        `pool` and `capture_error_mode` change nothing: a graph has memory of its own.
        """
        if self._captured is not None:
            raise RuntimeError(
                "[CUDAGraph] this graph is captured already: make another one, or reset() it"
            )
        self._captured, self._capturing = capture.begin(self._device), True

    def capture_end(self) -> None:
        """Let launches run again; what was captured can be replayed."""
        if not self._capturing:
            raise RuntimeError("[CUDAGraph] capture_end() without capture_begin()")
        if capture.current_capture() is not self._captured:
            raise RuntimeError("[CUDAGraph] another thread began this capture: end it there")
        capture.end()
        self._capturing = False

    def replay(self) -> None:
        """Do the captured work again: same kernels, same arguments, same memory."""
        if self._captured is None or self._capturing:
            raise RuntimeError(
                "[CUDAGraph] replay() without a finished capture: call it after capture_end()"
            )
        capture.refuse_waiting(self._device, "replaying a graph")
        self._captured.replay()

    def reset(self) -> None:
        """Forget what was captured, and let go of its memory; a capture under way ends."""
        if self._capturing:
            self.capture_end()
        self._captured = None

    def pool(self) -> tuple[int, int]:
        """Return a name of the graph's memory, which `capture_begin` takes."""
        return id(self), 0


@contextmanager
def graph(
    cuda_graph: CUDAGraph,
    pool: object = None,
    stream: object = None,
    capture_error_mode: str = "global",
) -> Iterator[None]:
    """Capture what the block launches; if the block raises, nothing is kept.

    `stream` changes nothing on the simulator, which has none.
    """
    cuda_graph.capture_begin(pool, capture_error_mode)
    try:
        yield
    except BaseException:
        cuda_graph.reset()
        raise
    cuda_graph.capture_end()


def is_current_stream_capturing() -> bool:
    """Whether this thread captures a graph."""
    return capture.current_capture() is not None
