"""One Python for the pages of a visit: a page that has it shows the next ones in a frame above it.

From files and over http, in both browsers: what a framed page runs, where Back and Forward lead,
what the window's title and address say, and which links stay ordinary ones.
"""

import json
import time

import live_page
import pytest
from live_page import LIVE, PAGE, output

HTML = LIVE.parents[1]
LONGEST = 60  # seconds for a page to appear
FRAME = "document.querySelector('iframe.live-visit')"
FIRST, CHAPTER = "norch", "1. Strides"  # how the titles begin
LINK = "document.querySelector('.bd-main a[href={}], .bd-sidebar a[href={}]')"

pytestmark = live_page.NEEDED


class Address(str):
    """An address that the browsers of the tests take for a path."""

    def as_uri(self):
        """Return it."""
        return str(self)

    @property
    def name(self):
        """Return its last part."""
        return self.rpartition("/")[2]


@pytest.fixture(params=["file", "http"])
def book(request, tab):
    """Return where the book is read from; a server can be reached."""
    if request.param == "file":
        return f"{HTML.as_uri()}/"
    if hasattr(tab, "browser"):
        online = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        tab.call("Network.emulateNetworkConditions", offline=False, **online)
    return request.getfixturevalue("site") + "/"


def until(run, condition):
    """Wait until a condition holds; while a page comes, none may answer."""
    end = time.monotonic() + LONGEST
    while True:
        try:
            if run(condition):
                return
        except (AssertionError, KeyError, IndexError):
            pass
        assert time.monotonic() < end, condition
        time.sleep(0.02)


def follow(run, href):
    """Press a link of a page."""
    name = json.dumps(href)
    run(LINK.format(name, name) + ".click()")


def run_cell(run, number):
    """Run a cell of a page and return its output."""
    until(run, "document.documentElement.dataset.live === 'ready'")
    run(f"document.querySelector('[aria-label=\"Run cell {number}\"]').click()")
    until(run, "!document.querySelector('.cell[aria-busy]')")
    return run(f"document.querySelector('{output(number)}').innerText.trim()")


def titled(run, words):
    """Wait until a page has a title that begins so."""
    until(run, f"document.title.startsWith({json.dumps(words)})")


def test_the_next_pages_have_the_python_of_the_first(tab, book):
    tab.show(Address(f"{book}chapters/01_strides.html"))
    assert run_cell(tab.run, 3).startswith("element (0, 0)")
    follow(tab.run, "../intro.html")
    titled(tab.run, FIRST)
    follow(tab.run_in_frame, "chapters/01_strides.html")
    titled(tab.run, CHAPTER)
    framed = tab.run_in_frame
    assert run_cell(framed, 3).startswith("element (0, 0)")
    read = "performance.getEntriesByType('resource').map((one) => one.name)"
    large = ("runtime.js", "sources.js")
    assert not [one for one in framed(read) if one.partition("?")[0].endswith(large)]
    framed("document.querySelector('[aria-label=\"Check exercise 1.3\"]').click()")
    until(framed, "document.querySelector('#exercise-1-3 .live-verdict').textContent")
    address = "location.href.replace(/\\?$/, '')"
    is_http = book.startswith("http")
    assert tab.run(address) == f"{book}chapters/01_strides.html"
    tab.run("history.back()")
    titled(tab.run, FIRST)
    if is_http:
        until(tab.run, f"{address} === '{book}intro.html'")
    tab.run("history.back()")
    until(tab.run, f"{FRAME}.hidden")
    titled(tab.run, CHAPTER)
    assert tab.run(address) == f"{book}chapters/01_strides.html"
    assert run_cell(tab.run, 3).startswith("element (0, 0)")  # the first page lives on
    tab.run("history.forward()")
    until(tab.run, f"!{FRAME}.hidden")
    titled(tab.run, FIRST)
    assert tab.complaints() == []


def visit(tab, book):
    """Show chapter 1 in the frame over chapter 1."""
    tab.show(Address(f"{book}chapters/01_strides.html"))
    run_cell(tab.run, 3)
    follow(tab.run, "../intro.html")
    titled(tab.run, FIRST)
    follow(tab.run_in_frame, "chapters/01_strides.html")
    titled(tab.run, CHAPTER)
    until(tab.run_in_frame, "document.documentElement.dataset.live === 'ready'")


def test_each_page_has_names_of_its_own_and_stops_alone(tab, book):
    visit(tab, book)
    framed = tab.run_in_frame
    framed(
        """(() => {
          document.querySelector('[aria-label="Edit cell 1"]').click();
          const area = document.querySelector('[aria-label="Code of cell 1"]');
          area.value = "'strides' in globals() or [1 for _ in iter(int, 1)]";
          area.dispatchEvent(new Event("input"));
          document.querySelector('[aria-label="Run cell 1"]').click();
        })()"""
    )
    status = "document.querySelector('[aria-label=\"Run cell 1\"] ~ .live-status').textContent"
    until(framed, f"{status} === 'running ...'")  # the name is not known: it runs without end
    framed("document.querySelector('[aria-label=\"Stop cell 1\"]').click()")
    until(framed, f"{status}.startsWith('stopped')")
    assert tab.complaints() == []


def test_what_is_written_in_one_copy_of_a_page_stands_in_the_other(tab, book):
    visit(tab, book)
    field = "document.querySelector('#exercise-1-4 textarea')"
    tab.run_in_frame(f"{field}.value = '    return 4'; {field}.dispatchEvent(new Event('input'))")
    until(tab.run, f"{field}.value === '    return 4'")
    tab.run("localStorage.clear()")


def test_without_a_python_links_are_ordinary(tab):
    tab.show(PAGE)
    follow(tab.run, "../intro.html")
    titled(tab.run, FIRST)
    assert tab.run(f"[{FRAME}, window.name]") == [None, ""]
    assert tab.run("location.pathname").endswith("/intro.html")


def test_a_link_out_of_the_book_leaves_the_frame(tab, tmp_path):
    elsewhere = tmp_path / "elsewhere.html"
    elsewhere.write_text("<title>elsewhere</title>", encoding="utf-8")
    tab.show(PAGE)
    run_cell(tab.run, 3)
    follow(tab.run, "../intro.html")
    titled(tab.run, FIRST)
    tab.run_in_frame(
        f"""(() => {{
          const link = document.createElement("a");
          link.href = "{elsewhere.as_uri()}";
          document.body.append(link);
          link.click();
        }})()"""
    )
    titled(tab.run, "elsewhere")
    assert tab.run(FRAME) is None


def test_a_page_that_does_not_come_in_a_frame_is_opened_as_ever(page):
    page.show(PAGE)
    run_cell(page.run, 3)
    page.run(
        """(() => {
          const { setTimeout } = window;
          window.setTimeout = (action, wait) => setTimeout(action, wait === 10000 ? 0 : wait);
        })()"""
    )
    follow(page.run, "../intro.html")
    until(page.run, "location.pathname.endsWith('intro.html')")
