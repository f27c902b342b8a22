"""The book for a host and as a PDF: addresses, sitemap, 404, descriptions, its contents; and links
that the build puts in: terms on first use, chapters and exercises by their number.

Small books of a page or two, built by the environment of `make book`.
"""

import ast
import json
import re
import subprocess

import browser
import pytest
from prose import BOOK

ROOT = BOOK.parent
PYTHON = ROOT / "build" / "book-venv" / "bin" / "python"
INTRO = BOOK / "_build" / "html" / "intro.html"
URL = "https://example.org/norch"

needs_book = pytest.mark.skipif(not INTRO.exists(), reason="the book is not built: make book")
CONF = """
import sys
sys.path[:0] = {paths!r}
extensions = ["norch_host"]
html_theme = "sphinx_book_theme"
"""


def build(folder, url):
    """Build a book of two pages; return its folder, the exit code and what was said."""
    paths = [str(BOOK / "_ext"), str(BOOK), str(ROOT / "course")]
    (folder / "conf.py").write_text(CONF.format(paths=paths), "utf-8")
    (folder / "index.rst").write_text(
        "One\n===\n\nFirst words.\n\n.. toctree::\n\n   two\n", "utf-8"
    )
    (folder / "two.rst").write_text("Two\n===\n\nOther words, quite different.\n", "utf-8")
    command = [PYTHON, "-m", "sphinx", "-q", "-W", "-b", "html", folder, folder / "out"]
    run = subprocess.run(command, capture_output=True, text=True, env={"BOOK_URL": url})
    return folder / "out", run.returncode, run.stderr


def meta(path):
    """Return what a page says about itself."""
    return dict(
        re.findall(r'<meta (?:property|name)="([^"]+)" content="([^"]*)"', path.read_text())
    )


@needs_book
def test_a_book_with_an_address(tmp_path):
    out, code, said = build(tmp_path, URL)
    assert (code, said) == (0, "")
    found = meta(out / "two.html")
    assert found["description"] == found["og:description"] == "Other words, quite different."
    assert found["og:url"] == f"{URL}/two.html"
    assert found["og:image"] == f"{URL}/_static/preview.png"
    listed = re.findall(r"<loc>(.*?)</loc>", (out / "sitemap.xml").read_text())
    assert {f"{URL}/index.html", f"{URL}/two.html"} <= set(listed)
    assert not any(re.search("404|search|genindex", one) for one in listed)
    wrong = (out / "404.html").read_text()
    assert "No page here" in wrong and 'href="/norch/index.html">start' in wrong
    assert 'href="/norch/_static/' in wrong and 'href="_static/' not in wrong
    assert f'<link rel="canonical" href="{URL}/two.html"' in (out / "two.html").read_text()


@needs_book
def test_a_book_without_an_address_is_read_from_files(tmp_path):
    out, code, said = build(tmp_path, "")
    assert (code, said) == (0, "")
    assert not (out / "404.html").exists() and not (out / "sitemap.xml").exists()
    assert meta(out / "two.html")["description"] == "Other words, quite different."
    assert re.search(r"norch \d+\.\d+\.\d+", (out / "two.html").read_text())


@needs_book
def test_an_address_that_is_none_is_refused(tmp_path):
    _, code, said = build(tmp_path, "example.org")
    assert code and "BOOK_URL is 'example.org'" in said


@needs_book
def test_every_page_describes_itself_in_whole_sentences():
    made = {"index", "genindex", "search", "py-modindex", "404"}  # no page of the book
    html = INTRO.parent
    pages = [one for part in (".", "chapters", "library") for one in html.glob(f"{part}/*.html")]
    words = {one.stem: meta(one).get("description", "") for one in pages if one.stem not in made}
    assert len(set(words.values())) == len(words) > 25
    assert [one for one in words if not re.fullmatch(r"\S.{58,198}[.?!]", words[one])] == []
    assert [one for one in words if re.search(r"\.\.\.|stages/|, \w+\.$", words[one])] == []


@needs_book
def test_the_book_has_an_icon_and_a_preview(page):
    pages = [INTRO, *sorted(INTRO.parent.glob("chapters/*.html"))]
    for path in pages:
        assert re.search(r'<link rel="icon" href="[./]*_static/favicon.svg"', path.read_text())
    page.show(INTRO)
    sizes = page.run(
        """Promise.all(["_static/favicon.svg", "_static/preview.png"].map((src) => {
          const image = Object.assign(new Image(), { src });
          return image.decode().then(() => [image.naturalWidth, image.naturalHeight]);
        }))"""
    )
    assert sizes[1] == [1200, 630] and sizes[0][0] > 0


needs_printer = pytest.mark.skipif(not browser.program(), reason="no Chromium: it prints")
PRINTED = """
import json, sys
from pathlib import Path
sys.path.insert(0, {book!r})
import pdf
from pypdf import PdfReader
pages, out = [Path(one) for one in {pages!r}], Path({out!r})
pdf.pages = lambda: pages
pdf.main(out)
book = PdfReader(out)

def lines(items):
    for one in items:
        yield from lines(one) if isinstance(one, list) else [
            [one.title, book.get_destination_page_number(one)]]

def place(link):
    to = link.get("/Dest")
    return to and [book.get_page_number(to[0].get_object()), to[1],
                   float(to[3]) if to[1] == "/XYZ" else None]

links = [[str(link.get("/A", {{}}).get("/URI")), place(link)]
         for sheet in book.pages for link in [one.get_object() for one in sheet.get("/Annots", [])]]
print(json.dumps([list(lines(book.outline)), links,
                  [sheet.extract_text() for sheet in book.pages]]))
"""


def print_book(pages, folder):
    """Print pages as a book; return its outline, its links and the text of each sheet."""
    given = {"book": str(BOOK), "pages": [str(one) for one in pages], "out": str(folder / "b.pdf")}
    program = [PYTHON, "-c", PRINTED.format(**given)]
    run = subprocess.run(program, capture_output=True, text=True, check=True)
    return json.loads(run.stdout.splitlines()[-1])


@needs_book
@needs_printer
def test_a_pdf_is_a_book(tmp_path):
    """A title page, contents with numbers, running heads; links between pages stay inside."""
    texts = {
        "one": '<h1>One</h1>First. <a href="two.html">on</a> <a href="library.html">up</a>'
        '<h2>Apart</h2><p style="break-before: page">further',
        "two": '<h1>Two</h1>Second. <a href="https://example.org/">out</a>'
        "<details>folded</details>",
    }
    for name, words in texts.items():
        html = f"<title>{name.title()} &#8212; norch</title><p>{words}</p>"
        html += '<script src="print.js"></script>'
        (tmp_path / f"{name}.html").write_text(html, "utf-8")
    (tmp_path / "print.js").write_bytes((BOOK / "_static" / "print.js").read_bytes())
    outline, links, sheets = print_book([tmp_path / f"{name}.html" for name in texts], tmp_path)
    assert outline == [["One", 2], ["Apart", 2], ["Two", 4]] and len(sheets) == 5
    assert sheets[0].startswith("norch\n") and "reference is not printed" in sheets[1]
    assert [re.findall(rf"{name}\s*(\d+)", sheets[1]) for name in ("One", "Apart", "Two")] == [
        ["3"],
        ["3"],
        ["5"],
    ]
    whole = [["None", [sheet, "/Fit", None]] for sheet in (2, 2, 4, 4)]
    assert links == [*whole, ["None", None], ["https://example.org/", None]]
    assert "further" in sheets[3] and sheets[3].split()[-2:] == ["One", "4"]  # head and number
    assert sheets[2].split()[-1] == "3" and "folded" in sheets[4]


@needs_book
@needs_printer
def test_links_of_a_pdf_lead_to_their_place(tmp_path):
    """In the same page, where the PDF has its name; in another one, at its heading."""
    aside = '<p style="break-before: page">x</p>'
    texts = {
        "one": f'<h1>One</h1><a href="#z">in</a> <a href="two.html#s">on</a>{aside}<b id="z">z</b>',
        "two": f'<h1>Two</h1><a href="one.html#z">-</a>{aside}<p>y</p>'
        f'<section id="s"><span id="t"></span><h2>Same &amp; other</h2>x</section>{aside}'
        '<section id="u"><h2>Same &amp; other</h2>x<p id="w">w</p></section>'
        '<a href="one.html#nowhere">-</a> <a href="two.html#u">-</a> <a href="two.html#w">-</a>',
    }
    for name, words in texts.items():
        (tmp_path / f"{name}.html").write_text(f"<title>{name}</title>{words}", "utf-8")
    _, links, _ = print_book([tmp_path / f"{name}.html" for name in texts], tmp_path)
    places = [place for _, place in links[4:]]  # behind the contents
    sheets, kinds = [one[0] for one in places], [one[1] for one in places]
    assert sheets == [3, 5, 3, 2, 6, 6]
    assert kinds == ["/XYZ", "/XYZ", "/XYZ", "/Fit", "/XYZ", "/XYZ"]
    assert places[1][2] < places[4][2]  # a line stands above the first of the two
    assert all(address == "None" for address, _ in links)


INTERFACE = "Show the imports|Hide the imports|Show code|Click to|another test digit|start again"
INTERFACE += "|Skip to main|Back to top|fastest that fits|Draw one yourself|Hint 1"


@needs_book
@needs_printer
@pytest.mark.slow
def test_chapters_are_printed_as_a_book(tmp_path):
    """No words of the interface; every line of the contents has the number of its sheet."""
    names = ("01_strides", "04_autograd", "06_ddp")
    pages = [INTRO, *(INTRO.parent / "chapters" / f"{name}.html" for name in names)]
    outline, links, sheets = print_book(pages, tmp_path)
    first = outline[0][1]
    assert [one for one in sheets if re.search(INTERFACE, one)] == []
    assert len(outline) > 30 and "Contents" not in [title for title, _ in outline]
    contents = " ".join(" ".join(sheets[1:first]).split())
    for title, sheet in outline:
        assert f"{title} {sheet + 1}" in contents or f"{title}{sheet + 1}" in contents
        assert "".join(title.split()) in "".join(sheets[sheet].split())
    heads = {number: text.split("\n")[-2] for number, text in enumerate(sheets) if number > first}
    assert [one for one in heads if sheets[one].split()[-1] != str(one + 1)] == []
    assert not any("file:" in address for address, _ in links)
    assert "can be moved" in " ".join(sheets)


def test_the_workflow_builds_for_the_hosts_address():
    text = (ROOT / ".github" / "workflows" / "book.yml").read_text("utf-8")
    assert 'make book BOOK_URL="$URL"' in text
    # the released versions too, each in its own folder, and none of them stops the newest
    assert "refs/tags/v*" in text and 'BOOK_URL="${URL%/}/$tag/"' in text
    assert "::warning::" in text


HTML = BOOK / "_build" / "html"
PAGES = sorted(HTML.glob("chapters/*.html"))


def links(path, kind):
    """Return the links of a kind in a page: address and words."""
    text = path.read_text("utf-8")
    found = re.findall(r"<a [^>]*>.*?</a>", text)
    mine = [one for one in found if re.search(rf'class="[^"]*\b{kind}\b', one)]
    return [
        (re.search(r'href="([^"]*)"', one)[1], re.sub(r"<[^>]+>", "", one).lower()) for one in mine
    ]


@needs_book
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_chapter_links_terms_once(path):
    found = [address for address, _ in links(path, "term-link")]
    assert len(found) >= 5 and len(set(found)) == len(found)
    assert all(address.startswith("../glossary.html#term-") for address in found)


@needs_book
def test_a_chapter_and_an_exercise_are_linked_by_number():
    found = {words: address for address, words in links(PAGES[1], "place-link")}
    assert found["chapter 1"].startswith("01_strides.html")
    assert found["exercise 2.1"].endswith("#exercise-2-1")


@needs_book
def test_a_term_shows_its_meaning_and_headings_and_code_have_no_links():
    text = (HTML / "chapters" / "01_strides.html").read_text("utf-8")
    assert re.search(r'class="term-link[^>]*title="A flat buffer and a layout', text)
    for part in re.findall(r"<(h[1-4]|code|pre)\b[^>]*>(.*?)</\1>", text, re.DOTALL):
        assert "term-link" not in part[1] and "place-link" not in part[1]


# The build's own packages are not in this environment: what needs none of them is tried in its.
PROGRAM = """
import sys
sys.path[:0] = {paths!r}
import norch_links as links
from norch_glossary import read_terms
found = read_terms({text!r})
print([(one.name, one.meaning, one.chapter) for one in found])
print([re.fullmatch(links.pattern(one), word, re.I) is not None for one in found
       for word in ({words})])
"""


@needs_book
def test_terms_are_read_with_their_chapter():
    words = ("leaf\n  A start of the graph. (4)", "ZeRO\n  Shards. (6)")
    text = "```{glossary}\n" + "\n\n".join(words) + "\n```"
    paths = [str(BOOK / "_ext"), str(BOOK), str(BOOK.parent / "course")]
    program = "import re\n" + PROGRAM.format(
        paths=paths, text=text, words="'leaf', 'leafs', 'ZeRO', 'zero'"
    )
    python = BOOK.parent / "build" / "book-venv" / "bin" / "python"
    run = subprocess.run([python, "-c", program], capture_output=True, text=True, check=True)
    found, matches = map(ast.literal_eval, run.stdout.splitlines())
    assert found == [("leaf", "A start of the graph.", 4), ("ZeRO", "Shards.", 6)]
    assert matches == [True, True, False, False, False, False, True, False]
