"""Rung 4: operands of different shapes. Values are repeated, gradients keep their shape."""

import operator
from pathlib import Path
from random import Random

from norch_course.capstone.graphs import Case, compare, drawn, random_case
from norch_course.capstone.plain import Shape

PAIRS: list[tuple[Shape, Shape]] = [
    ((2, 3), (3,)),
    ((3,), (2, 3)),
    ((2, 3), (2, 1)),
    ((2, 1), (1, 3)),
    ((2, 3), ()),
    ((), (2, 3)),
    ((2, 3), (1, 1)),
    ((1,), (3,)),
    ((4, 1, 3), (2, 1)),
    ((3,), (2, 4, 1)),
]
OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
GRAPHS = 20
ADVICE = "a number that was read several times had several effects; its gradient has its shape."


def check(file: Path) -> str:
    """Each operator on each pair of shapes, then random graphs."""
    random = Random(4)
    for first, second in PAIRS:
        for name, combine in OPERATORS.items():
            inputs = [drawn(random, shape) for shape in (first, second)]
            shown = f"(a {name} b).exp().sum() for {first} and {second}"
            case = Case(shown, lambda a, b, combine=combine: combine(a, b).exp().sum(), inputs)
            compare(file, case, ADVICE)
    for seed in range(300, 300 + GRAPHS):
        compare(file, random_case(seed, [(2, 3), (3,), (2, 1), ()], 8), ADVICE)
    return f"{len(PAIRS)} pairs of shapes, {GRAPHS} random graphs"
