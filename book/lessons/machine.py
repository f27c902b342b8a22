"""What this machine is, what it can do at most, and how long a call takes. Nothing here prints.

Every page that speaks of a peak or a bandwidth measures with `measure_limits` and prints `said`, so
that `recorded.py` can compare the pages. The best of several tries counts: other work can only make
a call slower.
"""

import os
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import perf_counter
from timeit import Timer
from typing import NamedTuple

import norch_cpu_ops as cpu
from norch_cpu_ops import _cpu, lessons, ops


class Limits(NamedTuple):
    """Operations a second, and bytes a second from the cache and from memory; one thread."""

    peak: float
    cache: float
    memory: float


def measure_seconds(action: Callable[[], object], budget: float = 0.1) -> float:
    """Return the shortest time that an action took; it is tried for `budget` seconds.

    Where that is below a step of the clock, coarse in some browsers, it is the mean of many.
    """
    if best := lessons.best_seconds(action, budget):
        return best
    count, seconds = Timer(action).autorange()
    return seconds / count


def best(rate: Callable[[], float], budget: float = 0.4) -> float:
    """Return the highest rate of many tries."""
    found, end = rate(), perf_counter() + budget
    while perf_counter() < end:
        found = max(found, rate())
    return found


def measure_limits() -> Limits:
    """Measure the ceilings of one thread: multiply-adds, bytes of a small row, of a large one."""
    small, large = (ops.ones((size,), cpu.float32) for size in (1 << 16, 1 << 24))

    def from_memory() -> float:  # by a loop that only reads, or by a sum: processors differ
        return max(_cpu.peak_bandwidth(large), large.nbytes / measure_seconds(summed, 0.02))

    def summed() -> object:
        return ops.sum(large)

    with threads(1):
        cached = best(lambda: _cpu.peak_bandwidth(small))
        return Limits(best(_cpu.peak_flops), cached, best(from_memory))


def said(limits: Limits) -> str:
    """Say the ceilings in the one wording of all pages."""
    return (
        f"arithmetic:         {limits.peak / 1e9:5.0f} billion operations a second\n"
        f"bytes from a cache: {limits.cache / 1e9:5.0f} billion a second\n"
        f"bytes from memory:  {limits.memory / 1e9:5.0f} billion a second"
    )


def described() -> str:
    """Name this machine: its processor, cores, instructions and caches."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (
        f"processor:          {processor()}\n"
        f"cores for us:       {cores}\n"
        f"kernels for:        {cpu.instruction_set()}\n"
        f"caches of a core:   {caches()}"
    )


def processor(listed: str | Path = "/proc/cpuinfo") -> str:
    """Return the processor's name, with family and model, which some names leave out."""
    lines = read(listed).splitlines()
    fields = {name.strip(): value.strip() for name, _, value in (x.partition(":") for x in lines)}
    if "model name" not in fields:
        return platform.processor() or platform.machine()
    known = {"family": fields.get("cpu family"), "model": fields.get("model")}
    more = ", ".join(f"{name} {value}" for name, value in known.items() if value)
    return fields["model name"] + (f" ({more})" if more else "")


def caches(folder: str | Path = "/sys/devices/system/cpu/cpu0/cache") -> str:
    """Return the sizes of the caches that data goes through, the nearest first."""
    folders = sorted(Path(folder).glob("index*"))
    kept = [x for x in folders if read(x / "type").strip() in ("Data", "Unified")]
    found = [read(x / "size").strip().removesuffix("K") for x in kept]
    sizes = [int(size) for size in found if size]
    named = (f"{size} KiB" if size < 1024 else f"{size // 1024} MiB" for size in sizes)
    return ", ".join(named) or "unknown"


def huge_pages(report: str | Path = "/proc/self/smaps_rollup") -> int:
    """Return how many bytes of this process lie in huge pages; 0 where the system does not say."""
    lines = (line.split() for line in read(report).splitlines())
    return sum(int(words[1]) << 10 for words in lines if words[0] == "AnonHugePages:")


def read(path: str | Path) -> str:
    """Return a file of the system, or nothing where there is none."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError:
        return ""


def measure_adds(sizes: list[int]) -> list[tuple[int, float]]:
    """Add rows of each size; return pairs of the bytes that move and the bytes a second."""
    found = []
    for size in sizes:
        a, b = ops.ones((size,), cpu.float32), ops.ones((size,), cpu.float32)
        out = ops.add(a, b)  # its memory is used again for every result
        del out
        moved = 3 * 4 * size
        found.append((moved, moved / measure_seconds(partial(ops.add, a, b))))
    return found


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Let the engine use so many threads inside the block."""
    before = cpu.get_num_threads()
    cpu.set_num_threads(count)
    try:
        yield
    finally:
        cpu.set_num_threads(before)
