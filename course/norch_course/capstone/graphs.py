"""Expressions, and whether their values and gradients are right: finite differences say.

An expression is a function of arrays that returns one number. It runs on the learner's tensors and
on `Plain` arrays, whose numbers are moved a little, one after another. Bounds are wide enough for
float32. Random graphs come from fixed seeds: they are the same every time.
"""

import itertools
import math
import operator
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from norch_course.capstone.confine import guarded, name_of, telling
from norch_course.capstone.plain import Plain, Shape, plain
from norch_course.projects import NotYet

Expression = Callable[..., Any]  # of arrays, all of one kind; returns one number of that kind
STEP = 1e-5  # by which a number is moved: the middle between rounding and bending
CLOSE = 2e-3  # of a gradient, or of 1
LARGEST = 20.0  # of what a random graph computes: float32 has seven digits
NEAR_KINK, NEAR_POLE = 0.01, 0.3  # of relu and of a division, at 0
VALUE = "compare with the same lines on numbers, by hand."


class Case(NamedTuple):
    """An expression as a learner would type it, and what it is called with."""

    shown: str
    expression: Expression
    inputs: Sequence[Plain]


def tensor_of(file: Path) -> Callable[..., Any]:
    """Return the learner's `tensor`."""
    found: Callable[..., Any] = name_of(file, "tensor", "tensor(data, requires_grad=False)")
    return found


def drawn(random: Random, shape: Shape) -> Plain:
    """Draw numbers between 0.5 and 1.5, half of them negative: none near 0."""
    count = math.prod(shape)
    return Plain(shape, [random.uniform(0.5, 1.5) * random.choice((-1, 1)) for _ in range(count)])


def numbers_of(value: Any, what: str) -> Plain:
    """Return the numbers of a tensor or of a gradient by their `tolist`."""
    try:
        return plain(value.tolist())
    except (AttributeError, TypeError, ValueError) as error:
        advice = "`tolist()` gives a number, or nested lists of numbers."
        raise NotYet(f"{what} has no numbers ({error})", advice) from None


def differences(expression: Expression, inputs: Sequence[Plain]) -> list[Plain]:
    """Return by how much the number changes with each of those it was computed from."""
    found = []
    for place, one in enumerate(inputs):
        slopes = []
        for at in range(len(one.flat)):
            ends = []
            for step in (STEP, -STEP):
                moved = Plain(one.shape, one.flat)
                moved.flat[at] += step
                ends.append(expression(*inputs[:place], moved, *inputs[place + 1 :]).flat[0])
            slopes.append((ends[0] - ends[1]) / (2 * STEP))
        found.append(Plain(one.shape, slopes))
    return found


def agree(shown: str, got: Plain, wanted: Plain, advice: str) -> None:
    """Raise NotYet with the first number that differs, or with the shape."""
    if got.shape != wanted.shape:
        raise NotYet(f"{shown} has shape {got.shape}, not {wanted.shape}", advice)
    places = itertools.product(*map(range, got.shape))
    for place, one, right in zip(places, got.flat, wanted.flat, strict=True):
        if not abs(one - right) <= CLOSE * max(1.0, abs(right)):
            where = f", at {list(place)}," if place else ""
            raise NotYet(f"{shown}{where} is {one:.5g}, not {right:.5g}", advice)


def compare(file: Path, case: Case, advice: str) -> None:
    """Hold the learner's value and gradients of one expression to what is right."""
    make = tensor_of(file)
    names = "abcdefgh"[: len(case.inputs)]
    given = [guarded(make, one.tolist(), True) for one in case.inputs]
    with telling(case.shown):
        result = guarded(case.expression, *given)
    agree(case.shown, numbers_of(result, case.shown), case.expression(*case.inputs), VALUE)
    with telling(f"going back from {case.shown}"):
        guarded(result.backward)
    right = differences(case.expression, case.inputs)
    for name, one, wanted in zip(names, given, right, strict=True):
        shown = f"the gradient of {name} in {case.shown}"
        if one.grad is None:
            raise NotYet(f"{shown} is None", advice)
        agree(shown, numbers_of(one.grad, shown), wanted, advice)


class Step(NamedTuple):
    """One operation of a random graph, on values by their numbers."""

    name: str
    operands: tuple[int, ...]


OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "@": operator.matmul,
    "neg": operator.neg,
    "exp": lambda x: x.exp(),
    "relu": lambda x: x.relu(),
}
UNARY = ("neg", "exp", "relu")


def run(steps: Sequence[Step], *inputs: Any) -> Any:
    """Compute the graph, and add up what nobody used."""
    values, used = list(inputs), set[int]()
    for step in steps:
        values.append(OPERATIONS[step.name](*(values[at] for at in step.operands)))
        used.update(step.operands)
    ends = [value.sum() for at, value in enumerate(values) if at not in used]
    total = ends[0]
    for end in ends[1:]:
        total = total + end
    return total


def random_case(seed: int, shapes: Sequence[Shape], count: int, again: str = "all") -> Case:
    """Draw a graph of `count` operations whose numbers stay small, away from where it bends.

    A value may be used `again`: by "all" later operations, by the "same" one, by "none".
    """
    random = Random(seed)
    inputs = [drawn(random, shape) for shape in shapes]
    values, steps = list(inputs), list[Step]()
    free = list(range(len(inputs)))  # values that may be used
    squares = len(set(shapes)) == 1
    while len(steps) < count:
        name = random.choice([one for one in OPERATIONS if squares or one != "@"])
        many = 1 if name in UNARY else 2
        if len(free) < many:
            break
        chosen = random.sample(free, many) if again == "none" else random.choices(free, k=many)
        if not is_sound(name, [values[at] for at in chosen]):
            continue
        steps.append(Step(name, tuple(chosen)))
        free = [at for at in free if again == "all" or at not in chosen] + [len(values)]
        values.append(OPERATIONS[name](*(values[at] for at in chosen)))
    shown = f"random graph {seed} ({' '.join(step.name for step in steps)})"
    return Case(shown, lambda *given: run(steps, *given), inputs)


def is_sound(name: str, operands: Sequence[Plain]) -> bool:
    """Tell whether an operation keeps its numbers small, and stays away from where it bends."""
    nearest = min(map(abs, operands[-1].flat))
    if nearest < {"relu": NEAR_KINK, "/": NEAR_POLE}.get(name, 0):
        return False
    if name == "exp" and max(operands[0].flat) > 2:
        return False
    result: Plain = OPERATIONS[name](*operands)
    return max(map(abs, result.flat)) < LARGEST
