"""How "cuda-sim" runs kernels: thread order, checking, OS threads; what a checked run counted.

Set by the context manager `simulator`, read at every launch; nothing else is kept between launches.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from norch_cuda.runtime.recording import Recordings


def _cores() -> int:
    """Return how many cores the simulator may run blocks on: those of this process."""
    on_linux = hasattr(os, "sched_getaffinity")
    return len(os.sched_getaffinity(0)) if on_linux else os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class SimulatorOptions:
    """How the simulator runs: see `simulator`."""

    order: str = "forward"
    check: bool = False
    threads: int = min(8, _cores())
    seconds: float = 60.0


@dataclass(slots=True)
class Counters:
    """What the kernels of a checked run did to memory."""

    global_reads: int = 0
    global_writes: int = 0
    shared_reads: int = 0
    shared_writes: int = 0
    atomics: int = 0


@dataclass(frozen=True, slots=True)
class Setting:
    """Options, and the counters of the block that set them."""

    options: SimulatorOptions
    counters: Counters
    recordings: Recordings | None = None


# From the thread, or block, whose turn it is to the next: a prime meets all before it comes back.
STEPS = {"forward": 1, "reversed": -1, "shuffled": -1618033999}
# Outside of any block nothing is checked, so nobody writes to these counters.
_DEFAULT = Setting(SimulatorOptions(), Counters())
_setting: ContextVar[Setting | None] = ContextVar("simulator", default=None)


@contextmanager
def simulator(
    order: str = "forward", check: bool = False, threads: int | None = None, seconds: float = 60.0
) -> Iterator[Counters]:
    """Choose how "cuda-sim" runs kernels inside the block; gives the counters of a checked run.

    order: "forward", "reversed" or "shuffled" (always alike), in which threads and blocks take
    turns; a correct kernel gives the same in all. check: watch every access; those out of bounds,
    misaligned, in a race, or of memory nobody has written are errors with their source line (five
    to eight times slower). threads: OS threads, for runs without check. A kernel that runs longer
    than `seconds` is an error under check, and always for kernels of `load_kernel`.
    """
    if order not in STEPS:
        raise ValueError(f"[simulator] order {order!r}: expected one of {', '.join(STEPS)}")
    if threads is not None and threads < 1:
        raise ValueError(f"[simulator] threads={threads}: expected at least 1")
    options = SimulatorOptions(order, check, threads or SimulatorOptions().threads, seconds)
    counters = Counters()
    token = _setting.set(Setting(options, counters))
    try:
        yield counters
    finally:
        _setting.reset(token)


def current_setting() -> Setting:
    """Return the options in force, and where a checked run counts."""
    return _setting.get() or _DEFAULT


@contextmanager
def record_launches(recordings: Recordings) -> Iterator[None]:
    """Record every launch on "cuda-sim" inside the block: what `norch_cuda.profile` needs."""
    now = current_setting()
    token = _setting.set(Setting(now.options, now.counters, recordings))
    try:
        yield
    finally:
        _setting.reset(token)
