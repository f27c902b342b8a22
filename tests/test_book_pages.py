"""The built book: every link inside it leads somewhere.

Runs where `make book` has built the pages; `.ci/run` builds the book before it runs the tests. How
the pages look in a browser is tested in tests/book.
"""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

HTML = Path(__file__).resolve().parent.parent / "book" / "_build" / "html"
PAGES = sorted([*HTML.glob("*.html"), *HTML.glob("chapters/*.html"), *HTML.glob("library/*.html")])
PAGES = [path for path in PAGES if path.name not in ("search.html", "genindex.html", "index.html")]
pytestmark = pytest.mark.skipif(not PAGES, reason="the book is not built here: make book")


class Links(HTMLParser):
    """Collects what a page points to, and the places in it that can be pointed to."""

    def __init__(self, path):
        super().__init__()
        self.targets, self.ids = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.ids.add(found.get("id"))
        target = found.get("href") if tag in ("a", "link") else found.get("src")
        if target:
            self.targets.append(target)


def broken(path, parsed):
    """Name the links of a page that lead nowhere inside the book."""
    missing = []
    for target in parsed[path].targets:
        parts = urlsplit(target)
        if parts.scheme or parts.netloc:
            continue
        file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        ids = parsed[file].ids if file in parsed else {parts.fragment}
        if not file.exists() or (parts.fragment and parts.fragment not in ids):
            missing.append(target)
    return missing


def test_every_link_inside_the_book_leads_somewhere():
    parsed = {path: Links(path) for path in PAGES}
    assert {path.name: broken(path, parsed) for path in PAGES if broken(path, parsed)} == {}


def test_a_broken_link_is_found(tmp_path):
    page = tmp_path / "page.html"
    page.write_text('<a href="nowhere.html">x</a><a href="#here">y</a><p id="there">', "utf-8")
    assert broken(page, {page: Links(page)}) == ["nowhere.html", "#here"]
