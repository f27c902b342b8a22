"""The live pages repeat their notebooks in browsers: from a file, and over http.

The cells and the comparison are those of `test_live_chapters.py`, which needs no browser.
"""

from pathlib import Path
from typing import NamedTuple

import live_chapters
import notebooks
import pytest
from test_live_chapters import AGAIN, DEEP, PAGES, START_DEEP

HTML = notebooks.BOOK / "_build" / "html"
OFTEN = {"chapters/01_strides", "chapters/04_autograd", "chapters/05_nn"}  # the others are slow
HERE = [
    page if page in OFTEN else pytest.param(page, marks=pytest.mark.slow)
    for page in PAGES
    if "06_" not in page  # test_live_ranks.py runs these, with ranks
]


class Served(NamedTuple):
    """A page's address; it is shown as a path is."""

    host: str
    path: Path

    @property
    def name(self) -> str:
        """Return what the address ends in."""
        return self.path.name

    def as_uri(self) -> str:
        """Return the address."""
        return f"{self.host}/{self.path.relative_to(HTML).as_posix()}"


@pytest.fixture(params=["file", pytest.param("http", marks=pytest.mark.slow)])
def show(request, tab):
    """Return a function that shows a page of the book, if it is built and live."""

    def show(page):
        path = HTML / f"{page}.html"
        if not path.exists() or "window.norchLive" not in path.read_text(encoding="utf-8"):
            pytest.skip(f"{page} is not built as a live page: make wasm, make book")
        if request.param == "http":
            tab.allow_network()
            path = Served(request.getfixturevalue("site"), path)
        tab.show(path)
        return tab

    return show


@pytest.mark.parametrize("page", HERE)
def test_a_page_repeats_its_notebook_and_again_after_an_edit(show, page):
    cells = notebooks.cells(page)
    jobs = [job for edit in ("", AGAIN) for job in notebooks.jobs(cells, edit)]
    told = live_chapters.run(show(page), page, jobs)
    assert notebooks.differences(cells * 2, told) == []


def test_what_is_too_deep_is_a_recursion_error_and_the_next_cell_runs(show):
    codes = [START_DEEP, *DEEP.values(), "1 + 1"]
    cells = [{"code": code, "name": f"<cell {k}>"} for k, code in enumerate(codes, 1)]
    _, *told, last = live_chapters.run(show("chapters/05_nn"), "chapters/05_nn", cells)
    for name, one in zip(DEEP, told, strict=True):
        assert "RecursionError: " in one["found"]["error"].splitlines()[-1], name
    assert last["found"] == {"text": "2"}
