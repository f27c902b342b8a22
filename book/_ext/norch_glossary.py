"""The glossary of the book, read: its terms, what they mean, and which pages introduce them.

norch_links.py links the terms, and tests hold the pages against them. Only the standard library is
needed.
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

LIST = Path(__file__).resolve().parent.parent / "glossary.md"
LAST = 99  # for what a page beside the chapters introduces
# Pages beside the chapters that introduce words.
BESIDE = ("primer", "planning", "faster", "fusion", "quantization")
# Words that the chapters also use in the sense of every day: a link would often mislead.
EVERYDAY = {"line", "page", "record", "reference", "version", "launch", "host", "checkpoint"}
EVERYDAY |= {"block", "vector", "element", "position", "process", "ring", "key", "value", "head"}
EVERYDAY |= {"scale", "stream", "broadcast", "bank", "window", "query", "diamond"}


class Term(NamedTuple):
    """A word of the glossary."""

    name: str
    meaning: str
    places: frozenset[str]  # the chapters, "4", and pages that it names

    @property
    def chapter(self) -> int:
        """The first chapter that introduces it; `LAST` if a page does, 0 without a place."""
        numbers = [int(place) for place in self.places if place.isdigit()]
        return min(numbers, default=LAST if self.places else 0)


def read_terms(text: str) -> list[Term]:
    """Return the terms of a glossary."""
    listed = re.search(r"```\{glossary\}\n(.*?)```", text, re.DOTALL).group(1)
    place = rf"(?:\d|{'|'.join(BESIDE)})"
    found = []
    for name, meaning in re.findall(r"^(\S.*)\n((?:  .*\n)+)", listed, re.MULTILINE):
        groups = re.findall(rf"\(({place}(?:, {place})*)\)", meaning)
        places = frozenset(one for group in groups for one in group.split(", "))
        words = re.sub(rf"[`*]|\s*\({place}[^)]*\)", "", " ".join(meaning.split()))
        found.append(Term(name, words, places))
    return found


@cache
def terms() -> list[Term]:
    """Return the terms of the book, as the glossary lists them."""
    return read_terms(LIST.read_text(encoding="utf-8"))
