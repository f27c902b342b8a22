"""The certificate: a page that prints on one sheet, for a teacher to sign.

`make progress NAME="Ada King"` writes it beside the page with a learner's lines. It says what is
right now, as the checks see it, and ends with a mark of all answers, which `make grade` shows too:
so a teacher knows that these are the answers that were handed in. It is no proof of who wrote them.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import date
from html import escape
from pathlib import Path
from textwrap import dedent

from norch_course.catalog import Course, CourseError
from norch_course.paths import LearningPath
from norch_course.report import spell
from norch_course.workbook import Answer, answer_to, write_whole

PAGE = Path("runs") / "certificate.html"
STYLE = """
@page { size: A4; margin: 18mm; }
body { font: 15px/1.45 serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem; }
h1 { text-align: center; font-weight: normal; letter-spacing: 0.1em; }
.name { font-size: 1.6rem; text-align: center; min-height: 2.4rem;
  border-bottom: 1px solid; margin: 2rem 4rem 0.3rem; }
.below { text-align: center; font-size: 0.85rem; margin: 0 0 1.5rem; }
ul { padding-left: 1.2rem; } .mark { font-family: monospace; white-space: nowrap; }
.sign { display: flex; gap: 3rem; margin-top: 4rem; }
.sign div { flex: 1; border-top: 1px solid; font-size: 0.85rem; }
@media print { body { margin: 0 auto; } }
"""
today: Callable[[], date] = date.today
SKILLS = {
    "1": "arrays as a buffer and a way to walk it",
    "2": "kernels in C++",
    "3": "kernels in CUDA",
    "4": "automatic differentiation",
    "5": "layers, optimizers and training",
    "6": "training in several processes",
}


def answers_in(course: Course) -> Iterator[tuple[str, Answer]]:
    """List the answers of the workbook that can be read."""
    for one in course.exercises.values():
        with suppress(CourseError, OSError):
            yield one.id, answer_to(one)


def mark(answers: Mapping[str, Answer]) -> str:
    """Return the mark of some answers, whoever's file they stand in; what is empty has no part."""
    written = sorted((id, answer) for id, answer in answers.items() if not answer.is_stub)
    digest = hashlib.sha256()
    for id, answer in written:
        lines = [line.rstrip() for line in dedent(answer.hole.body).strip("\n").splitlines()]
        digest.update("\0".join([id, *lines, ""]).encode())
    text = digest.hexdigest()[:16]
    return "-".join(text[k : k + 4] for k in range(0, 16, 4)) if written else ""


def page(course: Course, right: list[str], path: LearningPath | None, name: str) -> str:
    """Return the page about the exercises that are right."""
    minutes = sum(course.find(id).minutes for id in right)
    said = f"has solved {len(right)} of the {len(course.exercises)} exercises of norch, which "
    said += f"rebuild PyTorch from scratch: about {spell(minutes)} of work, by their own minutes."
    if path:
        done = sum(one.id in right for one in path.exercises)
        said += f" Of the path <b>{path.name}</b> ({escape(path.says)}) these are {done} of "
        said += f"{len(path.exercises)}."
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Certificate</title>'
    parts = [
        f"{head}<style>{STYLE}</style><h1>norch</h1>",
        f'<p class="name">{escape(name)}</p><p class="below">name</p><p>{said}</p><ul>',
        *(f"<li>{line}</li>" for line in _stages(course, right)),
        "</ul><p>Each was checked on the day below, by tests from small inputs to large.</p>",
        f'<p>Answers: <span class="mark">{mark(dict(answers_in(course)))}</span>',
        "(<code>make grade</code> shows the same for the workbook that was handed in)</p>",
        f'<div class="sign"><div>date: {today().isoformat()}</div><div>signature</div></div>',
    ]
    return "\n".join(parts) + "\n</html>\n"


def _stages(course: Course, right: list[str]) -> Iterator[str]:
    for stage in course.stages:
        exercises = course.of_stage(stage)
        mine = [one.id for one in exercises if one.id in right]
        if mine:
            what = SKILLS.get(stage.number, stage.folder.name)
            yield f"{what}: {len(mine)} of {len(exercises)} ({', '.join(mine)})"


def write(
    course: Course, right: Mapping[str, Answer], path: LearningPath | None, name: str
) -> Path:
    """Write the page; return where it is."""
    place = course.root / PAGE
    place.parent.mkdir(parents=True, exist_ok=True)
    write_whole(place, page(course, list(right), path, name))
    return place
