"""Work that is kept instead of run: what a CUDA graph is made of.

Between `begin` and `end` a backend hands its launches to the capture of the thread. The memory they
name is kept with them, so a replay finds it where it was. devices/graphs.py is for users.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass(eq=False, slots=True)
class Capture:
    """The work of one device, in order; each step holds the memory that it names."""

    device: str
    steps: list[Callable[[], None]] = field(default_factory=list)

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


def begin(device: str) -> Capture:
    """Let the thread keep what is launched on a device from now on."""
    if capturing.get() is not None:
        raise RuntimeError("[CUDAGraph] this thread captures a graph already: end that one first")
    capture = Capture(device)
    capturing.set(capture)
    return capture


def end() -> None:
    """Let launches run again."""
    capturing.set(None)


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
