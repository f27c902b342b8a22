"""Examples that a family of names shares: `{library-example} title` on a page of the library.

An entry without an example of its own links to the one that uses it. The names of `:also:` are
called in the same way. tests/book/test_book_library.py runs them all.
"""

import ast
import doctest
import re
from functools import cache
from typing import NamedTuple

from norch_sources import ROOT, Entry


@cache
def used(code: str) -> set[str]:
    """Return what an example takes from modules and objects: attributes, and imported names."""
    lines = "".join(one.source for one in doctest.DocTestParser().get_examples(code))
    nodes = [*ast.walk(ast.parse(lines))]
    imported = [one for node in nodes if isinstance(node, ast.ImportFrom) for one in node.names]
    taken = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return taken | {one.name for one in imported}


class Example(NamedTuple):
    """An example of a family of names, which stands on a page above them."""

    title: str
    code: str
    also: str  # names that are called in the same way

    @property
    def anchor(self) -> str:
        """The place of the example on its page."""
        return "example-" + re.sub(r"\W+", "-", self.title.lower())

    def shows(self, entry: Entry) -> bool:
        """Say whether a name is used in it."""
        return entry.name in used(self.code) or entry.name in self.also.split()


@cache
def examples(page: str) -> list[Example]:
    """Return the examples of families on a page."""
    text = (ROOT / "book" / f"{page}.md").read_text(encoding="utf-8")
    pattern = r"```\{library-example\} (.+)\n(?::also: (.+)\n\n)?((?:.*\n)*?)```"
    return [Example(title, code, also) for title, also, code in re.findall(pattern, text)]
