"""What the exercises' tests put in: the gates of `gate.py` and `forms.py`, held to the course.

The library's own answers run alone, watched. Each form of each kind of argument has to come in, or
words of the task exclude it; what they change has to be said; their steps are written down, and
every other right answer passes. `gates.py` asks for the complaints, `commands.py` writes the steps.
"""

import json
import re
from collections.abc import Iterable
from pathlib import Path

from norch_course import running
from norch_course.catalog import Course, Exercise, Stage
from norch_course.forge import workers
from norch_course.forms import FORMS
from norch_course.gate import STEPS_FILE, may_change, read_steps
from norch_course.grading import grade_body
from norch_course.holes import find_hole

ADVICE = "course/exercises.py behaviour counts them again"


def steps_file(stage: Stage) -> Path:
    """Where the steps of a stage's own answers stand, a number a case."""
    return stage.wrong / STEPS_FILE


def write_steps(course: Course, stage: Stage) -> bool:
    """Write the steps of the library's own answers down; tell whether anything changed."""
    chosen = [one for one in course.of_stage(stage) if one.suffix == ".py"]
    if not chosen:
        return False
    file = steps_file(stage)
    old = file.read_text(encoding="utf-8") if file.exists() else ""
    with workers() as pool:
        found = dict(zip([one.id for one in chosen], pool.map(_steps, chosen), strict=True))
    text = json.dumps(found, indent=0) + "\n"
    file.write_text(text, encoding="utf-8")
    return text != old


def _steps(exercise: Exercise) -> str:
    seen = running.run(exercise.reference, exercise, [exercise]).watched
    return " ".join(map(str, seen.get("steps", [])))


def inputs_have_all_forms(course: Course) -> list[str]:
    """Each form of input comes in, or words of the task exclude it; each change is said."""
    with workers() as pool:
        return [
            line for lines in pool.map(_complaints, course.exercises.values()) for line in lines
        ]


def _complaints(exercise: Exercise) -> list[str]:
    result = running.run(exercise.reference, exercise, [exercise])
    if not result.watched:
        return [f"{exercise.id}: its own answer is not through: {result.problem or result.asked}"]
    missed = [one for one in result.records if not one.right]
    seen = [(kind, form) for kind, form in result.watched["seen"]]
    changed = result.watched.get("changed", [])
    lines = [f"{one.shown}: {one.got}" for one in missed]
    lines += _unsaid_changes(exercise, changed)
    written = len(read_steps(steps_file(exercise.stage), exercise.id))
    if written != len(result.watched.get("steps", [])):
        lines += [f"steps of {written} cases are written down; {ADVICE}"]
    lines += _missing_forms(exercise, seen)
    return [f"{exercise.id}: {line}" for line in lines]


def _unsaid_changes(exercise: Exercise, changed: Iterable[str]) -> list[str]:
    pairs = [(name, any(may_change(one, [name]) for one in changed)) for name in exercise.changes]
    return [f"'{name}' is said to change, and never does" for name, does in pairs if not does]


def _missing_forms(exercise: Exercise, seen: Iterable[tuple[str, str]]) -> list[str]:
    kinds, forms = {kind for kind, _ in seen}, {form for _, form in seen if form}
    asked = list(dict.fromkeys(form for kind in FORMS if kind in kinds for form in FORMS[kind]))
    known = {form for of_kind in FORMS.values() for form in of_kind}
    out, task = exercise.excludes, squeeze(exercise.task)
    missing = [form for form in asked if form not in forms and form not in out]
    return [
        *(f"no input has the form '{form}', and the task excludes none such" for form in missing),
        *(f"'{form}' is excluded, and an input has it" for form in out if form in forms),
        *(f"'{form}' is excluded, and nobody asks for it" for form in out if form not in asked),
        *(f"unknown form '{form}'" for form in sorted(forms - known)),
        *(f"'{words}' is not in its task" for words in out.values() if squeeze(words) not in task),
    ]


def other_answers_are_right(course: Course) -> list[str]:
    """Each exercise has another right answer, with a sentence, which passes and is not ours."""
    with workers() as pool:
        found = pool.map(_other_complaints, course.exercises.values())
        return [line for lines in found for line in lines]


def _other_complaints(exercise: Exercise) -> list[str]:
    ours = find_hole(exercise.reference, exercise.suffix, exercise.id).body
    lines = [] if exercise.other else ["has no other answer"]
    for one in exercise.other:
        verdict = grade_body(exercise, one.body, None)
        said = verdict.miss.shown if verdict.miss else verdict.problem
        lines += [] if verdict.status == "ok" else [f"{one.name} is {verdict.status}: {said}"]
        lines += [] if one.says else [f"{one.name} has no sentence"]
        lines += [f"{one.name} is our own answer"] if squeeze(one.body) == squeeze(ours) else []
    return [f"{exercise.id}: {line}" for line in lines]


def squeeze(text: str) -> str:
    """Return a text without its white space."""
    return re.sub(r"\s+", "", text)
