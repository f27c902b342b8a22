"""What kernels have found wrong. A kernel cannot raise: it writes into the report of its launch.

A report is one whole number, 0 until a kernel makes it 1 + the number of a wrong element. It lies
in memory that the host reads without a copy; the backends supply that memory. The simulator raises
as soon as the launch returns, a GPU where the host waits next: `Reports` keeps what is unread.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable

from norch_cuda.runtime.backend import Explain, Memory, Pointer
from norch_cuda.runtime.capture import capturing

_COUNT = 256  # reports of one piece of memory
_BYTES = 8  # of one report

Place = tuple[Pointer, ctypes.c_longlong]  # a report for the device, and for the host


class Report:
    """The report of one launch: `pointer` is an argument of its kernel."""

    __slots__ = ("_free", "_number", "pointer")

    def __init__(self, free: deque[Place]) -> None:
        """Take a place that is free (IndexError: none is); it goes back when nobody holds it."""
        self.pointer, self._number = free.pop()
        self._free = free

    def __del__(self) -> None:
        if not hasattr(self, "_free"):
            return  # there was no place for it
        self._number.value = 0
        self._free.append((self.pointer, self._number))

    def take(self) -> int:
        """Return what a kernel has reported, 1 + the number of an element, and empty the report."""
        found, self._number.value = self._number.value, 0
        return found

    def read(self, explain: Explain) -> None:
        """Raise what a kernel has reported."""
        if found := self.take():
            raise explain(found - 1)


class Reports:
    """The reports of one device."""

    def __init__(self, allocate: Callable[[int], Memory], wait: Callable[[], None]) -> None:
        """Take memory by `allocate`, which both sides reach; `wait` waits until all has run."""
        self._allocate, self._wait = allocate, wait
        self._free: deque[Place] = deque()
        self._unread: deque[tuple[Report, Explain, int]] = deque()
        self._is_reading = False

    def new(self) -> Report:
        """Return an empty report; when none is free, wait for the launches that hold them."""
        if not self._free and self._unread and capturing.get() is None:
            self._wait()
        while True:  # another thread may take what this one has made
            try:
                return Report(self._free)
            except IndexError:
                self._add_places()

    def _add_places(self) -> None:
        """Make room for further reports."""
        memory = self._allocate(_COUNT * _BYTES)
        ctypes.memset(memory.address, 0, memory.nbytes)
        for start in range(0, memory.nbytes, _BYTES):
            number = ctypes.c_longlong.from_address(memory.address + start)
            extent = (start, start + _BYTES)
            self._free.append((Pointer(memory, start, extent=extent), number))

    def defer(self, report: Report, explain: Explain, stream: int) -> None:
        """Read a report of a launch in `stream` at a later wait."""
        self._unread.append((report, explain, stream))

    def read(self, stream: int | None) -> None:
        """Raise the first that has been reported; what is in `stream` (None: anywhere) has run.

        Others may follow from it, and are dropped. For its words an error may want to read the
        device, which waits and comes here again.
        """
        if self._is_reading:
            return
        self._is_reading = True
        try:
            if (error := self._first_error(stream)) is not None:
                raise error
        finally:
            self._is_reading = False

    def _first_error(self, stream: int | None) -> Exception | None:
        """Forget the reports that are complete; return what the first one says."""
        error = None
        for _ in range(len(self._unread)):
            report, explain, home = self._unread.popleft()
            found = report.take()
            if found and error is None:
                error = explain(found - 1)
            elif not found and stream not in (None, home):
                self._unread.append((report, explain, home))
        return None if error is None else type(error)(f"{error} ({_LATER})")


_LATER = "found by an operation before this one: a GPU's errors are told at the next wait"
