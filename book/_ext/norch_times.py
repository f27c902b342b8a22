"""How long a page takes: its words at 200 a minute, and the minutes of its exercises.

The words are those of the prose and of the code that stands in it; listings that are folded away
count for nothing. Exercises state their minutes in exercises.toml.
"""

import json
import re
from pathlib import Path

from norch_course.catalog import load

ROOT = Path(__file__).resolve().parent.parent.parent
WORDS_A_MINUTE = 200
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


def words(notebook: Path) -> int:
    """Count the words of a notebook's text and code, without its directives."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(one["source"]) for one in cells)
    return len(re.sub(r"```\{.*?```", "", text, flags=re.DOTALL).split())


def reading(notebook: Path) -> int:
    """Return the minutes to read a notebook, in fives."""
    return 5 * -(-words(notebook) // (5 * WORDS_A_MINUTE))


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
    _, minutes, count, work = next(
        one for one in chapters() if chapter in (one[0].stem, str(int(one[0].name[:2])))
    )
    read = (
        f"Reading takes about {spell(minutes)}, at {WORDS_A_MINUTE} words a minute and without "
        "the folded listings."
    )
    if not count:
        return read
    name = NAMES[count] if count < len(NAMES) else str(count)
    return f"{read} The {name} exercises take about {spell(work)} more."


def table() -> list[str]:
    """Return the times of all chapters as a table in MyST."""
    lines = ["| chapter | to read | exercises | to write |", "|---|---|--:|---|"]
    found = chapters()
    for notebook, minutes, count, work in found:
        link = f"{{doc}}`chapters/{notebook.stem}`"
        lines.append(f"| {link} | {spell(minutes)} | {count} | {spell(work)} |")
    read, count, work = (sum(one[k] for one in found) for k in (1, 2, 3))
    return [*lines, f"| all | {spell(read)} | {count} | {spell(work)} |"]
