"""Streams and events of a GPU, under PyTorch's names: work in order, and marks in that order.

Thin wrappers around CuPy's; every one of them needs a GPU and says so where there is none. The
simulator has no streams: a launch returns when the kernel has run.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from norch_cuda.devices.device import gpu_backend, gpu_index, gpu_library

_NO_STREAM = -1  # a mark says nothing of what comes behind it in its stream
_STREAMS = 32  # that a GPU has of each priority; PyTorch's number


@cache
def _numbers(index: int, priority: int) -> Iterator[int]:
    """The numbers of the `Stream`s of a CUDA device, in turn."""
    return itertools.cycle(range(_STREAMS))


@cache
def _driver_stream(index: int, priority: int, number: int) -> Any:
    """What a `Stream` of a CUDA device wraps: CuPy's stream of a number, never destroyed.

    The pool keeps memory for a stream by its address. Another stream of the same address would get
    what kernels of the first one still use.
    """
    with gpu_backend(index).current():
        return gpu_library().cuda.Stream(non_blocking=True, priority=priority)


class Stream:
    """A queue of work: what is in one stream runs in order, two streams run side by side.

    A GPU has 32 of each priority, given out in turn, as in PyTorch.
    """

    def __init__(self, device: str | int | None = None, priority: int = 0) -> None:
        """Take the next stream of a GPU; a lower priority number goes first."""
        self._index = gpu_index(device)
        self._stream = _driver_stream(self._index, priority, next(_numbers(self._index, priority)))

    @classmethod
    def _of(cls, stream: Any, index: int) -> Stream:
        """Wrap a stream of CuPy, as one that a user sees."""
        found = cls.__new__(cls)
        found._stream, found._index = stream, index
        return found

    @property
    def device(self) -> str:
        """Name of the stream's GPU."""
        return f"cuda:{self._index}"

    @property
    def cuda_stream(self) -> int:
        """The driver's handle."""
        return int(self._stream.ptr)

    def synchronize(self) -> None:
        """Wait until everything in the stream has run."""
        backend = gpu_backend(self._index)
        with backend.current():
            self._stream.synchronize()
        backend.raise_reported(self._stream.ptr)

    def query(self) -> bool:
        """Whether everything in the stream has run."""
        with gpu_backend(self._index).current():
            return bool(self._stream.done)

    def record_event(self, event: Event | None = None) -> Event:
        """Put a mark behind everything in the stream so far."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """Let the work that comes next wait for a mark, which may be in another stream."""
        if event._event is not None:
            with gpu_backend(self._index).current():
                self._stream.wait_event(event._event)

    def wait_stream(self, stream: Stream) -> None:
        """Let the work that comes next wait for all that is in another stream now."""
        self.wait_event(stream.record_event())

    def __repr__(self) -> str:
        """Show the GPU and the driver's handle."""
        return f"Stream(device='{self.device}', cuda_stream={self.cuda_stream:#x})"


class Event:
    """A mark in a stream; with `enable_timing` two of them measure the time between.

    It belongs to the GPU whose stream it is first placed in. Until then there is nothing to wait
    for.
    """

    def __init__(self, enable_timing: bool = False, blocking: bool = False) -> None:
        """Make a mark; `record` places it."""
        self._cupy = gpu_library()
        self._timed, self._blocking = enable_timing, blocking
        self._event: Any = None
        self._index = -1

    def record(self, stream: Stream | None = None) -> None:
        """Place the mark behind everything in the stream (None: the current one) so far."""
        stream = stream or current_stream()
        if self._event is not None and self._index != stream._index:
            raise RuntimeError(
                f"[Event] the event belongs to cuda:{self._index} and the stream to "
                f"{stream.device}: record another event there"
            )
        self._index = stream._index
        with gpu_backend(self._index).current():
            if self._event is None:
                self._event = self._cupy.cuda.Event(
                    block=self._blocking, disable_timing=not self._timed
                )
            self._event.record(stream._stream)

    def wait(self, stream: Stream | None = None) -> None:
        """Let a stream (None: the current one) wait for the mark."""
        (stream or current_stream()).wait_event(self)

    def synchronize(self) -> None:
        """Wait until the mark is reached."""
        if self._event is not None:
            backend = gpu_backend(self._index)
            with backend.current():
                self._event.synchronize()
            backend.raise_reported(_NO_STREAM)

    def query(self) -> bool:
        """Whether the mark is reached."""
        if self._event is None:
            return True
        with gpu_backend(self._index).current():
            return bool(self._event.done)

    def elapsed_time(self, end_event: Event) -> float:
        """Return the milliseconds from this mark to another; both must be reached."""
        if not (self._timed and end_event._timed):
            raise RuntimeError("[Event] both events need enable_timing=True to measure time")
        if not (self._event and end_event._event and self.query() and end_event.query()):
            raise RuntimeError(
                "[Event] both events must be recorded and reached: synchronize first"
            )
        return float(self._cupy.cuda.get_elapsed_time(self._event, end_event._event))


def capture_stream(device: str) -> Stream:
    """Return the stream of a GPU that graphs are captured in: none of those that it gives out."""
    index = gpu_index(device)
    return Stream._of(_driver_stream(index, 0, _STREAMS), index)


def current_stream(device: str | int | None = None) -> Stream:
    """Return the stream that launches go to now."""
    cupy, index = gpu_library(), gpu_index(device)
    with gpu_backend(index).current():
        return Stream._of(cupy.cuda.get_current_stream(), index)


def default_stream(device: str | int | None = None) -> Stream:
    """Return the stream that launches go to if no other is chosen."""
    return Stream._of(gpu_library().cuda.Stream.null, gpu_index(device))


@contextmanager
def stream(stream: Stream | None) -> Iterator[None]:
    """Send the launches of the block to a stream; None changes nothing."""
    if stream is None:
        yield
        return
    with gpu_library().cuda.Device(stream._index), stream._stream:
        yield  # what the block raises is its own


def synchronize(device: str | int | None = None) -> None:
    """Wait until everything on a GPU has run, in all streams."""
    gpu_backend(device).synchronize_all()
