"""One table: norch beside PyTorch, the same lines of code run by both: `make bench`.

norch has PyTorch's names, so a workload is written once and given the library as an argument. Each
library runs in processes of its own, in turns, and the table shows medians over the rounds. Without
PyTorch the table has norch's column alone; nothing is installed here.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

Workload = Callable[[], object]


def small_add(lib) -> Workload:
    """Add two (8, 8) tensors: what one call costs."""
    a, b = lib.randn(8, 8), lib.randn(8, 8)
    return lambda: a + b


def small_add_with_gradient(lib) -> Workload:
    """Add two (8, 8) tensors that want a gradient: what recording costs."""
    a, b = lib.randn(8, 8, requires_grad=True), lib.randn(8, 8, requires_grad=True)
    return lambda: a + b


def chain_backward(lib) -> Workload:
    """Run twenty small operations and their backward pass."""
    start = lib.randn(8, 8, requires_grad=True)

    def work() -> None:
        x = start
        for _ in range(10):
            x = (x * 0.5).tanh()
        x.sum().backward()

    return work


def million_add(lib) -> Workload:
    """Add two tensors of a million elements."""
    a, b = lib.randn(1000, 1000), lib.randn(1000, 1000)
    return lambda: a + b


def million_broadcast(lib) -> Workload:
    """Add a row to a matrix of a million elements."""
    a, b = lib.randn(1000, 1000), lib.randn(1000)
    return lambda: a + b


def million_sum(lib) -> Workload:
    """Sum a million elements."""
    a = lib.randn(1000, 1000)
    return lambda: a.sum()


def million_exp(lib) -> Workload:
    """Take the exponential of a million elements."""
    a = lib.randn(1000, 1000)
    return lambda: a.exp()


def matmul(size: int) -> Callable[[object], Workload]:
    """Return the workload that multiplies two square matrices."""

    def prepare(lib) -> Workload:
        a, b = lib.randn(size, size), lib.randn(size, size)
        return lambda: a @ b

    return prepare


def mlp_step(lib) -> Workload:
    """Train 784-30-10 for one step on a batch of 32 with SGD."""
    model = lib.nn.Sequential(lib.nn.Linear(784, 30), lib.nn.ReLU(), lib.nn.Linear(30, 10))
    optimizer = lib.optim.SGD(model.parameters(), lr=0.01)
    loss_of = lib.nn.CrossEntropyLoss()
    x, y = lib.randn(32, 784), lib.randint(0, 10, (32,))

    def work() -> None:
        optimizer.zero_grad()
        loss_of(model(x), y).backward()
        optimizer.step()

    return work


WORKLOADS: dict[str, Callable[[object], Workload]] = {
    "add (8,8)": small_add,
    "add (8,8), recorded": small_add_with_gradient,
    "20 small ops + backward": chain_backward,
    "1M add": million_add,
    "1M add, broadcast": million_broadcast,
    "1M sum": million_sum,
    "1M exp": million_exp,
    "matmul 128": matmul(128),
    "matmul 512": matmul(512),
    "MLP 784-30-10 step, SGD": mlp_step,
}


def median_microseconds(work: Workload, seconds: float) -> float:
    """Repeat the workload for about `seconds`; return the median time of one run."""
    work()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 5:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


def measure(library: str, threads: int, seconds: float) -> dict[str, float]:
    """Measure every workload with one library, in this process."""
    lib = importlib.import_module(library)
    lib.manual_seed(0)
    lib.set_num_threads(threads)
    return {name: median_microseconds(prepare(lib), seconds) for name, prepare in WORKLOADS.items()}


def measured_apart(library: str, arguments: argparse.Namespace) -> dict[str, float]:
    """Measure one library in a process of its own."""
    options = ["--threads", str(arguments.threads), "--seconds", str(arguments.seconds)]
    command = [sys.executable, __file__, "--library", library, *options]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def table(rounds: dict[str, list[dict[str, float]]]) -> str:
    """Return the table of medians, in microseconds, with norch's share of PyTorch's time."""
    lines = [f"{'workload':26}" + "".join(f"{name:>12}" for name in rounds) + f"{'ratio':>8}"]
    for workload in WORKLOADS:
        times = [
            statistics.median(result[workload] for result in results) for results in rounds.values()
        ]
        ratio = f"{times[0] / times[1]:8.2f}" if len(times) == 2 else f"{'-':>8}"
        lines.append(f"{workload:26}" + "".join(f"{each:9.1f} us" for each in times) + ratio)
    return "\n".join(lines)


def main() -> None:
    """Measure in turns and print the table; with --library, measure one and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", help="measure this library here, print JSON")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.2, help="time for each workload")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    if arguments.library:
        print(json.dumps(measure(arguments.library, arguments.threads, arguments.seconds)))
        return
    libraries = [name for name in ("norch", "torch") if importlib.util.find_spec(name)]
    rounds: dict[str, list[dict[str, float]]] = {name: [] for name in libraries}
    for number in range(arguments.rounds):
        print(f"round {number + 1} of {arguments.rounds}", file=sys.stderr, flush=True)
        for name in libraries:
            rounds[name].append(measured_apart(name, arguments))
    print(table(rounds))


if __name__ == "__main__":
    main()
