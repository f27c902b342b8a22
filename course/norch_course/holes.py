"""Holes: the marked regions of a reference file that a reader writes again.

One mechanism for Python, C++ and CUDA. `# ex 1.6 begin` opens a hole and `# ex 1.6 end` closes it
(`//` in C++ and CUDA). This file knows text only: no files, no exercises, no running.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple


@dataclass(frozen=True)
class Language:
    """How a language writes a comment, and how it says that a thing is not there yet."""

    comment: str
    stub: str


_THROW = 'throw std::logic_error("exercise {id} is yours to write");'
LANGUAGES = {
    ".py": Language("#", 'raise NotImplementedError("exercise {id} is yours to write")'),
    ".h": Language("//", _THROW),
    ".cpp": Language("//", _THROW),
    ".cu": Language("//", 'NORCH_TODO("{id}");'),  # device code cannot throw: the launcher does
}


class MarkError(ValueError):
    """The marks of a hole are not what they must be: one begin, then one end."""


class Hole(NamedTuple):
    """A hole: its indentation, the line numbers of its two marks (from 1), and what is between."""

    id: str
    indent: str
    begin: int
    end: int
    body: str


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _marks(text: str, suffix: str) -> list[tuple[int, str, str, str]]:
    """List the marks: line number, indentation, exercise, 'begin' or 'end'."""
    comment = re.escape(LANGUAGES[suffix].comment)
    pattern = re.compile(rf"([ \t]*){comment} ex (\d+\.\d+) (begin|end)\s*")
    found = [(number, pattern.fullmatch(line)) for number, line in enumerate(_lines(text), start=1)]
    return [(number, match[1], match[2], match[3]) for number, match in found if match]


def hole_ids(text: str, suffix: str) -> list[str]:
    """List the exercises that have a mark in the text, in the order of their first marks."""
    return list(dict.fromkeys(id for _, _, id, _ in _marks(text, suffix)))


def find_hole(text: str, suffix: str, id: str) -> Hole:
    """Return one hole; raises MarkError unless exactly its two marks stand there, in order."""
    marks = _marks(text, suffix)
    comment = LANGUAGES[suffix].comment
    places = {}
    for kind in ("begin", "end"):
        numbers = [number for number, _, found, word in marks if (found, word) == (id, kind)]
        if len(numbers) != 1:
            count = f"stands {len(numbers)} times" if numbers else "is missing"
            raise MarkError(f"the line '{comment} ex {id} {kind}' {count}")
        places[kind] = numbers[0]
    begin, end = places["begin"], places["end"]
    if end < begin:
        raise MarkError(f"the end of exercise {id} (line {end}) stands before its begin ({begin})")
    inside = [found for number, _, found, _ in marks if begin < number < end]
    if inside:
        raise MarkError(f"a mark of exercise {inside[0]} stands inside exercise {id}")
    indent = next(indent for number, indent, _, _ in marks if number == begin)
    return Hole(id, indent, begin, end, "".join(_lines(text)[begin : end - 1]))


def find_holes(text: str, suffix: str) -> dict[str, Hole]:
    """Return every hole by its exercise; raises MarkError if any mark is out of place."""
    return {id: find_hole(text, suffix, id) for id in hole_ids(text, suffix)}


def splice(reference: str, bodies: Mapping[str, str], suffix: str) -> str:
    """Return the reference with the holes named in `bodies` filled with those bodies instead."""
    lines = _lines(reference)
    found = find_holes(reference, suffix)
    for id in sorted(bodies, key=lambda id: found[id].begin, reverse=True):
        body = bodies[id]
        closed = body if not body or body.endswith("\n") else body + "\n"
        lines[found[id].begin : found[id].end - 1] = [closed]
    return "".join(lines)


def stub_body(hole: Hole, suffix: str) -> str:
    """Return the line that stands in a hole that nobody has written yet."""
    if suffix == ".cu" and not hole.indent:  # a whole program: there is no function around it
        return f'#error "exercise {hole.id} is yours to write"\n'
    return hole.indent + LANGUAGES[suffix].stub.format(id=hole.id) + "\n"


def strip(
    reference: str,
    suffix: str,
    only: str | None = None,
    given: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return the exercise file: every hole (or only one) emptied to its stub, or to given code."""
    found = find_holes(reference, suffix)
    chosen = [hole for id, hole in found.items() if only in (None, id)]
    bodies = {hole.id: given.get(hole.id) or stub_body(hole, suffix) for hole in chosen}
    return splice(reference, bodies, suffix)


def without_marks(text: str, suffix: str) -> str:
    """Return the text without its mark lines, as the book shows it."""
    marked = {number for number, _, _, _ in _marks(text, suffix)}
    numbered = enumerate(_lines(text), start=1)
    return "".join(line for number, line in numbered if number not in marked)
