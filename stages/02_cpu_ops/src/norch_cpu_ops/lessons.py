"""Times the lesson kernels against what this machine can do: `python -m norch_cpu_ops.lessons`.

Two stories, told by csrc/kernels/lessons.cpp and continued by the fast kernels: a matrix product
from the naive loop to packed register tiles, and a sum from one chain of additions to a pairwise
one. Products are held against the multiply-adds a second that one thread can do, sums against the
bytes a second that it can read. `measure_matmul` and `measure_sum` return the numbers.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from norch_cpu_ops import _cpu, float32, ops
from norch_cpu_ops._cpu import Array

MATMUL_LEVELS = ("naive", "reordered", "blocked", "registers")
SUM_LEVELS = ("naive", "unrolled", "vectorised", "pairwise")


class Step(NamedTuple):
    """One kernel: its best time, its rate (operations or bytes a second), how far it is off."""

    name: str
    seconds: float
    rate: float
    share: float  # of what the machine can do
    error: float  # relative, against the same in float64


def best_seconds(work: Callable[[], object], budget: float = 0.3) -> float:
    """Return the shortest time that work takes, tried three times and then for `budget` seconds."""
    best, end, tries = float("inf"), time.perf_counter() + budget, 0
    while tries < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
        tries += 1
    return best


def on_one_thread(measure: Callable[[], list[Step]]) -> list[Step]:
    """Run a measurement of C++ kernels with one thread."""
    before = _cpu.get_num_threads()
    _cpu.set_num_threads(1)
    try:
        return measure()
    finally:
        _cpu.set_num_threads(before)


def matmul_steps() -> dict[str, Callable[[Array, Array], Array]]:
    """Return the C++ products to be timed, from the slowest idea to the library's own."""
    steps = {level: lesson_matmul(level) for level in MATMUL_LEVELS}
    steps["packed tiles"] = _cpu.matmul_blocked
    steps["ops.matmul"] = ops.matmul
    return steps


def lesson_matmul(level: str) -> Callable[[Array, Array], Array]:
    """Return the C++ lesson product of a level, to be timed."""
    return lambda a, b: _cpu.lesson_matmul(a, b, level)


def sum_steps() -> dict[str, Callable[[Array], float]]:
    """Return the C++ sums to be timed."""
    steps = {level: lesson_sum(level) for level in SUM_LEVELS}
    steps["ops.sum"] = lambda a: ops.sum(a).item()
    return steps


def lesson_sum(level: str) -> Callable[[Array], float]:
    """Return the C++ lesson sum of a level, to be timed."""
    return lambda a: _cpu.lesson_sum(a, level)


def measure_matmul(n: int = 384) -> list[Step]:
    """Time the lessons' C++ products and the library's of (n, n) float32, as shares of the peak."""
    a, b = (ops.uniform((n, n), 0.0, 1.0, float32, seed, 0) for seed in (1, 2))
    exact = ops.matmul(ops.cast(a, _cpu.float64), ops.cast(b, _cpu.float64))
    largest = ops.amax(exact).item()

    def measure() -> list[Step]:
        peak, found = _cpu.peak_flops(), []
        for name, product in matmul_steps().items():
            seconds = best_seconds(partial(product, a, b))
            off = ops.amax(ops.abs(ops.sub(ops.cast(product(a, b), _cpu.float64), exact))).item()
            rate = 2 * n**3 / seconds
            found.append(Step(name, seconds, rate, rate / peak, off / largest))
        return found

    return on_one_thread(measure)


def measure_sum(n: int = 1 << 24) -> list[Step]:
    """Time the lessons' C++ sums and ops.sum of n float32, as shares of the bytes one can read."""
    a = ops.uniform((n,), 0.0, 1.0, float32, 1, 0)
    exact = ops.sum(ops.cast(a, _cpu.float64)).item()

    def measure() -> list[Step]:
        peak, found = _cpu.peak_bandwidth(a), []
        for name, total in sum_steps().items():
            seconds = best_seconds(partial(total, a))
            rate = 4 * n / seconds
            error = abs(total(a) - exact) / exact
            found.append(Step(name, seconds, rate, rate / peak, error))
        return found

    return on_one_thread(measure)


def table(title: str, unit: str, steps: list[Step]) -> str:
    """Return the table that `make lessons` prints: each step's time, rate and error."""
    lines = [f"{title:<14}{'ms':>9}{unit:>11}{'of peak':>10}{'off by':>11}"]
    lines += [
        f"{s.name:<14}{s.seconds * 1e3:9.2f}{s.rate / 1e9:11.1f}{s.share:10.0%}{s.error:11.1e}"
        for s in steps
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--matmul", type=int, default=384, help="rows of the matrices")
    parser.add_argument("--sum", type=int, default=1 << 24, help="numbers in the sum")
    arguments = parser.parse_args()
    print(f"kernels for {_cpu.instruction_set()}, BLAS: {_cpu.blas()}, one thread\n")
    print(table(f"matmul {arguments.matmul}", "GFLOP/s", measure_matmul(arguments.matmul)), "\n")
    print(table(f"sum {arguments.sum}", "GB/s", measure_sum(arguments.sum)))


if __name__ == "__main__":
    main()
