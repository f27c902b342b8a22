"""get_worker_info: what a dataset can ask when it is used in a worker process.

The worker sets it once, at its start; in the main process there is none.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class WorkerInfo(NamedTuple):
    """One worker: its number, how many there are, its seed, and its copy of the dataset."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


_here: list[WorkerInfo] = []  # empty in the main process


def get_worker_info() -> WorkerInfo | None:
    """Return what this worker is; None in the main process.

    A stream asks it to give each worker its own part.

    >>> get_worker_info() is None
    True
    """
    return _here[0] if _here else None


def set_worker_info(info: WorkerInfo) -> None:
    """Say which worker this process is."""
    _here[:] = [info]
