"""Arrays as plain lists: what is right, computed as slowly and as plainly as possible.

The rungs run the same expression on these and on the learner's tensors. There are no gradients
here: `graphs` moves a number a little and looks what happens.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterable
from typing import Any

Shape = tuple[int, ...]
Data = Any  # a number, or nested lists of numbers


class Plain:
    """Numbers in row-major order, and their shape."""

    def __init__(self, shape: Shape, flat: Iterable[float]) -> None:
        self.shape = shape
        self.flat = list(flat)

    def tolist(self) -> Data:
        """Return nested lists."""
        found: list[Any] = self.flat
        for size in reversed(self.shape):
            found = [found[at : at + size] for at in range(0, len(found), size)]
        return found[0]

    def __add__(self, other: Plain | float) -> Plain:
        return together(operator.add, self, other)

    def __radd__(self, other: float) -> Plain:
        return together(operator.add, other, self)

    def __sub__(self, other: Plain | float) -> Plain:
        return together(operator.sub, self, other)

    def __rsub__(self, other: float) -> Plain:
        return together(operator.sub, other, self)

    def __mul__(self, other: Plain | float) -> Plain:
        return together(operator.mul, self, other)

    def __rmul__(self, other: float) -> Plain:
        return together(operator.mul, other, self)

    def __truediv__(self, other: Plain | float) -> Plain:
        return together(operator.truediv, self, other)

    def __rtruediv__(self, other: float) -> Plain:
        return together(operator.truediv, other, self)

    def __neg__(self) -> Plain:
        return self.each(operator.neg)

    def __matmul__(self, other: Plain) -> Plain:
        (n, k), m = self.shape, other.shape[1]
        rows = [self.flat[i * k : i * k + k] for i in range(n)]
        columns = [other.flat[j::m] for j in range(m)]
        products = [sum(map(operator.mul, row, column)) for row in rows for column in columns]
        return Plain((n, m), products)

    def each(self, function: Callable[[float], float]) -> Plain:
        """Apply a function to each number."""
        return Plain(self.shape, [function(one) for one in self.flat])

    def exp(self) -> Plain:
        """Return e to each number."""
        return self.each(math.exp)

    def relu(self) -> Plain:
        """Return the larger of each number and 0."""
        return self.each(lambda one: max(one, 0.0))

    def sum(self) -> Plain:
        """Add all numbers."""
        return Plain((), [math.fsum(self.flat)])


def plain(data: Data) -> Plain:
    """Read nested lists; ValueError where they are no numbers, or of different lengths."""
    if not isinstance(data, list | tuple):
        return Plain((), [float(data)])
    parts = [plain(part) for part in data]
    shapes = {part.shape for part in parts}
    if len(shapes) > 1:
        raise ValueError("the lists have different lengths")
    return Plain((len(parts), *next(iter(shapes), ())), [x for part in parts for x in part.flat])


def together(function: Callable[[float, float], float], a: Any, b: Any) -> Plain:
    """Apply a function to two operands, each repeated where the other one is larger."""
    a, b = (one if isinstance(one, Plain) else Plain((), [one]) for one in (a, b))
    pairs = itertools.zip_longest(a.shape[::-1], b.shape[::-1], fillvalue=1)
    shape = tuple(x if y == 1 else y for x, y in pairs)[::-1]
    return Plain(shape, map(function, _repeated(a, shape), _repeated(b, shape)))


def _repeated(a: Plain, shape: Shape) -> list[float]:
    """List the numbers of an operand as the larger shape reads them."""
    if a.shape == shape:
        return a.flat
    sizes = (1,) * (len(shape) - len(a.shape)) + a.shape
    steps = [math.prod(sizes[dim + 1 :]) * (size > 1) for dim, size in enumerate(sizes)]
    places = itertools.product(*map(range, shape))
    return [a.flat[sum(map(operator.mul, place, steps))] for place in places]
