"""The notebooks as the live pages must repeat them: their cells, and nbval's comparison.

`test_live_chapters.py` calls it with what a page's Python showed, in node and in a browser.
"""

import configparser
import json
import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "book"
IGNORED = {"nbval-ignore-output", "nbval-skip"}
KINDS = ("text/html", "image/svg+xml", "text/plain")
ELSEWHERE = re.compile(r"%%ranks\b")  # `test_live_ranks.py` looks at them


class Cell(NamedTuple):
    """A cell of code: its number among them, from 1, its text, its tags and what is stored."""

    number: int
    code: str
    tags: frozenset[str]
    outputs: list[dict]

    @property
    def is_elsewhere(self) -> bool:
        """Tell whether the cell needs what a page, or one Python alone, has not."""
        return any(tag.startswith("wants-") for tag in self.tags) or bool(
            ELSEWHERE.match(self.code)
        )

    @property
    def printed(self) -> str:
        """Return what is stored as printed."""
        return "".join(text(one["text"]) for one in self.outputs if one.get("name") == "stdout")


def text(lines: object) -> str:
    """Return a text that a notebook may hold as a list of lines."""
    return lines if isinstance(lines, str) else "".join(lines)


def cells(page: str) -> list[Cell]:
    """Return the cells of a page, such as `chapters/01_strides`."""
    found = json.loads((BOOK / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
    code = [one for one in found if one["cell_type"] == "code"]
    return [
        Cell(k, text(one["source"]), frozenset(one["metadata"].get("tags", ())), one["outputs"])
        for k, one in enumerate(code, 1)
    ]


def sanitize(words: str) -> str:
    """Replace what may differ between two runs, by the rules that nbval is given."""
    rules = configparser.RawConfigParser()
    rules.read(BOOK / "nbval.cfg", encoding="utf-8")
    for name in rules.sections():
        words = re.sub(rules[name]["regex"], rules[name]["replace"], words)
    return words


def expected(cell: Cell) -> list[tuple[str, str]]:
    """Return what is stored: printed text, then each thing shown, in every form of it."""
    shown = [("stdout", sanitize(cell.printed))] if cell.printed else []
    for one in cell.outputs:
        data = one.get("data", {})
        shown += [(kind, sanitize(text(data[kind]))) for kind in KINDS if kind in data]
    return shown


def happened(shown: list[dict], found: dict) -> list[tuple[str, str]]:
    """Return the same of what a page's Python told."""
    lines = (one["line"] + one["end"] for one in shown if one.get("stream") == "out")
    printed = "".join(lines)
    told = [("stdout", sanitize(printed))] if printed else []
    for one in [*(one for one in shown if one["kind"] == "shown"), found]:
        forms = [("text/html", one.get("html")), ("text/plain", one.get("plain", one.get("text")))]
        told += [(kind, sanitize(words)) for kind, words in forms if words is not None]
    return told


def jobs(found: list[Cell], edit: str = "") -> list[dict]:
    """Return what a page's Python is asked for: cells with an edit, stored output for some."""
    return [
        {"code": one.code, "name": f"<cell {one.number}>", "stored": one.printed}
        if one.is_elsewhere
        else {"code": one.code + edit, "name": f"<cell {one.number}>"}
        for one in found
    ]


def differences(found: list[Cell], told: list[dict]) -> list[tuple]:
    """Return where a page's Python showed another thing than is stored, or an error."""
    other = []
    for cell, one in zip(found, told, strict=True):
        if cell.is_elsewhere:
            continue
        if "error" in one["found"]:
            other.append((cell.number, one["found"]["error"]))
        elif not cell.tags & IGNORED:
            got, wanted = happened(one["shown"], one["found"]), expected(cell)
            other += [(cell.number, got, wanted)] if got != wanted else []
    return other
