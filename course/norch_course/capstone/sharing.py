"""Rung 2: a value that is used more than once, in one graph or in two, gets all its gradient.

And nobody else's: gradients of different tensors are different arrays. All uses are equally far
from the end here; what a walk does where they are not is the next rung.
"""

from pathlib import Path
from random import Random

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

GRAPHS = 30
EXPRESSIONS = [
    ("(a * a).sum()", lambda a: (a * a).sum()),
    ("(a + a).sum()", lambda a: (a + a).sum()),
    ("(a / a + a).sum()", lambda a: (a / a + a).sum()),
    ("(a @ a).sum()", lambda a: (a @ a).sum()),
    ("(a.exp() - a.relu()).sum()", lambda a: (a.exp() - a.relu()).sum()),
]
ADVICE = "each use sends a part back: what is the sum of all parts?"


def check(file: Path) -> str:
    """Each use counts, in one graph and over several backward passes."""
    random = Random(2)
    for shown, expression in EXPRESSIONS:
        compare(file, Case(shown, expression, [drawn(random, (3, 3))]), ADVICE)
    two_passes(file)
    constants(file)
    for seed in range(100, 100 + GRAPHS):
        compare(file, random_case(seed, [(3, 3)] * 4, 8, again="same"), ADVICE)
    return f"{len(EXPRESSIONS)} expressions, two passes, {GRAPHS} random graphs"


def two_passes(file: Path) -> None:
    """Gradients of two losses add up, and those of two tensors stay apart."""
    make = tensor_of(file)
    a, b = guarded(make, [1.0, 2.0], True), guarded(make, [3.0, 4.0], True)
    guarded(lambda: (a + b).sum().backward())
    guarded(lambda: (a * 3).sum().backward())
    shown = "a.grad after (a + b).sum().backward() and (a * 3).sum().backward()"
    advice = "a second backward pass adds to what the first one left."
    agree(shown, numbers_of(a.grad, shown), Plain((2,), [4, 4]), advice)
    shown = shown.replace("a.grad", "b.grad")
    agree(shown, numbers_of(b.grad, shown), Plain((2,), [1, 1]), "do a and b share one array?")


def constants(file: Path) -> None:
    """A tensor that wants no gradient gets none."""
    make = tensor_of(file)
    a, fixed = guarded(make, [1.0, 2.0], True), guarded(make, [3.0, 4.0])
    guarded(lambda: (a * fixed).sum().backward())
    if fixed.grad is not None:
        raise NotYet(
            "a tensor with requires_grad=False has a gradient", "only those that ask for one."
        )
