"""The built book: every link inside it leads somewhere, and a browser shows it without complaint.

Runs where `make book` has built the pages; the browser tests also need Chromium. `.ci/run` builds
the book before it runs the tests.
"""

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

HTML = Path(__file__).resolve().parent.parent / "book" / "_build" / "html"
PAGES = sorted([*HTML.glob("*.html"), *HTML.glob("chapters/*.html")])
PAGES = [path for path in PAGES if path.name not in ("search.html", "genindex.html", "index.html")]
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)

pytestmark = pytest.mark.skipif(not PAGES, reason="the book is not built here: make book")
needs_browser = pytest.mark.skipif(not CHROMIUM, reason="no Chromium is installed")


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


def in_browser(page, tmp_path, width):
    """Show a page in a frame of this width; return how wide it is, and what failed to load."""
    frame = f"""<!doctype html><iframe style="width:{width}px;height:900px;border:0"></iframe>
<pre id="out"></pre><script>
const frame = document.querySelector("iframe");
frame.onload = () => {{
  const inside = frame.contentDocument;
  const empty = [...inside.images].filter((one) => one.complete && !one.naturalWidth);
  const out = {{width: inside.documentElement.scrollWidth, empty: empty.map((one) => one.src)}};
  document.getElementById("out").textContent = JSON.stringify(out);
}};
frame.src = "{page.as_uri()}";
</script>"""
    outer = tmp_path / "frame.html"
    outer.write_text(frame, encoding="utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"]
    flags += ["--enable-logging=stderr", "--virtual-time-budget=20000", "--dump-dom"]
    flags += [f"--user-data-dir={tmp_path / 'profile'}"]
    done = subprocess.run(
        [CHROMIUM, *flags, outer.as_uri()], capture_output=True, text=True, timeout=120, check=True
    )
    shown = json.loads(re.search(r'<pre id="out">(.*?)</pre>', done.stdout)[1])
    complaints = re.findall(r'CONSOLE[^"]*"((?:[^"]*[Ee]rror|Failed)[^"]*)"', done.stderr)
    return shown, complaints


@needs_browser
@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_phone_shows_the_page_without_scrolling_sideways(page, tmp_path):
    shown, complaints = in_browser(page, tmp_path, 390)
    assert shown["width"] <= 390
    assert shown["empty"] == [] and complaints == []


@needs_browser
def test_a_page_that_is_too_wide_or_complains_is_found(tmp_path):
    page = tmp_path / "wide.html"
    page.write_text(
        '<div style="width:700px">x</div><img src="gone.png"><script>nothing()</script>', "utf-8"
    )
    shown, complaints = in_browser(page, tmp_path, 390)
    assert shown["width"] > 390 and len(shown["empty"]) == 1
    assert any("nothing is not defined" in words for words in complaints)
