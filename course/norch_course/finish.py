"""The page that `make progress` writes: one's own lines, which of them ran in MNIST, what was hard.

`mine.py` notes here, after a run that ended well, whose lines were in it and which of them ran; a
page says so only while those lines are unchanged. The page is one file without addresses, to be
shown to others.
"""

import argparse
import base64
import hashlib
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from textwrap import dedent
from typing import Any

from norch_course import afterwards
from norch_course.catalog import Course, Exercise
from norch_course.grading import cache_folder, note, read_note
from norch_course.lines import Lines
from norch_course.report import spell
from norch_course.workbook import Answer, write_whole

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


def _device(words: list[str]) -> str:
    """Return what MNIST was told to run on."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--device", default="cpu")
    device: str = parser.parse_known_args(words)[0].device
    return device


def ran_in_mnist(
    course: Course,
    answers: Mapping[str, Answer],
    words: list[str],
    ran: Mapping[str, list[Lines]],
) -> None:
    """Note with whose lines a program ran to its end, and which of them ran, if it was MNIST's."""
    if any(Path(word).name in ("mnist.py", "mnist_ddp.py") for word in words):
        on_gpu = _device(words).startswith("cuda")
        note(
            _file(course),
            {
                id: [_mark(answer), *ran.get(id, [[], []])]
                for id, answer in answers.items()
                if on_gpu or course.find(id).suffix != ".cu"
            },
        )


def _what_ran(exercise: Exercise, there: list[Any] | None) -> str:
    if there is None:
        return "right"
    _, ran, lines = there
    if exercise.suffix != ".py":
        return "compiled into the library that your MNIST ran on"
    if not lines:
        return "right; MNIST does not import it"
    return f"{len(ran)} of {len(lines)} lines ran in your MNIST"


def _entry(exercise: Exercise, answer: Answer, there: list[Any] | None) -> str:
    ran = there[1] if there else []
    body = dedent(answer.hole.body).rstrip().split("\n")
    marked = [f"{'>' if k in ran else ' '} {line}" for k, line in enumerate(body, start=1)]
    text = escape("\n".join(marked if ran else body))
    title = f"{exercise.id} {escape(exercise.title)}: {_what_ran(exercise, there)}"
    return f"<details><summary>{title}</summary><pre>{text}</pre></details>"


def _figures(root: Path) -> str:
    found = [root / path for path in FIGURES if (root / path).exists()]
    code = [(path.stem, base64.b64encode(path.read_bytes()).decode()) for path in found]
    return "".join(
        f'<img alt="{name} of MNIST" src="data:image/svg+xml;base64,{text}">' for name, text in code
    )


def page(course: Course, right: Mapping[str, Answer], unknown: Sequence[str] = ()) -> str:
    """Return the page about the answers that are right; `unknown` could not be judged here."""
    marks = read_note(_file(course))
    there = {id: marks[id] for id, one in right.items() if marks.get(id, [""])[0] == _mark(one)}
    count, ran = len(course.exercises), sum(len(lines) for _, lines, _ in there.values())
    said = f"{len(right)} of {count} exercises are mine; {len(there)} of them were in the library "
    said += "while it learned to read handwritten digits"
    if ran:
        said += f", and {ran} lines of their Python ran: these begin with a &gt;. Lines of C++ and "
        said += "CUDA are compiled, and cannot be watched"
    said += "." if there else " (<code>make mnist MINE=1</code> trains with them)."
    if unknown:
        said += f" {len(unknown)} could not be judged on this machine: {', '.join(unknown)}."
    minutes = sum(course.find(id).minutes for id in right)
    said += f" By their own minutes that is about {spell(minutes)} of work." * bool(right)
    parts = [f"<h1>My norch</h1><p>{said}</p>", _figures(course.root) if there else ""]
    parts += afterwards.section(course, right)
    for stage in course.stages:
        exercises = course.of_stage(stage)
        mine = [one for one in exercises if one.id in right]
        parts += [f"<h2>Stage {stage.number}: {len(mine)} of {len(exercises)}</h2>"]
        parts += [f'<progress value="{len(mine)}" max="{len(exercises)}"></progress>']
        parts += [_entry(one, right[one.id], there.get(one.id)) for one in mine]
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>My norch</title>'
    phone = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    return f"{head}{phone}<style>{STYLE}</style>" + "\n".join(parts) + "\n</html>\n"


def write(course: Course, right: Mapping[str, Answer], unknown: Sequence[str] = ()) -> Path:
    """Write the page; return where it is."""
    path = course.root / PAGE
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, page(course, right, unknown))
    return path
