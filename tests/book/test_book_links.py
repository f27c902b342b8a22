"""Links put in by the build: terms on first use, chapters and exercises by their number."""

import ast
import re
import subprocess

import pytest
from prose import BOOK

HTML = BOOK / "_build" / "html"
needs_book = pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book")
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
found = links.read_terms({text!r})
print([tuple(one) for one in found])
print([re.fullmatch(links.pattern(one), word, re.I) is not None for one in found
       for word in ({words})])
"""


@needs_book
def test_terms_are_read_with_their_chapter():
    words = ("leaf\n  A start of the graph. (4)", "ZeRO\n  Shards. (6)", "line\n  x (2)")
    text = "```{glossary}\n" + "\n\n".join(words) + "\n```"
    paths = [str(BOOK / "_ext"), str(BOOK.parent / "course")]
    program = "import re\n" + PROGRAM.format(
        paths=paths, text=text, words="'leaf', 'leafs', 'ZeRO', 'zero'"
    )
    python = BOOK.parent / "build" / "book-venv" / "bin" / "python"
    run = subprocess.run([python, "-c", program], capture_output=True, text=True, check=True)
    found, matches = map(ast.literal_eval, run.stdout.splitlines())
    assert found == [("leaf", "A start of the graph.", 4), ("ZeRO", "Shards.", 6)]
    assert matches == [True, True, False, False, False, False, True, False]
