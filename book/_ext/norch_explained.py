"""Which section of which chapter explains a public name: the reference links to it.

The page stands in explained.toml, and its heading where that is said. Else it is the section that
has the name in its heading or as a new term in bold, shows its code, or says it most often. The
sources of the pages are read; nothing of Sphinx is needed, so that tests ask the same.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from norch_mentions import mentions, place_of
from norch_sources import Found
from norch_times import FOLDED, ROOT, listing

TERM, LISTING, MOST = 6, 5, 4  # what a heading or new term counts, a listing, mentions at most
# Headings of every chapter, below which a name is asked for, used or counted, not explained.
BEATS = {"The question", "What PyTorch does", "Predict, then run", "Your turn", "On paper"}
BEATS |= {"What it costs", "What we left out"}
FENCE = re.compile(r"^```(\{[\w-]+\})?(.*?)^```$", re.DOTALL | re.MULTILINE)


class Section(NamedTuple):
    """A section of a page without the sections inside it, exercises and what is folded away."""

    title: str
    text: str  # its prose and the code that stands in the page itself
    listings: dict[Path, str]  # the code that it shows of files

    @property
    def terms(self) -> list[str]:
        """Return its heading and what is bold in it."""
        return [self.title, *re.findall(r"\*\*([^*]+)\*\*", self.text)]


def bare(heading: str) -> str:
    """Return the words of a heading, without marks of code and emphasis."""
    return re.sub(r"[`*$]", "", heading).strip()


def pieces(page: str) -> Iterator[str]:
    """Yield the texts of a page in their order: markdown, and code between fences."""
    notebook = json.loads((ROOT / "book" / f"{page}.ipynb").read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            yield re.sub(r"^:::\{dropdown\}.*?^:::$", "", text, flags=re.DOTALL | re.MULTILINE)
        elif not FOLDED & set(cell["metadata"].get("tags", ())):
            yield f"```python\n{text}\n```"


@cache
def sections(page: str) -> list[Section]:
    """Return the sections of a page."""
    folder, found = (ROOT / "book" / page).parent, []
    blocks: list[tuple[str, str]] = []

    def keep(fence: re.Match[str]) -> str:
        blocks.append((fence[1] or "", fence[2]))
        return f"\0{len(blocks) - 1}\0"

    text = FENCE.sub(keep, "\n\n".join(pieces(page)))
    for _, heading, inside in re.findall(r"^(#+) (.+)\n((?:(?!#+ ).*\n?)*)", text, re.MULTILINE):
        held = [blocks[int(one)] for one in re.findall(r"\0(\d+)\0", inside)]
        said = [body.partition("\n")[2] for kind, body in held if not kind]
        files = [body for kind, body in held if kind == "{literalinclude}"]
        shown: dict[Path, str] = {}
        for body in files:
            path = (folder / body.strip().partition("\n")[0]).resolve()
            shown[path] = shown.get(path, "") + listing(body, folder)
        prose = re.sub(r"\0\d+\0", " ", inside)
        found.append(Section(bare(heading), "\n".join([prose, *said, *shown.values()]), shown))
    return found


def weight(section: Section, found: Found, name: str) -> int:
    """Return how much a section says about a name."""
    mention = mentions(name)
    code = re.compile(rf"^(?:def|class) {found.definition.name}\b", re.MULTILINE)
    term = any(mention.search(one) for one in section.terms)
    listed = code.search(section.listings.get(found.path, "")) is not None
    return TERM * term + LISTING * listed + min(len(mention.findall(section.text)), MOST)


def explaining(name: str, found: Found) -> tuple[str, str] | None:
    """Return the page and the heading that explain a name best; None where no page does."""
    place = place_of(name)
    if place is None:
        return None
    page, heading = place
    last = name.rpartition(".")[2]
    every = [one for one in sections(page) if heading == one.title or not heading]
    asked = [one for one in every if heading or one.title not in BEATS]
    best = max(asked, key=lambda one: weight(one, found, last), default=None)
    if best is None or not weight(best, found, last):
        raise LookupError(f"explained.toml: {page} does not explain {name} {heading}".strip())
    return page, best.title
