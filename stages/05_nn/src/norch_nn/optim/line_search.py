"""A line search: how far to go in a direction, so that the strong Wolfe conditions hold.

The value must have fallen by enough, and the slope must have flattened. First a bracket around
such a place is sought, then it is narrowed (Nocedal and Wright, 2006, section 3.5). LBFGS calls it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from norch_autograd import Tensor

FALL = 1e-4  # the share of the fall that the first slope promises
FLAT = 0.9  # the share of the first slope that may be left
MOST = 25  # steps of the search


class Point(NamedTuple):
    """A place on the line: how far, the value there, its gradient, its slope along the line."""

    t: float
    value: float
    grad: Tensor
    slope: float


Evaluate = Callable[[float], Point]


def strong_wolfe(
    evaluate: Evaluate, start: Point, t: float, longest: float, tolerance: float
) -> tuple[Point, int]:
    """Return the place to go to, and how many were tried; `longest` is the direction's largest."""
    bracket, tried, found = bracketed(evaluate, start, t)
    if found:
        return bracket[0], tried
    close = tried - 1  # so many steps were taken
    hesitated = False
    while close < MOST and abs(bracket[1].t - bracket[0].t) * longest >= tolerance:
        t, hesitated = inside(bracket, hesitated)
        new = evaluate(t)
        tried, close = tried + 1, close + 1
        low, high = order(bracket)
        if too_high(new, start) or new.value >= bracket[low].value:
            bracket[high] = new
            continue
        if flat(new, start):
            return new, tried
        if new.slope * (bracket[high].t - bracket[low].t) >= 0:
            bracket[high] = bracket[low]
        bracket[low] = new
    return bracket[order(bracket)[0]], tried


def bracketed(evaluate: Evaluate, start: Point, t: float) -> tuple[list[Point], int, bool]:
    """Return two places around a good one, or a good one itself; how many were tried; which."""
    before, new = start, evaluate(t)
    for step in range(MOST):
        if too_high(new, start) or (step > 1 and new.value >= before.value):
            return [before, new], step + 1, False
        if flat(new, start):
            return [new], step + 1, True
        if new.slope >= 0:
            return [before, new], step + 1, False
        bounds = (new.t + 0.01 * (new.t - before.t), new.t * 10)
        before, new = new, evaluate(valley(before, new, bounds))
    return [start, new], MOST + 1, False


def too_high(point: Point, start: Point) -> bool:
    """Whether the value fell by less than the slope promised."""
    return point.value > start.value + FALL * point.t * start.slope


def flat(point: Point, start: Point) -> bool:
    """Whether the slope is small enough."""
    return abs(point.slope) <= -FLAT * start.slope


def order(bracket: list[Point]) -> tuple[int, int]:
    """Return the numbers of the lower and of the higher end."""
    return (0, 1) if bracket[0].value <= bracket[1].value else (1, 0)


def inside(bracket: list[Point], hesitated: bool) -> tuple[float, bool]:
    """Return a place in the bracket; twice too near an end moves it away from there."""
    a, b = bracket
    left, right = min(a.t, b.t), max(a.t, b.t)
    t, margin = valley(a, b, (left, right)), 0.1 * (right - left)
    if min(right - t, t - left) >= margin:
        return t, False
    if hesitated or t >= right or t <= left:
        return (right - margin if abs(t - right) < abs(t - left) else left + margin), False
    return t, True


def valley(a: Point, b: Point, bounds: tuple[float, float]) -> float:
    """Return where the cubic through both values and slopes is lowest, within the bounds."""
    low, high = bounds
    if a.t > b.t:
        a, b = b, a
    first = a.slope + b.slope - 3 * (a.value - b.value) / (a.t - b.t)
    square = first**2 - a.slope * b.slope
    if square < 0:
        return (low + high) / 2
    root = math.sqrt(square)
    t = b.t - (b.t - a.t) * ((b.slope + root - first) / (b.slope - a.slope + 2 * root))
    return min(max(t, low), high)
