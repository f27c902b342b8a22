"""The cells of a chapter that run on a step, and what the notebook says that they print.

A test runs them with the step's package in place of norch. Lines that draw are left out: a figure
is the chapter's, and its program is no part of what is built.
"""

import ast
import json
from typing import NamedTuple

from steps.programs import ROOT, Step

DRAW = {"memory", "graphs", "training", "bars"}  # modules of figures


class Cell(NamedTuple):
    """Lines to run, and what they print; a value at the end is told as its text."""

    code: str
    prints: str


def text(lines: object) -> str:
    """Return a text that a notebook may hold as a list of lines."""
    return lines if isinstance(lines, str) else "".join(lines)


def cells(step: Step) -> list[Cell]:
    """Return the cells of a step, found by what stands in them; KeyError for one that is gone."""
    path = ROOT / "book" / "chapters" / f"{step.chapter}.ipynb"
    code = [
        one
        for one in json.loads(path.read_text(encoding="utf-8"))["cells"]
        if one["cell_type"] == "code"
    ]
    found = []
    for words in step.cells:
        fitting = [one for one in code if words in text(one["source"])]
        if not fitting:
            raise KeyError(
                f"chapter {step.chapter} has no cell with {words!r}, which {step.id} runs"
            )
        found.append(Cell(without_drawing(text(fitting[0]["source"])), printed(fitting[0])))
    return found


def printed(cell: dict) -> str:
    """Return what is stored of a cell: what it printed, and the value at its end."""
    words = ""
    for one in cell["outputs"]:
        words += text(one["text"]) if one.get("name") == "stdout" else ""
        data = one.get("data", {})
        if "text/html" not in data and "text/plain" in data:
            words += text(data["text/plain"]) + "\n"
    return words


def without_drawing(code: str) -> str:
    """Return the lines of a cell without the statements that draw or fetch what draws."""
    lines = code.splitlines()
    for node in reversed(ast.parse(code).body):
        root = node.value if isinstance(node, ast.Expr) else None
        while isinstance(root, ast.Call | ast.Attribute):
            root = root.func if isinstance(root, ast.Call) else root.value
        is_drawing = isinstance(root, ast.Name) and root.id in DRAW
        is_figure = isinstance(node, ast.ImportFrom) and node.module == "figures"
        if is_drawing or is_figure:
            del lines[node.lineno - 1 : node.end_lineno]
    return "\n".join(lines).strip("\n")
