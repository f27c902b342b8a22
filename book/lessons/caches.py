"""Chapter 2: a cache to count with, and the orders in which loops ask it for elements.

The cache keeps the lines that were asked for last (fully associative, LRU). `count` sends a whole
loop through it. figures/caches.py draws this, _static/cache_explorer.js repeats it in the page.
Nothing here is timed, and no real cache is asked.
"""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

Place = tuple[str, int, int]  # matrix, row, column
Line = tuple[str, int]  # matrix, number of the line in it

# What each step asks for, as (matrix, names of its row and column).
WORK = {
    "product": (("a", "ip"), ("b", "pj"), ("out", "ij")),
    "sum": (("x", "ij"),),
}
ORDERS = {
    "product": ("ijp", "ipj", "jip", "jpi", "pij", "pji", "blocked"),
    "sum": ("ij", "ji"),
}


class Task(NamedTuple):
    """A loop over square matrices, and the cache that it meets."""

    work: str = "product"
    order: str = "ijp"  # the outermost loop first
    size: int = 16  # rows, and columns, of each matrix
    line: int = 4  # elements of a line; divides `size`
    capacity: int = 16  # lines that the cache holds


class Cache:
    """Keeps `capacity` lines; for a new one it drops the line that was asked for longest ago."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.kept: dict[Line, None] = {}  # the oldest first

    def has(self, line: Line) -> bool:
        """Ask for a line; return whether it was there. Afterwards it is."""
        was_there = line in self.kept
        if was_there:
            del self.kept[line]
        elif len(self.kept) == self.capacity:
            del self.kept[next(iter(self.kept))]
        self.kept[line] = None
        return was_there


def steps(task: Task) -> Iterator[dict[str, int]]:
    """Yield the loops' counters, step after step."""
    if task.order == "blocked":
        yield from _blocked(task)
        return
    for counters in product(range(task.size), repeat=len(task.order)):
        yield dict(zip(task.order, counters, strict=True))


def _blocked(task: Task) -> Iterator[dict[str, int]]:
    """Yield i, p, j within one square piece of b, then in the next: four wide, or a line."""
    side = max(4, task.line)
    for first_p, first_j in product(range(0, task.size, side), repeat=2):
        depth, width = range(first_p, first_p + side), range(first_j, first_j + side)
        for i, p, j in product(range(task.size), depth, width):
            yield {"i": i, "p": p, "j": j}


def places(task: Task) -> Iterator[Place]:
    """Yield the elements that the loop asks for, in its order."""
    for at in steps(task):
        for matrix, (row, column) in WORK[task.work]:
            yield matrix, at[row], at[column]


def count(task: Task) -> dict[Line, int]:
    """Return how often each line is fetched."""
    cache, fetched = Cache(task.capacity), dict[Line, int]()
    for matrix, row, column in places(task):
        line = matrix, (row * task.size + column) // task.line
        if not cache.has(line):
            fetched[line] = fetched.get(line, 0) + 1
    return fetched
