"""What the environment tells this process of how it was started, and of its place on its machine.

`process_group` asks it before there is a group, `bootstrap` and `rendezvous` for a rank's cores.
Nothing here starts anything.
"""

from __future__ import annotations

import os
import sys

LAUNCHER_NAMES = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "MPI_LOCALRANKID")
"""Environment names by which MPI launchers (mpich, PMIx, Open MPI) can be recognised."""


def has_launcher() -> bool:
    """Return whether an MPI launcher started this process."""
    return any(name in os.environ for name in LAUNCHER_NAMES)


def started_by_mpi() -> bool:
    """Return whether an MPI launcher started this process (or MPI is running already)."""
    return "mpi4py.MPI" in sys.modules or has_launcher()


def is_torchelastic_launched() -> bool:
    """Return whether the launcher, `norch.distributed.run`, started this process."""
    return "TORCHELASTIC_RUN_ID" in os.environ


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """Return the number of this process on its machine: LOCAL_RANK, else `fallback_rank`."""
    text = os.environ.get("LOCAL_RANK", "")
    if text.isdecimal() or fallback_rank is not None:
        return int(text) if text.isdecimal() else int(fallback_rank or 0)
    raise RuntimeError(
        "[get_node_local_rank] LOCAL_RANK is not set: start the script with "
        "python -m norch.distributed.run, or give a fallback_rank"
    )


def threads_per_rank(local_size: int) -> int:
    """Return NORCH_NUM_THREADS, or this rank's share of the machine's cores, at least 1."""
    text = os.environ.get("NORCH_NUM_THREADS")
    if text is None:
        return max(1, _cores() // local_size)
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"[run] NORCH_NUM_THREADS={text} must be a whole number, at least 1")
    return int(text)


def _cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
