"""What a program asks of a device: its launches by kernel, its allocations, and where it waits.

`counted` listens at the door that all operations go through, `ops.backend`, so the counts are those
of the device "cuda-sim" and of a GPU alike. A wait is a copy that the host waits for, or
`synchronize`.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field

import norch_cuda


@dataclass
class Counts:
    """What has been counted so far; `launches` by the name of the kernel."""

    launches: Counter[str] = field(default_factory=Counter)
    allocations: int = 0
    uploads: int = 0
    downloads: int = 0
    waits: int = 0

    @property
    def num_launches(self):
        """All launches together."""
        return self.launches.total()


@contextmanager
def counted(device):
    """Count what a device is asked for in the block."""
    backend, counts = norch_cuda.ops_for(device).backend, Counts()
    real = {name: getattr(backend, name) for name in _COUNT}

    def listening(name):
        def listen(*arguments, **options):
            _COUNT[name](counts, *arguments, **options)
            return real[name](*arguments, **options)

        return listen

    for name in real:
        setattr(backend, name, listening(name))  # hides the method of the class
    try:
        yield counts
    finally:
        for name in real:
            delattr(backend, name)


def _launch(counts, source, kernel, *_, **__):
    counts.launches[kernel] += 1


def _allocate(counts, nbytes):
    counts.allocations += 1


def _upload(counts, memory, offset, source, nbytes, pinned=None):
    counts.uploads += 1
    counts.waits += pinned is None


def _download(counts, memory, offset, target, nbytes, pinned=None):
    counts.downloads += 1
    counts.waits += pinned is None


def _synchronize(counts):
    counts.waits += 1


_COUNT = {
    "launch": _launch,
    "allocate": _allocate,
    "upload": _upload,
    "download": _download,
    "synchronize": _synchronize,
}
