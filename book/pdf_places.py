"""Where the links of the printed book lead: `pdf.py` asks, when all sheets lie behind each other.

Chromium writes into a page's PDF where the names are that the page itself links to; other names of
a page are at their heading, which the PDF's outline has. Links that lead out of the book stay.
"""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from pypdf import PdfReader, PdfWriter
from pypdf.generic import (
    ArrayObject,
    Destination,
    DictionaryObject,
    FloatObject,
    NameObject,
    NullObject,
)

HEADING = re.compile(r"<h[1-6]\b[^>]*>(.*?)</h[1-6]>", re.DOTALL)
NAMED = re.compile(r'<\w+\b[^>]*?\bid="?([^"\s>]+)[^>]*>')
UNSEEN = re.compile(r'<a class="headerlink".*?</a>|<[^>]*>|\s', re.DOTALL)


class Place(NamedTuple):
    """A sheet, counted from 0 in the whole file, and how high on it; all of it where None."""

    sheet: int
    top: float | None = None


def outlined(items: list) -> Iterator[Destination]:
    """Yield the lines of an outline, with those below them."""
    for one in items:
        if isinstance(one, list):
            yield from outlined(one)
        else:
            yield one


def numbered(titles: list[str]) -> list[tuple[str, int]]:
    """Return titles, each with how many like it stand before it."""
    times: Counter[str] = Counter()
    found = []
    for one in titles:
        found.append((one, times[one]))
        times[one] += 1
    return found


def fragments(text: str) -> dict[str, tuple[str, int]]:
    """Return for each name in a page its heading: what begins with one, or the one before."""
    headings = list(HEADING.finditer(text))
    starts = [one.start() for one in headings]
    titles = numbered([unescape(UNSEEN.sub("", one[1])) for one in headings])
    found = {}
    for one in NAMED.finditer(text):
        after = bisect_left(starts, one.start())
        between = text[one.end() : starts[after]] if after < len(starts) else "the end"
        number = after - bool(UNSEEN.sub("", between))
        if number >= 0:
            found[one[1]] = titles[number]
    return found


def places(page: Path, reader: PdfReader, first: int, last: int) -> dict[str, Place]:
    """Return where the names of a page are in the file, whose sheets it has from first to last."""

    def place(one: Destination) -> Place:
        sheet = first + (reader.get_destination_page_number(one) or 0)
        return Place(sheet, float(one.top)) if sheet <= last else Place(last)

    titles = defaultdict(list)
    for one in outlined(reader.outline):
        titles["".join(str(one.title).split())].append(place(one))
    found = {"": Place(first)}
    for name, (title, number) in fragments(page.read_text(encoding="utf-8")).items():
        if number < len(titles[title]):
            found[name] = titles[title][number]
    exact = reader.named_destinations.items()
    return found | {unquote(name.removeprefix("/")): place(one) for name, one in exact}


def target(place: Place, writer: PdfWriter) -> ArrayObject:
    """Return a place as a PDF has it."""
    sheet = writer.pages[place.sheet].indirect_reference
    if place.top is None:
        return ArrayObject([sheet, NameObject("/Fit")])
    top = (NullObject(), FloatObject(place.top), NullObject())
    return ArrayObject([sheet, NameObject("/XYZ"), *top])


def point_inward(
    link: DictionaryObject,
    here: Path | None,
    found: dict[Path, dict[str, Place]],
    writer: PdfWriter,
) -> None:
    """Let a link from here into the book lead to its place, or nowhere if that is not printed."""
    parts = urlsplit(str(link.get("/A", {}).get("/URI", "")))
    if isinstance(link.get("/Dest"), str):  # a name in the same page
        page, name = here, unquote(str(link.pop("/Dest")).removeprefix("/"))
    elif parts.scheme == "file":
        page, name = Path(unquote(parts.path)), unquote(parts.fragment)
        del link["/A"]
    else:
        return
    sheet = name.removeprefix("sheet=")  # as the contents say it
    if page in found:
        inside = found[page]
        place = Place(int(sheet)) if sheet.isdigit() else inside.get(name, inside[""])
        link[NameObject("/Dest")] = target(place, writer)
