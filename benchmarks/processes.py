"""What only a fresh process can tell: import time, memory after import, peak memory of training.

Each measurement is a Python program of its own, run in turns with the other libraries; it prints
one number. Memory is the resident size that the system reports.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

RESIDENT = """
import sys
def resident(field):
    "Resident mebibytes now (VmRSS) or at most (VmHWM)."
    try:
        with open("/proc/self/status") as status:
            line = next(line for line in status if line.startswith(field))
        return int(line.split()[1]) / 1024
    except OSError:
        import resource
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / (2**20 if sys.platform == "darwin" else 1024)
"""

IMPORT_TIME = """
import time
start = time.perf_counter()
import {library}
print(time.perf_counter() - start)
"""

IMPORT_MEMORY = RESIDENT + "import {library}\nprint(resident('VmRSS'))\n"

PEAK = (
    RESIDENT
    + """
import importlib, sys
from benchmarks.worker import Session
from benchmarks.workloads import by_name
session = Session("{library}")
answer = session.prepare(by_name("{workload}"))
if answer["status"] != "ok":
    sys.exit(answer["reason"])
for _ in range({warm}):
    session.work()
before = resident("VmRSS")
for _ in range({steps}):
    session.work()
print(resident("VmRSS") - before if {growth} else resident("VmHWM"))
"""
)

CNN = "CNN step, batch 64, Adam"
MLP_SMALL = "MLP 784-30-10 step, batch 32, SGD"
ALL = ("norch", "torch", "numpy")
MLP_BIG = "MLP 784-512-256-10 step, batch 128, Adam"


@dataclass(frozen=True, slots=True)
class Process:
    """One measurement in fresh processes, in seconds or mebibytes (`unit`)."""

    name: str
    program: Callable[[str], str]
    unit: str
    gate: float | None = None
    aim: float | None = None
    limit: float | None = None  # an absolute gate on norch's own number
    repeats: int | None = None  # fewer than the rounds, where a run is long
    frameworks: tuple[str, ...] = ("norch", "torch")


def importing(program: str) -> Callable[[str], str]:
    """Return the program that imports a library and prints time or memory."""
    return lambda library: program.format(library=library)


def training(workload: str, warm: int, steps: int, growth: bool = False) -> Callable[[str], str]:
    """Return the program that trains and prints peak or growth of memory."""

    def program(library: str) -> str:
        return PEAK.format(
            library=library, workload=workload, warm=warm, steps=steps, growth=growth
        )

    return program


PROCESSES = (
    Process("import time", importing(IMPORT_TIME), "s", 0.10, 0.02, frameworks=ALL),
    Process("memory after import", importing(IMPORT_MEMORY), "MiB", 0.20, 0.06, frameworks=ALL),
    Process("peak memory, CNN step", training(CNN, 2, 10), "MiB", 0.60, repeats=2),
    Process("peak memory, MLP 784-512-256-10 step", training(MLP_BIG, 2, 20), "MiB", repeats=2),
    Process(
        "memory growth over 10,000 MLP 784-30-10 steps",
        training(MLP_SMALL, 500, 10_000, growth=True),
        "MiB",
        limit=1.0,
        repeats=1,
        frameworks=("norch",),
    ),
)


def run(process: Process, library: str, threads: int) -> tuple[float | None, str]:
    """Run one measurement; return its number, or None and the reason."""
    done = subprocess.run(
        [sys.executable, "-c", process.program(library)],
        cwd=ROOT,
        env=environment(threads),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        words = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        return None, words[-1]
    return json.loads(done.stdout.strip().splitlines()[-1]), ""


def environment(threads: int) -> dict[str, str]:
    """Return the environment in which a library may use this many threads.

    Bytecode is kept, as for any installed package: the first of several imports writes it.
    """
    names = ("OMP", "MKL", "OPENBLAS", "NUMEXPR", "VECLIB_MAXIMUM")
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, **{f"{name}_NUM_THREADS": str(threads) for name in names}}
