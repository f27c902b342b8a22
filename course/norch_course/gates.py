"""The gates: what must hold for the exercises themselves. Each returns its complaints.

`course/tests/test_gates.py` holds each gate to the course as it is, and to a small course in which
one thing was broken on purpose.
"""

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from norch_course import projects, running
from norch_course.catalog import Course, Exercise, Stage
from norch_course.forge import workers
from norch_course.grading import cache_folder, rejects
from norch_course.holes import (
    LANGUAGES,
    MarkError,
    find_hole,
    find_holes,
    splice,
    strip,
)
from norch_course.inputs import squeeze
from norch_course.misconceptions import label
from norch_course.workbook import stubs

T = TypeVar("T")
LONGEST_ANSWER = 15  # lines
LONGEST_PROGRAM = 50  # lines of one that is written from an empty file
LISTING = re.compile(r"```\{literalinclude\} (\S+)\n((?::[\w-]+:.*\n)*)")
NOT_WRITTEN = "; course/exercises.py behaviour writes down how it behaves"
CLAUSED = ("1", "2", "3", "4", "5", "6")  # stages whose tasks are listed clause by clause
WRONG_ANSWERS = 8  # that an exercise of these stages names at least
TELLING = 16  # a shorter line of code gives nothing away


def sources(course: Course) -> list[Path]:
    """Return every reference file with a hole."""
    return sorted({path for stage in course.stages for path in stage.sources.values()})


def entries_are_complete(course: Course) -> list[str]:
    """Each hole has an entry, a title, minutes, three hints, a wrong answer, a test, few lines."""
    complaints = []
    for stage in course.stages:
        listed = {one.id for one in course.of_stage(stage)}
        complaints += [f"{id}: a hole without an entry" for id in sorted({*stage.sources} - listed)]
        files = {stage.wrong_file(id).name for id in stage.sources}
        others = sorted({path.name for path in stage.wrong.glob("[0-9]*")} - files)
        complaints += [f"wrong/{name}: no hole of that number and language" for name in others]
    for one in course.exercises.values():
        hole = find_hole(one.reference, one.suffix, one.id)
        lines = [line for line in hole.body.splitlines() if line.strip()]
        longest = LONGEST_ANSWER if hole.indent or one.suffix == ".py" else LONGEST_PROGRAM
        rules = {
            "has no title": one.title.strip(),
            "has no task": one.task.strip(),
            "has no minutes": one.minutes > 0,
            "needs three hints": len(one.hints) == 3 and all(hint.strip() for hint in one.hints),
            "has no wrong answer": one.wrong,
            "has a wrong answer without a sentence": all(wrong.says.strip() for wrong in one.wrong),
            "has no test": one.stage.test_files(one.id),
            f"is longer than {longest} lines": len(lines) <= longest,
            "stands in another stage's folder": one.id.split(".")[0] == one.stage.number,
        }
        complaints += [f"{one.id}: {rule}" for rule, holds in rules.items() if not holds]
    return complaints


def solution_restores_reference(course: Course) -> list[str]:
    """Splicing the solutions into the stub gives the reference back, byte for byte."""
    complaints = []
    for path in sources(course):
        text, suffix = path.read_text(encoding="utf-8"), path.suffix
        try:
            bodies = {id: hole.body for id, hole in find_holes(text, suffix).items()}
        except MarkError as error:
            complaints.append(f"{path.name}: {error}")
            continue
        if splice(strip(text, suffix), bodies, suffix) != text:
            complaints.append(f"{path.name}: the solutions do not restore the reference")
    return complaints


def reference_passes(course: Course) -> list[str]:
    """The reference passes the tests of every exercise, and every exercise has one that ran."""
    complaints = []
    for stage in course.stages:
        exercises = course.of_stage(stage)
        for exercise in exercises[:1]:
            complaints += _failures(exercise.reference, exercise, exercises)
    return complaints


def _failures(text: str, exercise: Exercise, judged: list[Exercise]) -> list[str]:
    """Say which of the judged exercises a text fails, or do not run at all."""
    result = running.run(text, exercise, judged)
    if result.problem:
        return [f"{exercise.id}: {result.problem}\n{result.output}"]
    ran = {record.exercise for record in result.records}
    complaints = [f"{one.id}: no test of it ran" for one in judged if one.id not in ran]
    first: dict[str, running.Record] = {}
    for record in result.records:
        if not record.right:
            first.setdefault(record.exercise, record)
    return complaints + [f"{id}: {miss.shown}: {miss.got}" for id, miss in first.items()]


def a_stub_fails_its_own_tests_alone(course: Course) -> list[str]:
    """With one hole emptied, its own tests fail with its own message, and no others fail."""

    def complain(exercise: Exercise) -> list[str]:
        given = exercise.stage.given
        text = strip(exercise.reference, exercise.suffix, exercise.id, given)
        failures = _failures(text, exercise, course.of_stage(exercise.stage))
        own = "" if exercise.has_code else f"exercise {exercise.id} is yours to write"
        complaints = [
            f"with {exercise.id} empty, {failure}"
            for failure in failures
            if not (failure.startswith(f"{exercise.id}: ") and own in failure)
        ]
        if not failures and exercise.has_code:
            complaints.append(f"{exercise.id}: the code that is given passes its tests")
        elif not any(own in failure for failure in failures):
            complaints.append(f"with {exercise.id} empty, its tests do not say '{own}'")
        return complaints

    return _for_each(complain, course.exercises.values())


def wrong_answers_are_named(course: Course) -> list[str]:
    """Each known wrong answer is refused, and told its own sentence."""

    def complain(exercise: Exercise) -> list[str]:
        complaints = []
        for wrong, verdict in rejects(exercise, cache_folder(course)):
            if verdict.status != "wrong":
                complaints.append(f"{label(exercise, wrong)}: graded '{verdict.status}'")
            elif verdict.says != wrong.says:
                seen = verdict.problem or verdict.says or "nothing"
                advice = "" if verdict.problem or verdict.says else NOT_WRITTEN
                told = f"told '{seen}', not its own sentence{advice}"
                complaints.append(f"{label(exercise, wrong)}: {told}")
        return complaints

    return _for_each(complain, course.exercises.values())


def clauses_have_wrong_answers(course: Course) -> list[str]:
    """For each clause of a task there is a wrong answer that heeds all but this one."""
    complaints = []
    for one in course.exercises.values():
        dropped = [wrong.drops for wrong in one.wrong if wrong.drops]
        rules = {
            "lists no clauses": one.clauses or one.stage.number not in CLAUSED,
            **{
                f"'{clause}' is not in its task": squeeze(clause) in squeeze(one.task)
                for clause in one.clauses
            },
            **{f"no wrong answer drops '{clause}'": clause in dropped for clause in one.clauses},
            **{f"'{words}' is no clause of it": words in one.clauses for words in dropped},
        }
        complaints += [f"{one.id}: {rule}" for rule, holds in rules.items() if not holds]
    return complaints


def enough_wrong_answers_are_named(course: Course) -> list[str]:
    """Each exercise names the mistakes that a learner plausibly makes, eight at least."""
    return [
        f"{one.id}: names {len(one.wrong)} wrong answers of {WRONG_ANSWERS}"
        for one in course.exercises.values()
        if one.stage.number in CLAUSED and len(one.wrong) < WRONG_ANSWERS
    ]


def projects_tell_good_from_given(course: Course) -> list[str]:
    """What a project gives is right and not yet good; an answer is good, and two cheats are not.

    The first line of a cheat says what it has to be told, after `told: `.
    """
    found, complaints = projects.projects(course), []
    for one in found:
        cheats = [name for name in one.kept if name.startswith("cheat_")]
        page = (one.folder / "README.md").read_text(encoding="utf-8")
        rules = {
            "needs an answer": "answer" in one.kept,
            "needs two cheats": len(cheats) > 1,
            "has a task of more than 40 lines": page.count("\n") <= 40,
        }
        complaints += [f"project {one.number} {rule}" for rule in rules if not rules[rule]]
    pairs = [(one, path) for one in found for path in one.kept.values()]
    return complaints + _for_each(_project_misses, pairs)


def _project_misses(pair: tuple[projects.Project, Path]) -> list[str]:
    project, path = pair
    found = projects.findings(project, path)
    missed = [one for one in found if one.advice]
    told = path.read_text(encoding="utf-8").partition("\n")[0].partition("told: ")[2]
    if path == project.given:
        holds = bool(missed) and not found[0].advice
    elif path.stem.startswith("answer"):
        holds = not missed
    else:
        holds = bool(told) and any(told in " ".join(one) for one in missed)
    seen = "; ".join(": ".join(one) for one in missed) or "all properties hold"
    return [] if holds else [f"{path.name}: {seen}"]


def _for_each(complain: Callable[[T], list[str]], many: Iterable[T]) -> list[str]:
    with workers() as pool:
        return [line for lines in pool.map(complain, many) for line in lines]


def telling_lines(stage: Stage, course: Course) -> dict[str, str]:
    """Return the lines that only solutions have in this stage, each with its exercise."""
    outside: set[str] = set()
    for path in stage.texts:
        stub = strip(path.read_text(encoding="utf-8"), path.suffix, given=stage.given)
        outside.update(line.strip() for line in stub.splitlines())
    found = {}
    for one in course.of_stage(stage):
        for line in find_hole(one.reference, one.suffix, one.id).body.splitlines():
            code = line.partition("#")[0].strip() if one.suffix == ".py" else line.strip()
            if len(code) >= TELLING and line.strip() not in outside:
                found[code] = one.id
    return found


def no_solution_leaks(course: Course, pages: Iterable[Path]) -> list[str]:
    """No line of a solution stands in a hint, a stub, a wrong answer's sentence or a page."""
    complaints = []
    for stage in course.stages:
        texts = {path.name: text for path, text in stubs(stage).items()}
        texts |= {path.name: page_text(path) for path in pages}
        for one in course.of_stage(stage):
            texts[f"hints of {one.id}"] = "\n".join([one.task, *one.hints])
            texts[f"sentences of {one.id}"] = "\n".join(wrong.says for wrong in one.wrong)
        for line, id in telling_lines(stage, course).items():
            squeezed = squeeze(line)
            complaints += [
                f"{name}: shows a line of the solution of {id}: {line}"
                for name, text in texts.items()
                if squeezed in squeeze(text)
            ]
    return complaints


def unfolded_listings(pages: Iterable[Path]) -> list[str]:
    """Lines of a hole are listed on a page only inside a dropdown, which starts closed."""
    complaints = []
    for page in pages:
        text = page_text(page)
        open_text = re.sub(r"^:::\{dropdown\}.*?^:::$", "", text, flags=re.DOTALL | re.MULTILINE)
        for file, lines in LISTING.findall(open_text):
            path = (page.parent / file).resolve()
            pairs = re.findall(r"^:([\w-]+): *(.*?) *$", lines, re.MULTILINE)
            options = {key: value.strip("'") for key, value in pairs}
            name = options.get("pyobject") or options.get("start-at") or path.name
            for id in _holes_in_listing(path, options):
                complaints.append(f"{page.name}: lists {name}, the solution of {id}, in the open")
    return complaints


def _holes_in_listing(path: Path, options: dict[str, str]) -> list[str]:
    """Return the exercises of which a listing shows a line; without options, of the whole file."""
    if path.suffix not in LANGUAGES:
        return []
    text = path.read_text(encoding="utf-8")
    first, last = _lines_of_listing(text.splitlines(), options)
    holes = find_holes(text, path.suffix).items()
    return [id for id, hole in holes if hole.begin < last and first < hole.end]


def _lines_of_listing(lines: list[str], options: dict[str, str]) -> tuple[int, int]:
    """Return the numbers (from 1) of the first line that a listing shows, and of the last."""
    first, last = 1, len(lines)
    if "pyobject" in options:
        *classes, name = options["pyobject"].split(".")
        for word in [*classes, name]:
            start = re.compile(rf" *(?:def|class) {word}\b")
            first = next((n for n in range(first, last + 1) if start.match(lines[n - 1])), last + 1)
        depth = len(lines[first - 1]) - len(lines[first - 1].lstrip()) if first <= last else 0
        after = re.compile(rf" {{0,{depth}}}[^\s)]")
        ends = (n - 1 for n in range(first + 1, last + 1) if after.match(lines[n - 1]))
        return first, next(ends, last)
    for option, shift in (("start-at", 0), ("start-after", 1)):
        if option in options:
            first = shift + _first(lines, options[option], 1)
    for option, shift in (("end-at", 0), ("end-before", -1)):
        if option in options:
            last = shift + _first(lines, options[option], first)
    return first, last


def _first(lines: list[str], part: str, start: int) -> int:
    """Return the number of the first line, from `start` on, in which `part` stands."""
    found = (n for n in range(start, len(lines) + 1) if part in lines[n - 1])
    return next(found, len(lines))


def page_text(path: Path) -> str:
    """Return the text of a page of the book: all cells of a notebook, their outputs included."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    parts = []
    for cell in json.loads(text)["cells"]:
        parts.append("".join(cell["source"]))
        for output in cell.get("outputs", []):
            parts.append("".join(output.get("text", [])))
    return "\n".join(parts)
