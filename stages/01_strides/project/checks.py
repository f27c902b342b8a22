"""The properties of project 1: what `rearrange` means, without touching an element.

`make project 1` hands `rearrange.py` to each function in turn. What is right is computed here from
the words of the task alone; a buffer counts what is read of it.
"""

import random
import runpy
from collections.abc import Callable, Iterator
from math import prod
from pathlib import Path
from typing import NamedTuple

from norch_course.projects import NotYet, claim
from norch_course.testing import error_text
from norch_strides import Layout, StridedArray, bounds, positions, reshape

ROUNDS = 300
REFUSED = [  # a pattern, the shape of the array, sizes
    ("a b -> a", (2, 3), {}),
    ("a b -> b a c", (2, 3), {}),
    ("a a -> a", (2, 2), {}),
    ("a b -> b b a", (2, 3), {}),
    ("a b c -> c b a", (2, 3), {}),
    ("(a b) c -> a b c", (6, 2), {}),
    ("(a b) c -> a b c", (6, 2), {"a": 4}),
    ("(a b) c -> a b c", (6, 2), {"a": 2, "b": 2}),
    ("a b -> b a", (2, 3), {"c": 2}),
    ("a b -> b a", (2, 3), {"a": 3}),
    ("a b", (2, 3), {}),
    ("(a b -> b a", (6,), {"a": 2}),
]
Groups = list[list[str]]
Rearrange = Callable[..., StridedArray]


class Counting(list):
    """A buffer that counts what is read of it."""

    reads = 0

    def __getitem__(self, place):
        """Count one read, or those of a slice."""
        found = super().__getitem__(place)
        self.reads += len(found) if isinstance(place, slice) else 1
        return found

    def __iter__(self):
        """Count a walk as a read of everything."""
        self.reads += len(self)
        return super().__iter__()


class Case(NamedTuple):
    """An array somewhere in a buffer, and a pattern for it."""

    left: Groups
    right: Groups
    size: dict[str, int]
    given: dict[str, int]  # the sizes that a caller has to name
    array: StridedArray

    @property
    def called(self) -> str:
        """The pattern as one writes it, with the array's layout."""
        return f'"{self.pattern}" of shape {self.array.shape}, strides {self.array.strides}'

    @property
    def pattern(self) -> str:
        """The pattern alone."""
        sides = (" ".join(map(written, side)) for side in (self.left, self.right))
        return " -> ".join(sides)

    @property
    def split(self) -> Layout:
        """The layout with a dimension for each name, in the order of the right side."""
        strides = {}
        for group, step in zip(self.left, self.array.strides, strict=True):
            for name in reversed(group):
                strides[name], step = step, step * self.size[name]
        names = [name for group in self.right for name in group]
        shape = tuple(self.size[name] for name in names)
        return Layout(shape, tuple(strides[name] for name in names), self.array.offset)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result."""
        return tuple(prod(self.size[name] for name in group) for group in self.right)


def written(group: list[str]) -> str:
    """Write the names of one dimension."""
    return group[0] if len(group) == 1 else f"({' '.join(group)})"


def grouped(names: list[str], draw: random.Random) -> Groups:
    """Cut names into dimensions of one name or several."""
    found: Groups = []
    for name in names:
        if found and draw.random() < 0.4:
            found[-1].append(name)
        else:
            found.append([name])
    return found


def array(shape: tuple[int, ...], draw: random.Random) -> StridedArray:
    """Lay an array of this shape out at random: any order, gaps, backwards, repeated."""
    strides, step = [0] * len(shape), 1
    for k in draw.sample(range(len(shape)), len(shape)):
        strides[k] = draw.choice((1, 1, 1, 1, -1, 0)) * step
        step *= shape[k] + draw.choice((0, 0, 0, 1))
    first = bounds(Layout(shape, tuple(strides)))[0]
    layout = Layout(shape, tuple(strides), draw.randint(0, 3) - first)
    return StridedArray(Counting(range(100, 100 + bounds(layout)[1] + 3)), layout)


def cases() -> Iterator[Case]:
    """Draw arrays and patterns, the same in every run."""
    draw = random.Random(7)
    for _ in range(ROUNDS):
        names = draw.sample(["a", "b", "c", "rows", "x2"], draw.randint(1, 5))
        size = {name: draw.choice((1, 2, 2, 3)) for name in names}
        left, right = grouped(names, draw), grouped(draw.sample(names, len(names)), draw)
        free = {draw.choice(group) for group in left}
        given = {name: size[name] for name in names if name not in free}
        shape = tuple(prod(size[name] for name in group) for group in left)
        yield Case(left, right, size, given, array(shape, draw))


def loaded(file: Path) -> Rearrange:
    """Run the learner's file; return its function."""
    return runpy.run_path(str(file))["rearrange"]


@claim("right")
def right(file: Path) -> str:
    """The elements in the order that the right side says, whatever the strides are."""
    rearrange = loaded(file)
    for case in cases():
        wanted = [case.array.buffer[place] for place in positions(case.split)]
        got = rearrange(case.array, case.pattern, **case.given)
        if got.shape != case.shape or got.flat() != wanted:
            raise NotYet(
                f"{case.called}: {got.shape} {got.flat()[:6]}, expected {case.shape} {wanted[:6]}",
                "which name runs fastest in a dimension that several share, and by which stride?",
            )
    empty = StridedArray([], Layout((0, 6), (6, 1)))
    shape = rearrange(empty, "a (b c) -> c a b", b=2).shape
    if shape != (3, 0, 2):
        raise NotYet(
            f"of an empty array: {shape}, expected (3, 0, 2)", "sizes count, not elements."
        )
    return f"{ROUNDS} random patterns and layouts"


def with_view(has_one: bool) -> Iterator[Case]:
    """Draw the cases whose result is a view, or those where only a copy can have the shape."""
    return (case for case in cases() if (reshape(case.split, case.shape) is not None) == has_one)


@claim("elements read")
def reads(file: Path) -> str:
    """Of arrays whose result is a view of the same buffer."""
    rearrange, found = loaded(file), list(with_view(True))
    for case in found:
        rearrange(case.array, case.pattern, **case.given)
    count = sum(case.array.buffer.reads for case in found)
    if count:
        raise NotYet(
            f"{count} for {len(found)} results that have a view",
            "none is needed: which stride belongs to each name, and to names that are merged?",
        )
    return f"0 for {len(found)} results that have a view"


@claim("shared")
def shared(file: Path) -> str:
    """A write through the result shows in the array."""
    rearrange, count = loaded(file), 0
    for case in with_view(True):
        got = rearrange(case.array, case.pattern, **case.given)
        got[...] = 0
        if any(case.array.flat()):
            raise NotYet(f"{case.called}: a write is lost", "give back the buffer, not a copy.")
        count += 1
    return f"{count} writes seen"


@claim("copied once")
def copied(file: Path) -> str:
    """Where no view can have the shape: each element is read at most twice."""
    rearrange, found = loaded(file), list(with_view(False))
    for case in found:
        rearrange(case.array, case.pattern, **case.given)
    count = sum(case.array.buffer.reads for case in found)
    most = sum(2 * prod(case.shape) for case in found)
    if count > most:
        raise NotYet(f"{count} reads, at most {most}", "read each element once, in its order.")
    return f"{len(found)} results without a view, {count} reads of at most {most}"


@claim("refused")
def refused(file: Path) -> str:
    """Patterns that mean nothing, in the words of the library."""
    rearrange = loaded(file)
    for pattern, shape, sizes in REFUSED:
        called = f'"{pattern}" of shape {shape}' + f", {sizes}" * bool(sizes)
        x = StridedArray(list(range(prod(shape))), Layout(shape, (shape[-1], 1)[-len(shape) :]))
        try:
            said = str(rearrange(x, pattern, **sizes))
        except Exception as error:
            said = str(error) if isinstance(error, ValueError) else error_text(error)
        if not said.startswith("[rearrange] "):
            raise NotYet(
                f"{called}: {said}",
                'what could it mean? Raise ValueError("[rearrange] what was given, expected").',
            )
    return f"{len(REFUSED)} patterns that mean nothing"
