"""Rung 1: values and gradients, operation by operation, then on random trees.

Shapes are equal or numbers here, and no value is used twice: later rungs ask for that.
"""

from collections.abc import Callable
from pathlib import Path
from random import Random
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
from norch_course.capstone.plain import Plain, plain
from norch_course.projects import NotYet

TREES = 30
SAME, INNER = ((2, 3), (2, 3)), ((2, 3), (3, 4))
ONE = ((2, 3),)
# In this order, so that what a later one is measured with is right.
EXPRESSIONS: list[tuple[str, Callable[..., Any], tuple[tuple[int, ...], ...]]] = [
    ("a.sum()", lambda a: a.sum(), ONE),
    ("(a * b).sum()", lambda a, b: (a * b).sum(), SAME),
    ("((a + b) * c).sum()", lambda a, b, c: ((a + b) * c).sum(), (*SAME, (2, 3))),
    ("((a - b) * c).sum()", lambda a, b, c: ((a - b) * c).sum(), (*SAME, (2, 3))),
    ("((a / b) * c).sum()", lambda a, b, c: ((a / b) * c).sum(), (*SAME, (2, 3))),
    ("((a @ b) * c).sum()", lambda a, b, c: ((a @ b) * c).sum(), (*INNER, (2, 4))),
    ("(-a * b).sum()", lambda a, b: (-a * b).sum(), SAME),
    ("(a.exp() * b).sum()", lambda a, b: (a.exp() * b).sum(), SAME),
    ("(a.relu() * b).sum()", lambda a, b: (a.relu() * b).sum(), SAME),
    ("(a + 2).sum()", lambda a: (a + 2).sum(), ONE),
    ("(2 + a).sum()", lambda a: (2 + a).sum(), ONE),
    ("(a - 2).sum()", lambda a: (a - 2).sum(), ONE),
    ("(2 - a).sum()", lambda a: (2 - a).sum(), ONE),
    ("(a * 2).sum()", lambda a: (a * 2).sum(), ONE),
    ("(2 * a).sum()", lambda a: (2 * a).sum(), ONE),
    ("(a / 2).sum()", lambda a: (a / 2).sum(), ONE),
    ("(2 / a).sum()", lambda a: (2 / a).sum(), ONE),
]
ADVICE = "what happens to the result if this number grows a little?"


def check(file: Path) -> str:
    """Numbers go in and come out; each operation has its value and its gradients."""
    make = tensor_of(file)
    for data in (3.5, [1.0, -2.0], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]):
        shown = f"tensor({data}).tolist()"
        agree(shown, numbers_of(guarded(make, data), shown), plain(data), "give back what came.")
    if guarded(make, [1.0], True).grad is not None:
        raise NotYet("a new tensor has a gradient", "`grad` is None until a backward pass.")
    random = Random(1)
    for shown, expression, shapes in EXPRESSIONS:
        inputs: list[Plain] = [drawn(random, shape) for shape in shapes]
        compare(file, Case(shown, expression, inputs), ADVICE)
    for seed in range(TREES):
        compare(file, random_case(seed, [(3, 3)] * 4, 8, again="none"), ADVICE)
    return f"{len(EXPRESSIONS)} expressions, {TREES} random trees"
