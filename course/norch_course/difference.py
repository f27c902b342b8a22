"""The first place at which what came of a call differs from what was wanted.

The judge sends values whole, as data; a report shows a few of their characters. Here the two are
read, the first place that differs is found, and long values are cut around it, so that no report
shows two equal lines. Called by `report.py` and `slips.py`; `testing.agree` alone decides verdicts.
"""

import ast
from collections.abc import Iterator
from math import inf, nan
from typing import Any, NamedTuple

from norch_course.running import Record
from norch_course.testing import ONE_PARSER, has_float

LONGEST = 200  # characters of a value that are shown whole
BEFORE, AROUND = 60, 160  # of a longer one: before the place, and together
SHORT = 60  # of what stands at the place
NOTHING, END = "nothing there", "the end"
SAME_WORDS = "in its type: yours is printed the same, and is no plain number, text or list of them"
NAMES = {"inf": inf, "nan": nan}


class Pair(NamedTuple):
    """What came of a call, and what was wanted."""

    value: Any
    right: Any


class Place(NamedTuple):
    """Where two values differ: the indices and keys that lead there, and what stands there."""

    path: tuple[Any, ...]
    mine: str
    right: str

    def __str__(self) -> str:
        where = "".join(f"[{step!a}]" for step in self.path)
        return f"at {where}: {_short(self.mine)}, expected {_short(self.right)}".replace(
            "at : ", ""
        )


class _Names(ast.NodeTransformer):
    """Turns `inf` and `nan`, as Python spells them, into the numbers."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Constant(NAMES[node.id]) if node.id in NAMES else node


def pair_of(record: Record) -> Pair | None:
    """Return the two values of a record; None where one is an error, or no plain value."""
    try:
        return Pair(_value_of(record.data), _value_of(record.wanted))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _value_of(data: str) -> Any:
    with ONE_PARSER:
        return ast.literal_eval(_Names().visit(ast.parse(data, mode="eval")))


def lines_of(record: Record) -> list[tuple[str, str]]:
    """Return what a report says of a record that was not met: both values, where they differ."""
    pair = pair_of(record)
    place = first(pair) if pair else None
    got, expected = record.got, record.expected
    if pair and place:
        got = _window(got, pair.value, place)
        expected = _window(expected, pair.right, place)
    lines = [("you", got), ("expected", expected)]
    if place and (place.path or isinstance(pair and pair.right, set)):
        return [*lines, ("differs", str(place))]
    return lines if got != expected else [*lines, ("differs", SAME_WORDS)]


def first(pair: Pair) -> Place | None:
    """Return the first place at which two values differ."""
    floats = has_float(pair.right)
    return next(_places(pair.value, pair.right, (), floats), None)


def _places(value: Any, right: Any, path: tuple[Any, ...], floats: bool) -> Iterator[Place]:
    """Yield the places that differ; without `floats`, a float is no whole number."""
    if isinstance(value, tuple | list) and isinstance(right, tuple | list):
        yield from _items(dict(enumerate(value)), dict(enumerate(right)), path, floats, END)
        if type(value) is not type(right):
            yield Place(path, f"a {type(value).__name__}", f"a {type(right).__name__}")
    elif isinstance(value, dict) and isinstance(right, dict):
        yield from _items(value, right, path, floats, "no such key")
    elif isinstance(value, set) and isinstance(right, set):
        yield from (
            Place(path, f"no {one!a}", ascii(one)) for one in sorted(right - value, key=ascii)
        )
        yield from (
            Place(path, ascii(one), f"no {one!a}") for one in sorted(value - right, key=ascii)
        )
    elif value != right or (isinstance(value, float) and not floats):
        yield Place(path, ascii(value), ascii(right))


def _items(
    value: dict[Any, Any], right: dict[Any, Any], path: tuple[Any, ...], floats: bool, end: str
) -> Iterator[Place]:
    for key, part in right.items():
        if key in value:
            yield from _places(value[key], part, (*path, key), floats)
        else:
            yield Place((*path, key), NOTHING, ascii(part))
    for key in value.keys() - right.keys():
        yield Place((*path, key), ascii(value[key]), end)


def _window(shown: str, value: Any, place: Place) -> str:
    """Return a value as it is shown, or, where that is long, what stands around a place of it."""
    text = ascii(value)
    if len(text) <= LONGEST:
        return shown
    at = _offset(value, place.path) + _common(place.mine, place.right)
    start = max(0, at - BEFORE)
    comma = text.find(", ", start, at)
    start = comma + 2 if start and comma >= 0 else start
    end = start + AROUND
    return "... " * (start > 0) + text[start:end] + " ..." * (end < len(text))


def _offset(value: Any, path: tuple[Any, ...]) -> int:
    """Return where in the text of a value the part at the end of a path begins."""
    if not path:
        return 0
    keys = list(value) if isinstance(value, dict) else range(len(value))
    if path[0] not in keys:
        return len(ascii(value)) - 1
    before = list(keys).index(path[0])
    if isinstance(value, dict):
        text = ascii(dict(list(value.items())[:before]))
        into = len(ascii(path[0])) + 2
    else:
        text, into = ascii(list(value[:before])), 0
    return len(text) - 1 + 2 * bool(before) + into + _offset(value[path[0]], path[1:])


def _common(one: str, other: str) -> int:
    """Return how many characters two texts begin with together, where that is many."""
    pairs = enumerate(zip(one, other, strict=False))
    count = next((k for k, (a, b) in pairs if a != b), min(len(one), len(other)))
    return count if count > SHORT else 0


def _short(text: str) -> str:
    return text if len(text) <= SHORT else text[:SHORT] + " ..."
