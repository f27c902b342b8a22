"""Every built page, light and dark, on a desk and on a phone: readable, whole, without complaint.

Contrast is WCAG 2's AA: 4.5 to 1, or 3 to 1 for large letters, of each visible piece of text
against what lies behind it, words in drawings included. The network is off.
"""

from pathlib import Path

import pytest

HTML = Path(__file__).resolve().parents[2] / "book" / "_build" / "html"
FOLDERS = (".", "chapters", "library", "capstone")
PAGES = sorted(path for folder in FOLDERS for path in (HTML / folder).glob("*.html"))
PAGES = [path for path in PAGES if path.name != "index.html"]  # sends on to the first page
PAGES += sorted(HTML.glob("source/**/conv.py.html"))[:1]  # one for all: they are made alike
LOOKS = (Path(__file__).parent / "looks.js").read_text(encoding="utf-8") + "; looks()"
WIDTHS = [1280, 390]

needs_book = pytest.mark.skipif(not PAGES, reason="the book is not built here: make book")


def looked_at(page, path, width):
    """Show a page in both themes; return what is wrong with it, in words."""
    page.show(path, width, "light")
    wrong = []
    for theme in ("light", "dark"):
        page.prefer(theme)
        page.until(f"(document.documentElement.dataset.theme ?? '{theme}') === '{theme}'")
        page.settle()
        found = page.run(LOOKS)
        if found.get("theme", theme) != theme or not found["texts"]:
            wrong.append(f"{theme}: shows {found['texts']} texts in {found['theme']}")
        if found["width"] > width:
            wrong.append(f"{theme}: {found['width']} pixels wide, the window has {width}")
        for kind in ("faint", "small", "cut", "empty"):
            wrong += [f"{theme}, {kind}: {one}" for one in found[kind]]
    outside = [one for one in page.asked() if not one.startswith(("file:", "data:", "blob:"))]
    return [*dict.fromkeys(wrong), *page.complaints(), *outside]


@needs_book
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_can_be_read(page, path, width):
    assert looked_at(page, path, width) == []


@needs_book
def test_mathematics_is_set_without_a_network(page):
    formulas = {path: path.read_text("utf-8").count('class="math"') for path in PAGES}
    assert sum(map(bool, formulas.values())) >= 3
    for path in filter(formulas.get, PAGES):
        page.show(path)
        sizes = page.run(
            "[...document.querySelectorAll('math')].map((one) => one.getBoundingClientRect().width)"
        )
        assert len(sizes) == formulas[path] and min(sizes) > 2, path


@needs_book
def test_the_search_finds_pages_in_a_book_opened_as_files(page):
    page.show(HTML / "search.html", query="q=stride")
    page.run("new Promise((done) => setTimeout(done, 1000))")
    found = page.run("[...document.querySelectorAll('#search-results a')].map((one) => one.href)")
    assert any("01_strides.html" in one for one in found)
    assert page.complaints() == []


@needs_book
def test_what_was_searched_for_is_marked(page):
    """Sphinx looks into drawings too, whose names have no place on the page."""
    page.show(HTML / "chapters" / "01_strides.html", query="highlight=position")
    assert page.run("document.querySelectorAll('span.highlighted').length") > 5
    assert page.complaints() == []


PLANTED = """<!doctype html><html data-theme="light"><meta charset="utf-8">
<body style="background:#fff;color:#000">{}
<script>matchMedia("(prefers-color-scheme: dark)").onchange = (event) =>
  document.documentElement.dataset.theme = event.matches ? "dark" : "light";</script>"""


@pytest.mark.parametrize(
    ("html", "complaint"),
    [
        ("<p>black on white</p>", None),
        ("<p style='color:#888'>pale grey</p>", "faint: {'words': 'pale grey'"),
        ("<p style='color:#888;font-size:30px'>large grey</p>", None),
        ("<p style='opacity:0.4'>half there</p>", "'ratio': 2.8"),
        ("<div style='background:#222'><p>black on black</p></div>", "'words': 'black on black'"),
        ("<details><summary>x</summary><p style='color:#999'>folded</p></details>", "'folded'"),
        ("<p style='color:#fff;display:none'>not shown</p><p>x</p>", None),
        ("<p style='font-size:7px'>tiny</p>", "small: {'words': 'tiny'"),
        ("<div style='width:1400px'>x</div>", "pixels wide, the window has 1280"),
        ("<img src='gone.png'>x", "gone.png"),
        ("<script>nothing()</script>x", "nothing is not defined"),
        ("<script>console.error('oh')</script>x", "['oh']"),
        ("<script>fetch('http://localhost:1/')</script>x", "http://localhost:1/"),
        (
            "<svg width='90' height='30'><rect width='90' height='30' fill='#333'/>"
            "<text x='5' y='20'>ink on ink</text></svg>",
            "'words': 'ink on ink', 'where': 'text.', 'ratio': 1.6",
        ),
        (
            "<svg width='90' height='30' viewBox='0 0 180 60'><text x='5' y='20' "
            "style='font-size:14px'>shrunk</text></svg>",
            "small: {'words': 'shrunk', 'where': 'text.', 'size': 7}",
        ),
        (
            "<svg width='90' height='30' style='overflow:visible'><text x='50' y='20'>too far"
            "</text></svg>",
            "cut: {'words': 'too far'",
        ),
    ],
)
def test_what_cannot_be_read_is_found(page, tmp_path, html, complaint):
    path = tmp_path / "page.html"
    path.write_text(PLANTED.format(html), "utf-8")
    found = looked_at(page, path, 1280)
    assert found == [] if complaint is None else complaint in str(found), found
