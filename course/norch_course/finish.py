"""The page that `make progress` writes: one's own lines, and which of them were in one's MNIST.

`mine.py` notes here, after a run that ended well, with whose lines it ran; a page says so only
while those lines are unchanged. The page is one file without addresses, to be shown to others.
"""

import base64
import hashlib
from collections.abc import Mapping
from html import escape
from pathlib import Path
from textwrap import dedent

from norch_course.catalog import Course, Exercise
from norch_course.grading import cache_folder, note, noted
from norch_course.workbook import Answer

PAGE = Path("runs") / "progress.html"
FIGURES = (Path("runs/mnist/digits.svg"), Path("runs/mnist/loss.svg"))
STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
progress { width: 100%; } img { width: 48%; min-width: 15rem; background: white; }
pre { overflow-x: auto; padding: 0.6rem; border: 1px solid gray; border-radius: 6px; }
"""


def _file(course: Course) -> Path:
    return cache_folder(course) / "mnist.json"


def _mark(answer: Answer) -> str:
    return hashlib.sha256(answer.hole.body.encode()).hexdigest()


def ran_in_mnist(course: Course, answers: Mapping[str, Answer], words: list[str]) -> None:
    """Note with whose lines a program ran to its end, if it was MNIST's."""
    if any(Path(word).name in ("mnist.py", "mnist_ddp.py") for word in words):
        note(_file(course), {id: _mark(answer) for id, answer in answers.items()})


def _entry(exercise: Exercise, answer: Answer, was_there: bool) -> str:
    where = "in the library while your MNIST was trained" if was_there else "right"
    lines = escape(dedent(answer.hole.body).rstrip())
    title = f"{exercise.id} {escape(exercise.title)}"
    return f"<details><summary>{title}: {where}</summary><pre>{lines}</pre></details>"


def _figures(root: Path) -> str:
    found = [root / path for path in FIGURES if (root / path).exists()]
    code = [(path.stem, base64.b64encode(path.read_bytes()).decode()) for path in found]
    return "".join(
        f'<img alt="{name} of MNIST" src="data:image/svg+xml;base64,{text}">' for name, text in code
    )


def page(course: Course, right: Mapping[str, Answer]) -> str:
    """Return the page about the answers that are right."""
    marks = noted(_file(course))
    there = {id for id, answer in right.items() if marks.get(id) == _mark(answer)}
    count = len(course.exercises)
    said = f"{len(right)} of {count} exercises are mine; {len(there)} of them were in the library "
    said += "while it learned to read handwritten digits."
    parts = [f"<h1>My norch</h1><p>{said}</p>", _figures(course.root) if there else ""]
    for stage in course.stages:
        exercises = course.of_stage(stage)
        mine = [one for one in exercises if one.id in right]
        parts += [f"<h2>Stage {stage.number}: {len(mine)} of {len(exercises)}</h2>"]
        parts += [f'<progress value="{len(mine)}" max="{len(exercises)}"></progress>']
        parts += [_entry(one, right[one.id], one.id in there) for one in mine]
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>My norch</title>'
    phone = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    return f"{head}{phone}<style>{STYLE}</style>" + "\n".join(parts) + "\n</html>\n"


def write(course: Course, right: Mapping[str, Answer]) -> Path:
    """Write the page; return where it is."""
    path = course.root / PAGE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(course, right), encoding="utf-8")
    return path
