"""Rung 5: a graph dies after its backward pass, and what nobody holds is gone.

Counted are Python's blocks and objects, with its collector of cycles off: a right step leaves as
many as it found. Nothing is timed, and no bytes are measured.
"""

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from norch_course.capstone.confine import guarded
from norch_course.capstone.graphs import tensor_of
from norch_course.projects import NotYet

WARM_UP, TIMES, COUNTS = 30, 50, 3
SHORT, LONG = 9, 72  # operations
DEEP = 20_000
SLACK = 10  # blocks: a list that grows


@contextmanager
def counting() -> Iterator[None]:
    """Keep the collector of cycles off."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def held() -> int:
    """Count what this process holds: blocks of memory, and objects that hold others."""
    return sys.getallocatedblocks() + len(gc.get_objects())


def growth(action: Callable[[], object], is_kept: bool = False) -> float:
    """Return how many blocks each call leaves, its result dropped or kept.

    Python keeps what it may use again: the least of several counts is what truly stays.
    """
    with counting():
        for _ in range(WARM_UP):
            guarded(action)
        return min(_growth(action, is_kept) for _ in range(COUNTS)) / TIMES


def _growth(action: Callable[[], object], is_kept: bool) -> int:
    kept: list[object] = [None] * TIMES
    before = held()
    for at in range(TIMES):
        if is_kept:
            kept[at] = guarded(action)
        else:
            guarded(action)
    return held() - before


def chain(x: Any, count: int) -> Any:
    """Compute a number in so many operations, all that there are, nine by nine."""
    for _ in range(0, count, 9):
        x = (-(x @ x)).exp().relu() / 2 + x * 0.25 - x * 0.25
    return x.sum()


def check(file: Path) -> str:
    """Steps, results that nobody wants, losses that are kept, numbers without a gradient."""
    make = tensor_of(file)
    data = [[0.5, -0.5], [0.25, 0.75]]
    x, fixed = guarded(make, data, True), guarded(make, data)

    def step(count: int) -> Any:
        loss = chain(x, count)
        loss.backward()
        return loss

    leaves_nothing("a step", lambda: step(LONG), "what still points at its nodes, or in a circle?")
    leaves_nothing("a result dropped before backward", lambda: chain(x, LONG), "who holds it?")
    keeps_little("a loss", step, "a backward pass takes its graph apart.")
    keeps_little("a result of constants", lambda n: chain(fixed, n), "there is nothing to record.")
    guarded(lambda: chain(x, DEEP) and None)  # a crash while it dies is told by the parent
    return f"{TIMES} steps, {TIMES} losses kept: nothing left over"


def leaves_nothing(what: str, action: Callable[[], object], advice: str) -> None:
    """Hold a call whose result is dropped to leaving as much as it found."""
    grown = growth(action)
    if grown >= 1:
        raise NotYet(f"{what} leaves {grown:.0f} blocks behind", advice)


def keeps_little(what: str, action: Callable[[int], object], advice: str) -> None:
    """Hold a kept result to a size that does not depend on what led to it."""
    short, long = (growth(partial(action, n), is_kept=True) for n in (SHORT, LONG))
    if long - short > SLACK:
        words = f"{what} of {LONG} operations holds {long - short:.0f} blocks more than of {SHORT}"
        raise NotYet(words, advice)
