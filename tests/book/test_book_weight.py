"""What opening a page loads, before anything runs in it: no page is heavy, none loads for others.

Counted are the files that a page asks for, as they lie in the built book.
"""

import json
import re
import subprocess
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from test_book_looks import HTML, PAGES, needs_book

ROOT = HTML.parents[2]
PYTHON = ROOT / "build" / "book-venv" / "bin" / "python"
MOST = 600_000  # bytes of a page with its style sheets, scripts and fonts


def loaded(page, path):
    """Return the sizes of the files that a page asks for when it is opened, live ones apart."""
    page.show(path)
    asked = {unquote(urlsplit(one).path) for one in page.asked() if one.startswith("file:")}
    found = [Path(one) for one in asked if "/_static/live/" not in one]
    return {one.name: one.stat().st_size for one in found}


@needs_book
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_is_light(page, path):
    sizes = loaded(page, path)
    assert path.name in sizes and sum(sizes.values()) <= MOST, sizes
    assert not re.search("fontawesome|mathjax|thebe|bootstrap.js", " ".join(sizes), re.IGNORECASE)


@needs_book
def test_only_a_page_with_something_to_play_loads_its_script(page):
    first, reading = HTML / "chapters" / "01_strides.html", HTML / "reading.html"
    assert "strides_explorer.js" in loaded(page, first)
    ours = {one.name for one in (ROOT / "book" / "_static").glob("*.js")}
    for path in (reading, HTML / "search.html"):
        assert ours & loaded(page, path).keys() == {"here.js", "print.js", "scrolled.js"}
    attention = loaded(page, HTML / "chapters" / "07_attention.html").keys()
    assert {"gpt.js", "gpt_heads.js"} <= attention


@needs_book
def test_every_icon_is_drawn():
    for path in PAGES:
        text = path.read_text("utf-8")
        has_icons = "source" not in path.relative_to(HTML).parts  # a source's page has no theme
        assert ('class="icon' in text) == has_icons
        assert not re.search(r'<(i|span) [^>]*class="[^"]*\bfa-', text)
    for sheet in HTML.rglob("*.css"):
        assert not re.search(r"Font\W*Awesome", sheet.read_text("utf-8")), sheet.name


@needs_book
def test_the_arrow_of_an_open_fold_is_turned(page):
    page.show(HTML / "capstone.html")
    turned = """[...document.querySelectorAll(".bd-sidebar-primary details")].map((one) =>
      [one.open, getComputedStyle(one.querySelector(".toctree-toggle svg")).transform])"""
    found = page.run(turned)
    assert {True, False} == {is_open for is_open, _ in found}
    assert all((how == "none") != is_open for is_open, how in found), found


@needs_book
def test_the_page_marks_the_section_that_is_read(page):
    page.show(HTML / "chapters" / "01_strides.html")
    page.run("document.querySelector('#by-hand').scrollIntoView({ behavior: 'instant' })")
    page.settle()
    for mark in (".active", "[aria-current=location]", "[aria-current]"):
        marked = f"[...document.querySelectorAll('.page-toc {mark}')].map((one) => one.hash)"
        assert page.run(marked) == ["#by-hand"]


SCRIPTS = ROOT / "book" / "_static"


def shown_with(page, path, script, body):
    """Show a page of our own that has one of the book's scripts."""
    path.write_text(
        f"<!doctype html><html lang=en><title>x</title><body><article class=bd-article>{body}"
        f"</article><script>{(SCRIPTS / script).read_text('utf-8')}</script>",
        "utf-8",
    )
    page.show(path)


def test_what_scrolls_takes_the_focus(page, tmp_path):
    """Sideways or downwards; not what is as large as its place, nor what only stands over it."""
    box = "<pre style='width:9em;height:3em;overflow:auto;{}'>{}</pre>"
    tall, wide = "x<br>" * 9, "x" * 99
    bodies = [box.format("", one) for one in ("x", wide, tall)]
    bodies.append(box.format("overflow:visible", tall))
    shown_with(page, tmp_path / "page.html", "scrolled.js", "".join(bodies))
    found = page.run("[...document.querySelectorAll('pre')].map((one) => one.tabIndex)")
    assert found == [-1, 0, 0, -1]


def test_a_printed_page_is_afterwards_as_it_was(page, tmp_path):
    frame = "<p>inside</p><div style=&quot;height:400px&quot;></div>"
    body = "<section><details id=a></details><details id=b open></details>"
    body += "<div class=exercise><details id=c open></details></div>"
    body += f'<iframe style="height: 90px" srcdoc="{frame}"></iframe></section>'
    shown_with(page, tmp_path / "page.html", "print.js", body)
    look = """[...document.querySelectorAll("details")].map((one) => one.open)
      .concat(document.querySelector("iframe").style.height)"""
    before = page.run(look)
    assert before == [False, True, True, "90px"]
    for _ in range(2):
        page.run("dispatchEvent(new Event('beforeprint'))")
        assert page.run(look)[:3] == [True, True, False] and page.run(look)[3] != "90px"
        page.run("dispatchEvent(new Event('afterprint'))")
        assert page.run(look) == before
    inside = "document.querySelector('iframe').contentDocument.querySelectorAll('style').length"
    assert page.run(inside) == 1
    notes = "[...document.querySelectorAll('.print-note')].map((one) => one.innerHTML)"
    (note,) = page.run(notes)
    assert "can be moved" in note and "<a" not in note  # a file's address leads nowhere on paper


def test_a_note_on_paper_leads_to_the_books_address(page, tmp_path):
    body = '<link rel=canonical href="https://example.org/x.html"><section><iframe></iframe>'
    shown_with(page, tmp_path / "page.html", "print.js", body)
    page.run("dispatchEvent(new Event('beforeprint'))")
    assert page.run("document.querySelector('.print-note a').href") == "https://example.org/x.html"


needs_builder = pytest.mark.skipif(
    not PYTHON.exists(), reason="no environment that builds the book here: make book"
)
PROGRAM = f"""
import json, sys
sys.path[:0] = [{str(ROOT / "book" / "_ext")!r}]
import norch_light as light, norch_sheets
given = json.load(sys.stdin)
needs = {{"togglebutton": "$.", "quiz": "<b>"}}
print(json.dumps([norch_sheets.known_rules(given["sheet"], set(given["words"])),
                  [light.lighter(one, needs, {{"n"}}) for one in given["pages"]]]))
"""


def lightened(sheet="", words=(), pages=()):
    """Return what the build makes of a style sheet, and of pages."""
    given = json.dumps({"sheet": sheet, "words": list(words), "pages": list(pages)})
    run = subprocess.run(
        [PYTHON, "-c", PROGRAM], input=given, capture_output=True, text=True, check=True
    )
    return json.loads(run.stdout)


@needs_builder
def test_rules_that_nothing_meets_are_left_out():
    sheet = ".a, .gone { x: 1 } p > .b:not(.gone):hover { y: 2 } .gone b { z: 3 } "
    sheet += "@media print { .a { u: 4 } .gone { v: 5 } } @media screen { .gone { w: 6 } } "
    sheet += '@font-face { src: url("f") } [data-q="1"] .a { t: 7 } '
    sheet += ":is(.a, .gone) p { s: 8 }"
    sheet += ".a { font-family: Font Awesome\\ 5 Free; r: 9 } "
    found, _ = lightened(sheet, ["a", "b", "p"])
    assert re.findall(r"[a-z]: \d", found) == ["x: 1", "y: 2", "u: 4", "t: 7", "s: 8"]
    assert ".a{x: 1}" in found and "@font-face" in found and "screen" not in found


@needs_builder
def test_a_page_loses_only_what_cannot_be_seen():
    shape = '<rect x="1" style="fill:var(--fig-ink, #123)"/>'
    page = '<head><script src="quiz.js"></script></head><body><i class="fas fa-file"></i>'
    page += '<span class="n">x</span><span class="k">if</span>' + 4 * shape
    page += '<rect style="fill-opacity:0.00"/><ul><li>one</li><li>two</li></ul>'
    _, (found, other) = lightened(pages=[page, page + "<b>x</b>"])
    assert "quiz.js" not in found and "quiz.js" in other
    assert '<svg class="icon"' in found and "fa-file" not in found
    assert "<ul><li>one<li>two</ul>" in found
    assert "<body" in found and "x<span class=k>if</span>" in found
    assert found.count("<rect x=1 class=f0 />") == 4 and "0.00" not in found
    assert ":root .f0.f0{fill:var(--fig-ink)}" in found
