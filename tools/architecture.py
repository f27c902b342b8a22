"""Draws the floors into docs/architecture.md: the order of the stages, and what is in each.

The contracts of the linter that keep the order are what is drawn. `python tools/architecture.py`
writes between the page's two marks; `--check` (part of `make lint`) fails where the page says
something else. The words of a floor are the first line of its package. Nothing is imported: files
are read as text. tools/weigh.py writes the page's sizes by the same `redraw`.
"""

import ast
import sys
import tomllib
from collections.abc import Callable
from operator import eq
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "architecture.md"
WIDTH = 96


def contracts(path: Path) -> list[dict[str, Any]]:
    """Return the contracts of a pyproject.toml that put layers in order."""
    with path.open("rb") as file:
        linter = tomllib.load(file).get("tool", {}).get("importlinter", {})
    return [one for one in linter.get("contracts", []) if one["type"] == "layers"]


def promise(module: str) -> str:
    """Return the first sentence of a package's or module's docstring, found by its dotted name."""
    top, *rest = module.split(".")
    places = (f"stages/*/src/{top}", f"extras/*/src/{top}", f"norch/src/{top}")
    (found,) = [path for place in places for path in ROOT.glob(place)]
    package = found.joinpath(*rest)
    file = package / "__init__.py" if package.is_dir() else package.with_suffix(".py")
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return text.split("\n\n")[0].replace("\n", " ")


def wrap_floor(name: str, text: str, margin: int) -> list[str]:
    """Return a floor's name and words as lines of the drawing."""
    lines, line = [], f"{name:{margin}}"
    for word in text.split():
        if len(line) + len(word) + 1 > WIDTH - 4:
            lines.append(line)
            line = " " * margin
        line += f" {word}" if line.strip() and len(line) > margin else word
    return [*lines, line]


def drawing(contract: dict[str, Any]) -> str:
    """Return one house: its name, then the floors, the highest first."""
    (container,) = contract.get("containers", [""])
    rule = "+" + "-" * (WIDTH - 2) + "+"
    names = [[part.strip() for part in layer.split("|")] for layer in contract["layers"]]
    margin = max(len(name) for floor in names for name in floor) + 2
    title = f"{container}: {promise(container)}" if container else f"{contract['name']}."
    lines = ["```text", title, rule]
    for floor in names:
        for name in floor:
            words = promise(f"{container}.{name}".lstrip("."))
            lines += [f"| {line:{WIDTH - 4}} |" for line in wrap_floor(name, words, margin)]
        lines.append(rule)
    return "\n".join([*lines, "```"])


def floors() -> str:
    """Return all drawings: the stages' order, then the floors of each."""
    files = sorted(ROOT.glob("stages/*/pyproject.toml"))
    own = [contract for path in files for contract in contracts(path)]
    return "\n\n".join(
        drawing(contract) for contract in [*contracts(ROOT / "pyproject.toml"), *own]
    )


def redraw(subject: str, program: str, text: str, same: Callable[[str, str], bool] = eq) -> None:
    """Write the text between the subject's marks; under --check leave with 1 where it is not the
    same as what stands there.
    """
    begin, end = f"<!-- {subject}: written by {program} -->", f"<!-- end of the {subject} -->"
    page = PAGE.read_text(encoding="utf-8")
    before, found, after = parts(page, begin, end)
    if "--check" not in sys.argv:
        PAGE.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", encoding="utf-8")
    elif not same(found.strip(), text):
        sys.exit(f"{PAGE.name} does not show the {subject} of today: run python {program}")


def parts(page: str, begin: str, end: str) -> tuple[str, str, str]:
    """Return what stands before, between and after the marks."""
    before, opened, rest = page.partition(begin)
    between, closed, after = rest.partition(end)
    if not (opened and closed):
        sys.exit(f"{PAGE.name} has no lines '{begin}' and '{end}': write them where they belong")
    return before, between, after


def main() -> None:
    """Write the page, or say that it is not what the contracts say."""
    redraw("floors", "tools/architecture.py", floors())


if __name__ == "__main__":
    main()
