"""Measures what the machine can do at most: `python -m benchmarks.limits 1` for one thread.

Multiply-adds per second, and bytes per second read and copied, in the last cache and in memory, by
the small C program peak.c. Without a C compiler NumPy's matrix product and copy stand in, and the
report says so. Each limit is the best of several tries: a limit is what is possible.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.worker import pin

SOURCE = Path(__file__).parent / "peak.c"
CACHED = 4 << 20  # bytes of each array, all threads together: in the last cache
UNCACHED = 64 << 20  # and far beyond it
TRIES = 40


def compile_peak(folder: str) -> ctypes.CDLL | None:
    """Compile peak.c for this machine; None without a compiler that can."""
    compiler = os.environ.get("CC") or next(filter(shutil.which, ("cc", "gcc", "clang")), None)
    if not compiler:
        return None
    library = f"{folder}/peak.so"
    for native in (["-march=native"], ["-mcpu=native"], []):
        options = ["-O3", "-ffp-contract=fast", "-shared", "-fPIC", *native]
        command = [compiler, *options, str(SOURCE), "-o", library]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return signatures(ctypes.CDLL(library))
    return None


def signatures(library: ctypes.CDLL) -> ctypes.CDLL:
    """Declare the functions of peak.c."""
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    library.multiply_add.restype = ctypes.c_double
    library.multiply_add.argtypes = [ctypes.c_long, ctypes.c_float, ctypes.c_float, pointer]
    library.read_all.restype = ctypes.c_float
    library.read_all.argtypes = [pointer, size, ctypes.c_int]
    library.copy_all.restype = None
    library.copy_all.argtypes = [pointer, pointer, size, ctypes.c_int]
    return library


def together(jobs: list[Callable[[], Any]]) -> float:
    """Run the jobs at once, one thread each; return the seconds of the slowest."""
    gate = threading.Barrier(len(jobs) + 1)

    def run(job: Callable[[], Any]) -> None:
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


def best_rate(amount: float, jobs: list[Callable[[], Any]]) -> float:
    """Return the best of several tries at doing `amount` in all."""
    together(jobs)
    return amount / min(together(jobs) for _ in range(TRIES))


def aligned_ones(count: int) -> np.ndarray:
    """Return float32 ones that begin at a multiple of 64 bytes."""
    raw = np.ones(count + 16, np.float32)
    skip = (-raw.ctypes.data // 4) % 16
    return raw[skip : skip + count]


def flops_rate(library: ctypes.CDLL | None, threads: int) -> float:
    """Return the peak rate of float32 multiply-adds, in operations per second."""
    if library is None:
        a = np.ones((1024, 1024), np.float32)
        return best_rate(2.0 * 1024**3, [lambda: a @ a])
    rounds, outs = 200_000, [aligned_ones(64) for _ in range(threads)]
    work = library.multiply_add(1, 1.0, 0.0, outs[0].ctypes.data) * rounds
    jobs = [
        lambda out=out: library.multiply_add(rounds, 0.999, 0.001, out.ctypes.data) for out in outs
    ]
    return best_rate(work * threads, jobs)


def read_job(library: ctypes.CDLL | None, data: np.ndarray, times: int) -> Callable[[], Any]:
    """Return the job that reads an array `times` times."""
    if library is None:
        return lambda: [data.sum() for _ in range(times)]
    return lambda: library.read_all(data.ctypes.data, data.size, times)


def copy_job(library: Any, to: np.ndarray, data: np.ndarray, times: int) -> Callable[[], Any]:
    """Return the job that copies an array `times` times."""
    if library is None:
        return lambda: [np.copyto(to, data) for _ in range(times)]
    return lambda: library.copy_all(to.ctypes.data, data.ctypes.data, data.nbytes, times)


def byte_rates(library: ctypes.CDLL | None, threads: int, size: int) -> dict[str, float]:
    """Return the rates of reading and of copying (read + written) arrays of `size` bytes."""
    count, times = size // 4 // threads // 128 * 128, max(1, (16 << 20) // size)
    arrays = [(aligned_ones(count), aligned_ones(count)) for _ in range(threads)]
    amount = 4.0 * count * threads * times
    reads = [read_job(library, data, times) for _, data in arrays]
    copies = [copy_job(library, to, data, times) for to, data in arrays]
    return {"read": best_rate(amount, reads), "copy": best_rate(2 * amount, copies)}


def measure(threads: int) -> dict[str, Any]:
    """Return all limits at this number of threads."""
    with tempfile.TemporaryDirectory() as folder:
        library = compile_peak(folder)
        return {
            "by": "peak.c" if library else "NumPy: no C compiler found",
            "flops": flops_rate(library, threads),
            "cache": byte_rates(library, threads, CACHED),
            "memory": byte_rates(library, threads, UNCACHED),
        }


if __name__ == "__main__":
    pin(int(sys.argv[1]))
    print(json.dumps(measure(int(sys.argv[1]))))
