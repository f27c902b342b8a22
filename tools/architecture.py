"""Draws the floors of the stages into docs/architecture.md, from the contracts that keep them.

`python tools/architecture.py` writes the drawing between the page's two marks; `--check` (part of
`make lint`) fails where the page says something else. The words of a floor are the first line of
its package. Nothing is imported: files are read as text.
"""

import ast
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- floors: written by tools/architecture.py -->", "<!-- end of the floors -->"
WIDTH = 96


def contracts(path: Path) -> list[dict]:
    """Return the contracts of a pyproject.toml that put layers in order."""
    with path.open("rb") as file:
        linter = tomllib.load(file).get("tool", {}).get("importlinter", {})
    return [one for one in linter.get("contracts", []) if one["type"] == "layers"]


def promise(package: Path) -> str:
    """Return the first sentence of a package's or module's docstring."""
    file = package / "__init__.py" if package.is_dir() else package.with_suffix(".py")
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return text.split("\n\n")[0].replace("\n", " ")


def wrapped(name: str, text: str, margin: int) -> list[str]:
    """Return a floor's name and words as lines of the drawing."""
    lines, line = [], f"{name:{margin}}"
    for word in text.split():
        if len(line) + len(word) + 1 > WIDTH - 4:
            lines.append(line)
            line = " " * margin
        line += f" {word}" if line.strip() and len(line) > margin else word
    return [*lines, line]


def drawing(source: Path, contract: dict) -> list[str]:
    """Return one house: its name, then the floors, the highest first."""
    (container,) = contract["containers"]
    folder = source.joinpath(*container.split("."))
    rule = "+" + "-" * (WIDTH - 2) + "+"
    names = [[part.strip() for part in layer.split("|")] for layer in contract["layers"]]
    margin = max(len(name) for floor in names for name in floor) + 2
    lines = [f"{container}: {promise(folder)}", rule]
    for floor in names:
        for name in floor:
            lines += [
                f"| {line:{WIDTH - 4}} |" for line in wrapped(name, promise(folder / name), margin)
            ]
        lines.append(rule)
    return lines


def floors() -> str:
    """Return the drawings of all stages that have contracts of their own."""
    parts = []
    for path in sorted(ROOT.glob("stages/*/pyproject.toml")):
        for contract in contracts(path):
            parts.append("\n".join(["```text", *drawing(path.parent / "src", contract), "```"]))
    return "\n\n".join(parts)


def main() -> None:
    """Write the page, or say that it is not what the contracts say."""
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    wanted = f"{before}{BEGIN}\n\n{floors()}\n\n{END}{rest.split(END)[1]}"
    if "--check" not in sys.argv:
        PAGE.write_text(wanted, encoding="utf-8")
    elif wanted != page:
        sys.exit(f"{PAGE.name} does not show the contracts: run python tools/architecture.py")


if __name__ == "__main__":
    main()
