"""What a shelf must have to stand here: a sentence, a page of the book, tests, a row."""

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1]
ROOT = PACKAGE.parents[1]
SHELVES = {
    path.parent.name if path.name == "__init__.py" else path.stem: path
    for path in sorted(
        [
            *(PACKAGE / "src/norch_extras").glob("[a-z]*.py"),
            *(PACKAGE / "src/norch_extras").glob("*/__init__.py"),
        ]
    )
}


def promise(path):
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""


def test_there_are_shelves():
    assert {"accelerate", "optim", "nn", "testing"} <= set(SHELVES)


@pytest.mark.parametrize("shelf", SHELVES)
def test_a_shelf_says_what_it_is_and_which_page_mentions_it(shelf):
    sentence, _, rest = promise(SHELVES[shelf]).partition("\n\n")
    assert sentence.endswith(".") and len(sentence) < 200
    pages = re.findall(r"book/[\w/]+\.(?:md|ipynb)", rest)
    assert pages and all((ROOT / page).exists() for page in pages), pages


@pytest.mark.parametrize("shelf", SHELVES)
def test_a_shelf_has_tests_and_a_row(shelf):
    texts = [
        path.read_text(encoding="utf-8")
        for path in (PACKAGE / "tests").rglob("*.py")
        if path.name != Path(__file__).name
    ]
    imported = re.compile(rf"norch_extras\.{shelf}\b|from norch_extras import [\w, ]*\b{shelf}\b")
    assert any(imported.search(text) for text in texts)
    assert f"| `{shelf}` |" in (PACKAGE / "README.md").read_text(encoding="utf-8")
