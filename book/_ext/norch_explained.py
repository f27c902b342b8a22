"""Which section of which chapter explains a public name: the reference links to it.

The page stands in explained.toml. Its section is the one that has the name in its heading or as a
new term in bold, shows its code, or says it most often; chapters may change without a word here.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from norch_mentions import mentions, page_of
from norch_sources import Found
from sphinx.environment import BuildEnvironment

TERM, LISTING, MOST = 6, 5, 4  # what a heading or new term counts, a listing, mentions at most


class Section(NamedTuple):
    """A section of a page; its text without the sections inside it, and the code it shows."""

    anchor: str
    title: str
    terms: list[str]
    text: str
    listings: list[str]


def own(section: nodes.section) -> Iterator[nodes.Element]:
    """Yield what stands in a section, without the sections inside it and without exercises."""
    for child in section.children:
        if not isinstance(child, nodes.section) and "exercise" not in child.get("classes", []):
            yield child


@cache
def sections(env: BuildEnvironment, page: str) -> list[Section]:
    """Return the sections of a page."""
    found = []
    for section in env.get_doctree(page).findall(nodes.section):
        parts = list(own(section))
        title = next(iter(section.findall(nodes.title))).astext()
        bold = [one.astext() for part in parts for one in part.findall(nodes.strong)]
        blocks = [one for part in parts for one in part.findall(nodes.literal_block)]
        shown = [f"{Path(one.get('source') or '').resolve()}\n{one.astext()}" for one in blocks]
        text = " ".join(part.astext() for part in parts)
        found.append(Section(section["ids"][0], title, [title, *bold], text, shown))
    return found


def weight(section: Section, found: Found, name: str) -> int:
    """Return how much a section says about a name."""
    mention = mentions(name)
    code = rf"^{re.escape(str(found.path))}\n(?s:.*)^(?:def|class) {found.definition.name}\b"
    term = any(mention.search(one) for one in section.terms)
    listing = any(re.search(code, one, re.MULTILINE) for one in section.listings)
    return TERM * term + LISTING * listing + min(len(mention.findall(section.text)), MOST)


def explaining(env: BuildEnvironment, name: str, found: Found) -> tuple[str, Section] | None:
    """Return the page and the section that explain a name best; None where no page does."""
    page = page_of(name)
    if page is None:
        return None
    best = max(sections(env, page), key=lambda one: weight(one, found, name.rpartition(".")[2]))
    return page, best
