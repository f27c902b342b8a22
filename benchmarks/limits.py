"""Measures what the machine can do at most: `python -m benchmarks.limits 1` for one thread.

Operations per second by type, and bytes per second that are read, stored, copied and added from two
arrays to a third ("triad"), in the last cache and in memory, by the small C program peak.c. Without
a C compiler NumPy stands in, and the report says so. Each limit is the best of several tries: a
limit is what is possible, so large pages and stores past the cache are tried as well.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.worker import pin

SOURCE = Path(__file__).parent / "peak.c"
CACHED = 4 << 20  # bytes of each array, all threads together: in the last cache
UNCACHED = 64 << 20  # and far beyond it
TRIES = 30
TYPES = ("float32", "float64", "bfloat16", "int8")
STREAMS = {"read": 1, "store": 1, "copy": 2, "triad": 3}  # arrays that move
ROUNDS = 200_000
Job = Callable[[], Any]


def compile_peak(folder: str) -> ctypes.CDLL | None:
    """Compile peak.c for this machine; None without a compiler that can."""
    compiler = os.environ.get("CC") or next(filter(shutil.which, ("cc", "gcc", "clang")), None)
    if not compiler:
        return None
    library = f"{folder}/peak.so"
    for native in (["-march=native"], ["-mcpu=native"], []):
        options = ["-O3", "-ffp-contract=fast", "-fno-tree-loop-distribute-patterns"]
        command = [compiler, *options, "-shared", "-fPIC", *native, str(SOURCE), "-o", library]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return signatures(ctypes.CDLL(library))
    return None


def signatures(library: ctypes.CDLL) -> ctypes.CDLL:
    """Declare the functions of peak.c."""
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    for name in TYPES:
        getattr(library, name).restype = ctypes.c_double
        getattr(library, name).argtypes = [ctypes.c_long, ctypes.c_float, ctypes.c_float, pointer]
    library.read_all.restype = ctypes.c_float
    library.read_all.argtypes = [pointer, size, ctypes.c_int]
    for name in ("store", "copy", "triad"):
        for way in (name, f"{name}_past"):
            getattr(library, way).restype = None
            getattr(library, way).argtypes = [pointer, pointer, pointer, size, ctypes.c_int]
    return library


def together(jobs: list[Job]) -> float:
    """Run the jobs at once, one thread each; return the seconds of the slowest.

    One job runs in this thread and is told its processor time, as one-thread rows are.
    """
    if len(jobs) == 1:
        start = time.thread_time()
        jobs[0]()
        return time.thread_time() - start
    gate = threading.Barrier(len(jobs) + 1)

    def run(job: Job) -> None:
        gate.wait()
        job()

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    gate.wait()
    start = time.perf_counter()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start


def best_rate(amount: float, jobs: list[Job]) -> float:
    """Return the best of several tries at doing `amount` in all."""
    together(jobs)
    return amount / min(together(jobs) for _ in range(TRIES))


def aligned_ones(count: int) -> np.ndarray:
    """Return float32 ones that begin at a page, a large one where the system gives some."""
    block = mmap.mmap(-1, 4 * count)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a kernel that was built without them
            block.madvise(mmap.MADV_HUGEPAGE)
    array = np.frombuffer(block, np.float32)
    array.fill(1.0)
    return array


def operation_rates(library: ctypes.CDLL | None, threads: int) -> dict[str, float]:
    """Return the peak operations per second by type; only float32 without a compiler."""
    if library is None:
        a = np.ones((1024, 1024), np.float32)
        return {"float32": best_rate(2.0 * 1024**3, [lambda: a @ a])}
    found, outs = {}, [aligned_ones(1024) for _ in range(threads)]
    for name in TYPES:
        run = getattr(library, name)
        work = run(1, 1.0, 0.0, outs[0].ctypes.data) * ROUNDS
        if work:
            jobs = [
                lambda out=out, run=run: run(ROUNDS, 0.999, 0.001, out.ctypes.data) for out in outs
            ]
            found[name] = best_rate(work * threads, jobs)
    return found


def numpy_job(kind: str, arrays: list[np.ndarray], times: int) -> Job:
    """Return the job that moves arrays by NumPy."""
    to, a, b = arrays
    once = {
        "read": lambda: a.sum(),
        "store": lambda: to.fill(1.0),
        "copy": lambda: np.copyto(to, a),
        "triad": lambda: np.add(a, b, out=to),
    }[kind]
    return lambda: [once() for _ in range(times)]


def jobs_of(library: Any, kind: str, arrays: list[np.ndarray], times: int) -> list[Job]:
    """Return the ways to move arrays `times` times: ordinary stores, and past the cache."""
    if library is None:
        return [numpy_job(kind, arrays, times)]
    to, a, b = (array.ctypes.data for array in arrays)
    count = arrays[0].size
    if kind == "read":
        return [lambda: library.read_all(a, count, times)]
    ways = [getattr(library, kind), getattr(library, f"{kind}_past")]
    return [lambda way=way: way(to, a, b, count, times) for way in ways]


def byte_rates(library: ctypes.CDLL | None, threads: int, size: int) -> dict[str, float]:
    """Return the rates of moving arrays of `size` bytes, all threads together."""
    count, times = size // 4 // threads // 1024 * 1024, max(1, (16 << 20) // size)
    arrays = [[aligned_ones(count) for _ in range(3)] for _ in range(threads)]
    found = {}
    for kind, streams in STREAMS.items():
        amount = 4.0 * count * threads * times * streams
        ways = zip(*(jobs_of(library, kind, each, times) for each in arrays), strict=True)
        found[kind] = max(best_rate(amount, list(jobs)) for jobs in ways)
    return found


def measure(threads: int) -> dict[str, Any]:
    """Return all limits at this number of threads."""
    with tempfile.TemporaryDirectory() as folder:
        library = compile_peak(folder)
        return {
            "by": "peak.c" if library else "NumPy: no C compiler found",
            "operations": operation_rates(library, threads),
            "cache": byte_rates(library, threads, CACHED),
            "memory": byte_rates(library, threads, UNCACHED),
        }


if __name__ == "__main__":
    pin(int(sys.argv[1]))
    print(json.dumps(measure(int(sys.argv[1]))))
