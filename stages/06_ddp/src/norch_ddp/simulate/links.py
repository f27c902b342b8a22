"""What the ranks of this job find out together: the only part that sends messages.

Every rank calls these functions at the same time, and all get one answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

from norch_autograd import Tensor, rand, zeros
from norch_ddp.collectives.collectives import all_reduce, barrier
from norch_ddp.collectives.objects import all_gather_object, broadcast_object_list
from norch_ddp.groups.process_group import get_world_size
from norch_ddp.simulate.compute import Compute
from norch_ddp.simulate.network import Level

_SMALL, _LARGE = 1 << 8, 1 << 20  # numbers of 4 bytes
_SWEPT = 1 << 24  # as many numbers as no cache holds
_ROUNDS = 9
_SLOW_SECONDS = 0.1  # a message that takes longer is sent three times: the network sets the time


def measure_link(name: str = "this job") -> Level:
    """Measure the latency, the bandwidth and the processor's share of this job's all_reduce.

    From a small and a large one: 2 (N - 1) steps of latency + b / N / bandwidth each. The large one
    is new every time, and the caches are full of other things, as a backward leaves them: over
    shared memory that takes half as long again. The share is how much longer a computation takes
    with a message under way, as a part of the message's time.
    """
    ranks = get_world_size()
    if ranks == 1:
        raise RuntimeError("[measure_link] one rank has no link: expected at least two")
    small, large, swept = zeros(_SMALL), zeros(_LARGE), zeros(_SWEPT)
    steps = 2 * (ranks - 1)
    latency = _seconds(lambda: all_reduce(small)) / steps

    def send() -> None:
        all_reduce(large)

    def sweep() -> None:
        large.add_(1), swept.add_(1)

    trial = [_seconds(send, sweep, rounds=1)]
    broadcast_object_list(trial)
    rounds = _ROUNDS if trial[0] < _SLOW_SECONDS else 3
    whole = _seconds(send, sweep, rounds)
    bandwidth = large.nbytes / ranks / max(whole / steps - latency, 1e-9)
    numbers = [(latency, bandwidth, _share(large, whole, rounds))]
    broadcast_object_list(numbers)
    return Level(name, ranks, *numbers[0])


def slowest(compute: Compute) -> Compute:
    """For the simulator: return, on every rank, what the slowest computes, for which all wait.

    Of measured steps that is now this rank and now that one: the layers of the one that is usually
    the slowest, stretched to the median of the slowest run by run.
    """
    found = [compute] * get_world_size()
    all_gather_object(found, compute)
    times = [sum(layer.forward + layer.backward for layer in one.layers) for one in found]
    last = found[times.index(max(times))]
    if not compute.runs:
        return last
    stretch = median(map(max, zip(*(one.runs for one in found), strict=True))) / max(times)
    layers = [
        layer._replace(forward=stretch * layer.forward, backward=stretch * layer.backward)
        for layer in last.layers
    ]
    return last._replace(layers=layers)


def _seconds(
    call: Callable[[], object], before: Callable[[], object] | None = None, rounds: int = _ROUNDS
) -> float:
    """For the simulator: the median time of a call that all ranks begin together after `before`."""
    found = []
    for _ in range(rounds + 1):
        if before is not None:
            before()
        barrier()
        start = time.perf_counter()
        call()
        found.append(time.perf_counter() - start)
    return median(found[1:])


def _share(message: Tensor, seconds: float, rounds: int) -> float:
    """For the simulator: which part of a message's time a computation beside it loses, 0 to 1."""
    a = rand(192, 192)
    once = _seconds(lambda: a @ a)
    repeats = max(1, round(2 * seconds / once))

    def compute(beside: bool) -> None:
        work = all_reduce(message, async_op=True) if beside else None
        for _ in range(repeats):
            a @ a
            if work is not None:
                work.is_completed()  # MPI moves on only while somebody asks
        if work is not None:
            work.wait()

    alone = _seconds(lambda: compute(False), rounds=rounds)
    longer = _seconds(lambda: compute(True), rounds=rounds) - alone
    return min(1.0, max(0.0, longer / seconds))
