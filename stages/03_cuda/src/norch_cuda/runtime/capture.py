"""Work that is kept instead of run: what a CUDA graph is made of.

Between `begin` and `end` a backend hands what it is asked to do to the capture of the thread. The
memory that this names is kept with it, so a replay finds it where it was. The simulator's capture
is here, a GPU's in cupy_backend.py; devices/graphs.py is for users.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any


class GraphPool:
    """Where graphs take the memory of their arrays from; `memory` is the GPU's, made at first use.

    Graphs that share one are captured one after the other, and must be replayed in that order.
    """

    memory: Any = None


@dataclass(eq=False, slots=True)
class Capture:
    """The work of one device, in order; each step holds the memory that it names."""

    device: str
    steps: list[Callable[[], None]] = field(default_factory=list)

    def end(self) -> None:
        """Finish the capture; a GPU makes its graph now."""

    def replay(self) -> None:
        """Do the work again, in the same memory."""
        for step in self.steps:
            step()


# What a thread captures now. A launch reads it here: a call is what small launches feel.
capturing: ContextVar[Capture | None] = ContextVar("capture", default=None)


def current_capture(device: str | None = None) -> Capture | None:
    """Return what this thread captures now, on `device` if one is named."""
    capture = capturing.get()
    return None if capture is None or device not in (None, capture.device) else capture


def begin(make: Callable[[GraphPool], Capture], pool: GraphPool) -> Capture:
    """Let the thread keep what is launched on a device from now on; `make` is the backend's."""
    if capturing.get() is not None:
        raise RuntimeError("[CUDAGraph] this thread captures a graph already: end that one first")
    capture = make(pool)
    capturing.set(capture)
    return capture


def end() -> None:
    """Let a backend run launches again, instead of keeping them."""
    capture = capturing.get()
    capturing.set(None)
    if capture is not None:
        capture.end()


def when_run(device: str, check: Callable[[], None]) -> None:
    """Let a backend's check of what launches have left run now, or at each replay of a capture."""
    capture = current_capture(device)
    if capture is None:
        check()
    else:
        capture.steps.append(check)


# What waits, in the words of `refuse_waiting`.
UPLOADING = "copying from the host (but from contiguous pinned memory with non_blocking=True)"
DOWNLOADING = "reading a result, by item(), tolist() or a copy to the host,"


def refuse_waiting(device: str, what: str) -> None:
    """Raise inside a capture on the device: nothing has run, so there is nothing to wait for."""
    if current_capture(device) is not None:
        raise RuntimeError(
            f"[{device}] {what} is not permitted while a graph is captured: what was launched has "
            "not run yet; do it before the capture or after a replay"
        )


def refuse_changing(op: str, what: str) -> None:
    """Raise inside a capture: a replay would use the same host number again."""
    if current_capture() is not None:
        raise RuntimeError(
            f"[{op}] cannot be captured in a graph: {what} is a number of the host, and every "
            "replay would use the captured one; do it outside of the graph"
        )
