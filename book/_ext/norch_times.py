"""How long a page takes: its prose at 200 words a minute, its code at 60, and its exercises.

Code is what a reader sees of it: cells, and the listings in the text, those of the library too.
What is folded away counts for nothing. Exercises state their minutes in exercises.toml.
"""

import ast
import json
import re
import sys
from math import ceil
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
# The exercises' engine and the lessons are parts of the repository, not installed.
sys.path[:0] = [str(ROOT / "course"), str(ROOT / "book")]

from lessons.recorded import is_timed  # noqa: E402

from norch_course.catalog import load  # noqa: E402
from norch_course.holes import LANGUAGES, without_marks  # noqa: E402

WORDS_A_MINUTE, CODE_A_MINUTE = 200, 60
FOLDED = {"hide-cell", "hide-input", "remove-cell", "remove-input"}
NAMES = [
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]


class Words(NamedTuple):
    """What a page shows, in words."""

    prose: int
    code: int

    @property
    def minutes(self) -> int:
        """Return the minutes to read it, in fives."""
        exact = self.prose / WORDS_A_MINUTE + self.code / CODE_A_MINUTE
        return 5 * ceil(exact / 5)


def definition(text: str, name: str) -> list[str]:
    """Return the lines of a function, a class or a method (`Class.method`), decorators too."""
    found: ast.AST | None = ast.parse(text)
    for part in name.split("."):
        inside = ast.walk(found) if found else ()
        found = next((one for one in inside if getattr(one, "name", None) == part), None)
    if not isinstance(found, ast.FunctionDef | ast.ClassDef):
        return []
    first = min(one.lineno for one in [found, *found.decorator_list])
    return text.splitlines()[first - 1 : found.end_lineno]


def cut(lines: list[str], option: str, value: str) -> list[str]:
    """Cut lines as an option of `literalinclude` asks, by a line that has the value in it."""
    at = [number for number, line in enumerate(lines) if value in line]
    if option == "end-before":  # what ends before a line is not ended by its own first one
        return lines[: min(filter(None, at), default=0)]
    if not at:
        return []
    more = 1 if option in ("start-after", "end-at") else 0
    return lines[at[0] + more :] if option.startswith("start") else lines[: at[0] + more]


CUTS = ("start-at", "start-after", "end-before", "end-at")


def listing(directive: str, folder: Path) -> str:
    """Return what a `literalinclude` shows: its first line is the file, the others are options.

    The pages are read where no Sphinx is, so its own reader cannot be asked.
    """
    file, *options = directive.strip().splitlines()
    found = re.findall(r"^:([\w-]+): ?(.*)$", "\n".join(options), re.MULTILINE)
    asked = {name: value.strip("'\"") for name, value in found}
    text = (folder / file).read_text(encoding="utf-8")
    lines = text.splitlines()
    for option in ("pyobject", *CUTS):
        if option in asked:
            value = asked[option]
            lines = definition(text, value) if option == "pyobject" else cut(lines, option, value)
            if not lines:
                raise ValueError(f"{file}: nothing is found by :{option}: {value}")
    shown, suffix = "\n".join(lines) + "\n", Path(file).suffix
    return without_marks(shown, suffix) if suffix in LANGUAGES else shown


def split(text: str, folder: Path) -> tuple[str, str]:
    """Split a text of MyST into the prose and the code that a page shows of it."""
    text = re.sub(r"^:::\{dropdown\}.*?^:::$", "", text, flags=re.DOTALL | re.MULTILINE)
    fence = re.compile(r"^```(\{[\w-]+\})?(.*?)^```$", re.DOTALL | re.MULTILINE)
    code = []
    for name, body in fence.findall(text):
        if name == "{literalinclude}":
            code.append(listing(body, folder))
        elif not name:
            code.append(body.partition("\n")[2])  # without the language
    return fence.sub("", text), "\n".join(code)


def words(notebook: Path) -> Words:
    """Count the words of prose and of code that a notebook shows."""
    prose, code = [], []
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            said, listed = split(text, notebook.parent)
            prose.append(said)
            code.append(listed)
        elif not FOLDED & set(cell["metadata"].get("tags", ())):
            code.append(text)
    return Words(*(len("\n".join(texts).split()) for texts in (prose, code)))


def reading(notebook: Path) -> int:
    """Return the minutes to read a notebook, in fives."""
    return words(notebook).minutes


def shown_exercises(notebook: Path) -> list[str]:
    """List the exercises that a notebook shows."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return re.findall(r"```\{exercise\} (\S+)", "\n".join("".join(one["source"]) for one in cells))


def chapters() -> list[tuple[Path, int, int, int]]:
    """Return each chapter: its notebook, minutes to read, number of exercises, their minutes."""
    every, found = load(ROOT).exercises, []
    for notebook in sorted((ROOT / "book" / "chapters").glob("*.ipynb")):
        minutes = [every[id].minutes for id in shown_exercises(notebook)]
        found.append((notebook, reading(notebook), len(minutes), sum(minutes)))
    return found


def spell(minutes: int) -> str:
    """Spell a time: '40 minutes', '2 hours', '2 hours 20 minutes'."""
    hours, rest = divmod(minutes, 60)
    parts = [f"{hours} hour{'s' * (hours > 1)}"] if hours else []
    return " ".join([*parts, *([f"{rest} minutes"] if rest or not hours else [])])


def sentence(chapter: str) -> str:
    """Say how long a chapter takes: "4", or the notebook's name where a chapter has several."""
    notebook, minutes, count, work = next(
        one for one in chapters() if chapter in (one[0].stem, str(int(one[0].name[:2])))
    )
    prose, code = (f"{round(count, -2):,}" for count in words(notebook))
    said = [
        f"Reading takes about {spell(minutes)}: {prose} words of prose at {WORDS_A_MINUTE} a "
        f"minute and {code} of code at {CODE_A_MINUTE}, without what is folded away."
    ]
    if count:
        name = NAMES[count] if count < len(NAMES) else str(count)
        said.append(f"The {name} exercises take about {spell(work)} more.")
    if is_timed(json.loads(notebook.read_text(encoding="utf-8"))):
        said.append("Times in it were taken on {ref}`one machine <the-machine>`.")
    return " ".join(said)


def table() -> list[str]:
    """Return the times of all chapters as a table in MyST."""
    lines = ["| chapter | to read | exercises | to write |", "|---|---|--:|---|"]
    found = chapters()
    for notebook, minutes, count, work in found:
        link = f"{{doc}}`chapters/{notebook.stem}`"
        lines.append(f"| {link} | {spell(minutes)} | {count} | {spell(work)} |")
    read, count, work = (sum(one[k] for one in found) for k in (1, 2, 3))
    return [*lines, f"| all | {spell(read)} | {count} | {spell(work)} |"]
