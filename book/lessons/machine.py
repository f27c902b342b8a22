"""Going faster: what this machine can do at most, and how long a call takes.

The best of several tries counts: other work can only make a call slower. Nothing here prints.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


def measure_limits() -> Limits:
    """Measure the ceilings of one thread: multiply-adds, bytes of a small row, of a large one."""
    small, large = (ops.ones((size,), cpu.float32) for size in (1 << 16, 1 << 24))
    with threads(1):
        return Limits(
            max(_cpu.peak_flops() for _ in range(3)),
            max(_cpu.peak_bandwidth(small) for _ in range(10)),
            max(_cpu.peak_bandwidth(large) for _ in range(10)),
        )


def measure_adds(sizes: list[int]) -> list[tuple[int, float]]:
    """Add rows of each size; return pairs of the bytes that move and the bytes a second."""
    found = []
    for size in sizes:
        a, b = ops.ones((size,), cpu.float32), ops.ones((size,), cpu.float32)
        out = ops.add(a, b)  # its memory is used again for every result
        del out
        moved = 3 * 4 * size
        found.append((moved, moved / measure_seconds(lambda a=a, b=b: ops.add(a, b))))
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
