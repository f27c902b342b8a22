"""The prose of the book, without code, mathematics, addresses and markup. Used by its tests."""

import ast
import json
import re
from pathlib import Path

import norch_sources

from norch_course.catalog import load

BOOK = Path(__file__).resolve().parents[2] / "book"
CHAPTERS = sorted((BOOK / "chapters").glob("*.ipynb"))
NOTEBOOKS = [*CHAPTERS, *sorted(BOOK.glob("*.ipynb"))]
PAGES = [*NOTEBOOKS, *sorted(BOOK.glob("*.md"))]
PAGES += [
    path for folder in ("library", "capstone") for path in sorted(BOOK.glob(f"{folder}/*.md"))
]


def cells(path: Path, kind: str) -> list[dict]:
    """Return the cells of one kind, each with its `text`."""
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [{**one, "text": "".join(one["source"])} for one in found if one["cell_type"] == kind]


def markdown(path: Path) -> str:
    """Return the text of a page as it was written."""
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8")
    return "\n\n".join(one["text"] for one in cells(path, "markdown"))


def said(page: str, sentence: str) -> None:
    """Assert that a page, named without its folder, says a sentence, wherever its lines break."""
    (path,) = (one for one in PAGES if one.stem == page)
    text = re.sub(r"\s+", " ", markdown(path))
    assert sentence in text, f"{page} no longer says: {sentence}"


def plain(text: str) -> str:
    """Leave out fenced code, mathematics, roles, inline code, HTML tags and addresses."""
    glossary = re.findall(r"```\{glossary\}\n(.*?)```", text, re.DOTALL)
    for pattern in (
        r"```.*?```",
        r"\$\$.*?\$\$",
        r"\$[^$\n]*\$",
        r"\{[a-z:]+\}`[^`]*`",
        r"`[^`]*`",
        r"<[^>]*>",
        r"\]\([^)]*\)",
        r"https?://\S+",
        r"^:::.*\{dropdown\}|^:::.*$",
    ):
        flags = re.DOTALL if pattern.startswith(("```", r"\$\$")) else re.MULTILINE
        text = re.sub(pattern, " ", text, flags=flags)
    return "\n".join([text, *glossary])


def listed() -> list[str]:
    """Return the modules whose names the pages of the library list."""
    pages = [BOOK / "library.md", *sorted(BOOK.glob("library/*.md"))]
    texts = "\n".join(path.read_text("utf-8") for path in pages)
    return list(dict.fromkeys(re.findall(r"```\{library\} (\S+)", texts)))


def names_in_code() -> set[str]:
    """Return the parts of all public names and of their arguments, in small letters."""
    found = set()
    for name, one in (
        (n, o) for module in listed() for n, o in norch_sources.public(module).items()
    ):
        arguments = [node.arg for node in ast.walk(one.definition) if isinstance(node, ast.arg)]
        for word in (name, *arguments):
            found.update(re.findall(r"[a-z]+", word.lower()))
    return found


def docstrings() -> dict[str, str]:
    """Return the docstrings that the page of the library shows, by name, without their examples."""
    return {
        f"{module}.{name}": (ast.get_docstring(one.definition) or "").partition(">>> ")[0]
        for module in listed()
        for name, one in norch_sources.public(module).items()
    }


def exercises() -> dict[str, str]:
    """Return what the chapters say about each exercise: title, task, hints, misconceptions."""
    return {
        one.id: "\n".join([one.title, one.task, *one.hints, *(wrong.says for wrong in one.wrong)])
        for one in load(BOOK.parent).exercises.values()
    }
