"""The peak memory of the programs, training and inference, each in a fresh process."""

from __future__ import annotations

from benchmarks.processes import Process, training
from benchmarks.workload import Workload
from benchmarks.workloads import programs

GROUP = "memory"


def row(workload: Workload) -> Process:
    """Return the row of one program's peak: a few calls, the library and the batch included."""
    name, program = f"peak memory, {workload.name}", training(workload.name, warm=1, steps=3)
    return Process(name, program, "MiB", programs.MEMORY, repeats=1, group=GROUP)


ROWS = tuple(map(row, programs.ROWS))
