"""The book for a host and as a PDF: addresses, sitemap, 404, descriptions, the outline of the PDF.

Small books of a page or two, built by the environment of `make book`.
"""

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
    paths = [str(BOOK / "_ext"), str(ROOT / "course")]
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


@needs_book
@pytest.mark.skipif(not browser.program(), reason="no Chromium is installed: it prints")
def test_a_pdf_has_an_outline_and_links_that_stay_inside(tmp_path):
    texts = {
        "one": 'First. <a href="two.html">on</a> <a href="library.html">up</a>',
        "two": 'Second. <a href="https://example.org/">out</a><details>folded</details>',
    }
    for name, words in texts.items():
        html = f"<title>{name.title()} &#8212; norch</title><p>{words}</p>"
        html += '<script src="print.js"></script>'
        (tmp_path / f"{name}.html").write_text(html, "utf-8")
    (tmp_path / "print.js").write_bytes((BOOK / "_static" / "print.js").read_bytes())
    program = f"""
import json, sys
from pathlib import Path
sys.path.insert(0, {str(BOOK)!r})
import pdf
from pypdf import PdfReader
folder = Path({str(tmp_path)!r})
pdf.pages = lambda: [folder / "one.html", folder / "two.html"]
pdf.main(folder / "book.pdf")
book = PdfReader(folder / "book.pdf")
outline = [[one.title, book.get_destination_page_number(one)] for one in book.outline]
links = [[str(link.get("/A", {{}}).get("/URI")), "/Dest" in link]
         for sheet in book.pages for link in [one.get_object() for one in sheet["/Annots"]]]
print(json.dumps([outline, links, book.pages[1].extract_text()]))
"""
    run = subprocess.run([PYTHON, "-c", program], capture_output=True, text=True, check=True)
    outline, links, text = json.loads(run.stdout.splitlines()[-1])
    assert outline == [["One", 0], ["Two", 1]]
    assert links == [["None", True], ["None", False], ["https://example.org/", False]]
    assert "folded" in text


def test_the_workflow_builds_for_the_hosts_address():
    text = (ROOT / ".github" / "workflows" / "book.yml").read_text("utf-8")
    assert 'make book BOOK_URL="$URL"' in text
    # the released versions too, each in its own folder, and none of them stops the newest
    assert "refs/tags/v*" in text and 'BOOK_URL="${URL%/}/$tag/"' in text
    assert "::warning::" in text
