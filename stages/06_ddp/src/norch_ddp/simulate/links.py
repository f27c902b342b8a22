"""The link between the ranks of this job, measured: the only part that sends messages.

Every rank calls `measure_link` at the same time; all get rank 0's numbers.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

from norch_autograd import Tensor, rand, zeros

from ..collectives import all_reduce, barrier
from ..objects import broadcast_object_list
from ..process_group import get_world_size
from .network import Level

_SMALL, _LARGE = 1 << 8, 1 << 20  # numbers of 4 bytes
_ROUNDS = 9


def measure_link(name: str = "this job") -> Level:
    """Measure the latency, the bandwidth and the processor's share of this job's all_reduce.

    From a small and a large one: 2 (N - 1) steps of latency + b / N / bandwidth each. The share is
    how much longer a computation takes with a message under way, as a part of the message's time.
    """
    ranks = get_world_size()
    if ranks == 1:
        raise RuntimeError("[measure_link] one rank has no link: expected at least two")
    small, large = zeros(_SMALL), zeros(_LARGE)
    steps = 2 * (ranks - 1)
    latency = _seconds(lambda: all_reduce(small)) / steps
    whole = _seconds(lambda: all_reduce(large))
    bandwidth = large.nbytes / ranks / max(whole / steps - latency, 1e-9)
    numbers = [(latency, bandwidth, _share(large, whole))]
    broadcast_object_list(numbers)
    return Level(name, ranks, *numbers[0])


def _seconds(call: Callable[[], object]) -> float:
    """The median time of a call that all ranks begin together."""
    found = []
    for _ in range(_ROUNDS + 1):
        barrier()
        start = time.perf_counter()
        call()
        found.append(time.perf_counter() - start)
    return median(found[1:])


def _share(message: Tensor, seconds: float) -> float:
    """How much of a message's time a computation loses that runs beside it, from 0 to 1."""
    a = rand(192, 192)
    once = _seconds(lambda: a @ a)
    repeats = max(1, round(2 * seconds / once))

    def computed(beside: bool) -> None:
        work = all_reduce(message, async_op=True) if beside else None
        for _ in range(repeats):
            a @ a
            if work is not None:
                work.is_completed()  # MPI moves on only while somebody asks
        if work is not None:
            work.wait()

    alone = _seconds(lambda: computed(False))
    longer = _seconds(lambda: computed(True)) - alone
    return min(1.0, max(0.0, longer / seconds))
