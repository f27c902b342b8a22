"""What many ranks cost on one machine: start-up, a barrier, a small all_reduce, files, memory.

`python -m benchmarks.many_ranks 2 8 32 128` forks so many ranks, which meet at a port, and prints
one line for each number. Ranks share the cores, so times say how they grow, not how long they take
on a cluster; NOTES.md keeps what was found.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

import norch_ddp as dist
from norch_autograd import Tensor, tensor, zeros

ROUNDS = 5
HEAD = f"{'ranks':>5} {'start s':>8} {'barrier ms':>11} {'8 KB ms':>8} {'files':>6} {'MB':>6}"


def main(sizes: list[int]) -> None:
    """Measure each number of ranks, one after the other."""
    print(HEAD)
    for size in sizes:
        port = free_port()
        children = [fork(rank, size, port) for rank in range(size)]
        if any(os.waitpid(child, 0)[1] for child in children):
            sys.exit(f"[many_ranks] a rank of {size} failed")


def free_port() -> int:
    """Return a port that nobody holds just now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def fork(rank: int, size: int, port: int) -> int:
    """Start a rank; return its process."""
    child = os.fork()
    if child == 0:
        try:
            measure(rank, size, port)
        except BaseException as error:
            os.write(2, f"rank {rank}: {error!r}\n".encode())
            os._exit(1)
        os._exit(0)
    return child


def measure(rank: int, size: int, port: int) -> None:
    """Be one rank: meet, measure, and print the worst of all ranks on rank 0."""
    start = time.perf_counter()
    dist.init_process_group("gloo", f"tcp://127.0.0.1:{port}", 600, size, rank)
    startup = time.perf_counter() - start
    message = zeros(2048)
    found = [
        startup,
        1e3 * median_seconds(dist.barrier),
        1e3 * median_seconds(lambda: dist.all_reduce(message)),
        len(os.listdir("/proc/self/fd")),
        private_megabytes(),
    ]
    worst: Tensor = tensor(found)
    dist.all_reduce(worst, "max")
    if rank == 0:
        start_s, barrier, small, files, memory = worst.tolist()
        line = f"{size:5} {start_s:8.2f} {barrier:11.2f} {small:8.2f} {files:6.0f} {memory:6.1f}"
        print(line, flush=True)
    dist.destroy_process_group()


def median_seconds(call: Callable[[], object]) -> float:
    """Return how long a call takes, the median of some."""
    seconds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return sorted(seconds)[ROUNDS // 2]


def private_megabytes() -> float:
    """Return this process's memory that it shares with no other."""
    lines = Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024


if __name__ == "__main__":
    main([int(text) for text in sys.argv[1:]] or [2, 8, 32, 128])
