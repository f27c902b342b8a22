"""Rung 3: the order of the walk. A node waits for all its parts, is left once, and needs no stack.

How often the walk calls something is counted, not timed: a walk along each path doubles with each
diamond of a ladder.
"""

import sys
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from norch_course.capstone.confine import guarded
from norch_course.capstone.graphs import (
    Case,
    agree,
    compare,
    drawn,
    numbers_of,
    random_case,
    tensor_of,
)
from norch_course.capstone.plain import Plain
from norch_course.projects import NotYet

DEEP = 20_000  # operations in a row
LADDERS = (8, 16)  # diamonds, one on the other
GRAPHS = 30
WAIT = "a node may send its gradient on when all parts of it have come."


class TooMany(Exception):
    """The walk has called more than a right one would."""


def unequal(a: Any) -> Any:
    """One way from the middle to the end is five operations longer than the other."""
    middle = a * 2
    far = middle
    for _ in range(5):
        far = far * 0.5 + 1
    return (middle * far).sum()


def late(a: Any, b: Any) -> Any:
    """What was computed first is used last."""
    first = a * b
    second = first.relu() + first
    return (second * first + second.exp() * b + first).sum()


def check(file: Path) -> str:
    """Paths of different lengths, many paths, a long one."""
    random = Random(3)
    a, b = drawn(random, (2, 3)), drawn(random, (2, 3))
    compare(file, Case("a path and a longer one", unequal, [a]), WAIT)
    compare(file, Case("a node used early and late", late, [a, b]), WAIT)
    for seed in range(200, 200 + GRAPHS):
        compare(file, random_case(seed, [(2, 2)] * 2, 30), WAIT)
    few, many = (calls_of_ladder(file, rungs) for rungs in LADDERS)
    deep(file)
    return f"{LADDERS[1]} diamonds: {many / few:.1f} times the calls of {LADDERS[0]}; {DEEP} deep"


def calls_of_ladder(file: Path, rungs: int, per_rung: int = 2000) -> int:
    """Count the calls of a walk down a ladder of diamonds."""
    x = guarded(tensor_of(file), [1.0], True)
    y = x
    for _ in range(rungs):
        y = guarded(lambda below: below * 0.5 + below * 0.5, y)
    end = y.sum()
    count = 0

    def look(frame: FrameType, event: str, called: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")
        if count > per_rung * rungs:
            raise TooMany

    sys.setprofile(look)
    try:
        guarded(end.backward)
    except TooMany:
        advice = "each node is left once, however many paths lead to it."
        raise NotYet(f"a ladder of {rungs} diamonds: over {count} calls", advice) from None
    finally:
        sys.setprofile(None)
    shown = f"the gradient below {rungs} diamonds"
    agree(shown, numbers_of(x.grad, shown), Plain((1,), [1]), WAIT)
    return count


def deep(file: Path) -> None:
    """A chain of many operations, each of which uses `x` again."""
    x = guarded(tensor_of(file), [0.5], True)

    def chain() -> None:
        y = x
        for _ in range(DEEP):
            y = y + x
        y.sum().backward()

    try:
        guarded(chain)
    except RecursionError:
        advice = "a walk that calls itself ends where Python's stack does."
        raise NotYet(f"{DEEP} operations in a row: RecursionError", advice) from None
    shown = f"the gradient after {DEEP} additions"
    agree(shown, numbers_of(x.grad, shown), Plain((1,), [DEEP + 1]), WAIT)
