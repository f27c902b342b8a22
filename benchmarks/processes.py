"""What only a fresh process can tell: import, the first call of a workload, memory, a cold start.

Each measurement is a Python program of its own, run in turns with the other libraries; it prints
one number. Memory is the resident size that the system reports, the library itself included.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("NORCH_DATA", ROOT.parent / "shared" / "data"))

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
start = time.process_time()
import {library}
print(time.process_time() - start)
"""

IMPORT_MEMORY = RESIDENT + "import {library}\nprint(resident('VmRSS'))\n"

READY = """
import sys, time
from benchmarks.worker import Session, pin
from benchmarks.workloads import by_name
pin({threads})
session = Session("{library}", {threads}, "cpu" if {threads} == 1 else "wall")
answer = session.prepare(by_name("{workload}"))
if answer["status"] != "ok":
    sys.exit(answer["reason"])
"""

FIRST_CALL = (
    READY
    + """
start = session.clock()
session.work()
print(session.clock() - start)
"""
)

PEAK = (
    RESIDENT
    + READY
    + """
for _ in range({warm}):
    session.work()
before = resident("VmRSS")
for _ in range({steps}):
    session.work()
print(resident("VmRSS") - before if {growth} else resident("VmHWM"))
"""
)

# A newcomer's first minute: nothing in any cache of packages or compilers but the clone's own.
COLD_START = """
import os, resource, subprocess, tempfile, time
with tempfile.TemporaryDirectory() as folder:
    given = {{name: value for name, value in os.environ.items() if not name.startswith({room})}}
    given |= {{"CCACHE_DISABLE": "1", "UV_CACHE_DIR": folder + "/uv", "NORCH_DATA": "{data}"}}
    start = time.perf_counter()
    subprocess.run(["git", "clone", "-q", "{root}", folder + "/norch"], check=True)
    make = ["make", "-C", folder + "/norch", "mnist", "EPOCHS=1"]
    subprocess.run(make, check=True, env=given, stdout=subprocess.DEVNULL)
    passed = time.perf_counter() - start
    work = resource.getrusage(resource.RUSAGE_CHILDREN)
    print({number})
"""

ROOM = ("CCACHE", "CMAKE", "MAKE", "MFLAGS", "NORCH")  # what a newcomer's shell does not have
CNN = "CNN step, batch 64, Adam"
MLP_SMALL = "MLP 784-30-10 step, batch 32, SGD"
MLP_BIG = "MLP 784-512-256-10 step, batch 128, Adam"
ALL = ("norch", "torch", "numpy")
Program = Callable[[str, int], str]


@dataclass(frozen=True, slots=True)
class Process:
    """One measurement in fresh processes, in seconds or mebibytes (`unit`)."""

    name: str
    program: Program  # its text, for a library and a number of threads
    unit: str
    gate: float | None = None
    aim: float | None = None
    limit: float | None = None  # an absolute gate on norch's own number
    call: str = "process"  # or "first": the first call of a workload
    repeats: int = 5
    libraries: tuple[str, ...] = ("norch", "torch")
    threads: tuple[int, ...] = (1,)
    named: bool = False  # only measured when named: minutes, and the network
    group: str = "process"


def fill(program: str, **given: Any) -> Program:
    """Return the program with its blanks filled in."""
    return lambda library, threads: program.format(library=library, threads=threads, **given)


def first_call(workload: str, gate: float, aim: float) -> Process:
    """Return the row of a workload's first call, everything before it done."""
    program = fill(FIRST_CALL, workload=workload)
    name = f"{workload}, first call"
    return Process(name, program, "s", gate, aim, call="first", threads=(1, 2))


def training(workload: str, warm: int, steps: int, growth: bool = False) -> Program:
    """Return the program that trains and prints peak or growth of memory."""
    return fill(PEAK, workload=workload, warm=warm, steps=steps, growth=growth)


def cold_start(number: str) -> Program:
    """Return the program that clones, sets up, trains one epoch and prints a number of it."""
    return fill(COLD_START, root=ROOT, data=DATA, room=ROOM, number=number)


PROCESSES = (
    Process("import time", fill(IMPORT_TIME), "s", 0.25, 0.10, libraries=ALL),
    Process("memory after import", fill(IMPORT_MEMORY), "MiB", 0.20, 0.06, 42.9, libraries=ALL),
    first_call("matmul 512", 1.0, 0.7),
    first_call("16M add", 1.0, 0.7),
    first_call(CNN, 1.0, 0.7),
    first_call("resnet50.py, ResNet-18 step, batch 8 of 64 x 64", 1.0, 0.7),
    Process("peak memory, CNN step", training(CNN, 2, 10), "MiB", 0.60, repeats=2),
    Process(
        "peak memory, MLP 784-512-256-10 step", training(MLP_BIG, 2, 20), "MiB", 0.60, repeats=2
    ),
    Process(
        "memory growth over 10,000 MLP 784-30-10 steps",
        training(MLP_SMALL, 500, 10_000, growth=True),
        "MiB",
        limit=1.0,
        repeats=1,
        libraries=("norch",),
    ),
    Process(
        "cold start: from git clone through one epoch of make mnist",
        cold_start("passed"),
        "s",
        limit=80.0,
        repeats=1,
        libraries=("norch",),
        named=True,
        group="cold start",
    ),
    Process(
        "cold start: its processor time",
        cold_start("work.ru_utime + work.ru_stime"),
        "s",
        limit=135.0,
        repeats=1,
        libraries=("norch",),
        named=True,
        group="cold start",
    ),
)


def run(process: Process, library: str, threads: int) -> tuple[float | None, str]:
    """Run one measurement; return its number, or None and the reason."""
    done = subprocess.run(
        [sys.executable, "-c", process.program(library, threads)],
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

    A shell's own settings of the numeric libraries are not passed on: one that names a processor
    halves a matrix product. Bytecode is kept, as for any installed package: the first of several
    imports writes it.
    """
    names = ("OMP", "MKL", "OPENBLAS", "NUMEXPR", "VECLIB_MAXIMUM")
    dropped = ("PYTHONDONTWRITEBYTECODE", *(f"{name}_" for name in names))
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    return {**kept, **{f"{name}_NUM_THREADS": str(threads) for name in names}}
