"""What the checker says: plain ASCII, one line for what is right, a few for what is not."""

import os
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path

from norch_course.catalog import NOT_JUDGED, Course, CourseError, Exercise
from norch_course.compiling import lacks_meter
from norch_course.difference import lines_of
from norch_course.difficulty import effort
from norch_course.grading import Verdict
from norch_course.paths import LearningPath
from norch_course.workbook import Answer

WIDTH = 48
MARGIN = " " * 5
PRINTED_LINES = 8  # of the learner's own output
LONGEST_LINE = 100
UNMETERED = (
    "this compiler does not tell what an answer reads and writes: whether it stays",
    "inside its arrays, and how much of them it reads, was not checked",
)


def place(path: Path, line: int) -> str:
    """Return `file:line`, short enough to click on."""
    return f"{os.path.relpath(path)}:{line}"


def headline(exercise: Exercise, status: str) -> str:
    """Return the line that stands for an exercise everywhere."""
    return f"{exercise.id:<5}{exercise.title:<{WIDTH}}{status}"


def wrap(text: str, first: str = "") -> list[str]:
    """Return a text as lines of a report, with `first` in front of the first one."""
    return textwrap.wrap(
        " ".join(text.split()), WIDTH + 36, initial_indent=MARGIN + first, subsequent_indent=MARGIN
    )


def verdict_lines(exercise: Exercise, verdict: Verdict, answer: Answer) -> list[str]:
    """Return the whole report on one answer."""
    lines = [headline(exercise, verdict.status)]
    hole = answer.hole.begin + 1
    where = place(exercise.stub, verdict.line or hole)
    if verdict.status == "todo":
        lines += [*task_lines(exercise, place(exercise.stub, hole)), *what_is_wrong(verdict)]
    elif verdict.status == "ok":
        lines += [f"{MARGIN}{verdict.cases} cases; ours: make solution {exercise.id}"]
    else:
        # The place comes first: an editor's task reads it with the line above and the one below.
        lines += [f"{MARGIN}at        {where}", *what_is_wrong(verdict)]
        lines += [f"{MARGIN}stuck?    make hint {exercise.id}"]
    return lines + note_lines(exercise, answer, verdict.status)


def note_lines(exercise: Exercise, answer: Answer, status: str) -> list[str]:
    """Say that a learner's file was edited outside the marks, or the library since then.

    And that a compiler does not tell what an answer in C++ reads and writes.
    """
    lines = []
    if status != "todo" and exercise.suffix in (".cpp", ".h") and lacks_meter(exercise.stage):
        lines = [f"{MARGIN}note: {UNMETERED[0]}", f"{MARGIN}      {UNMETERED[1]}"]
    if not answer.edited_outside:
        return lines
    edit = place(exercise.stub, answer.edited_outside)
    note = f"{MARGIN}note: {edit} differs from the library outside the marks; that is not graded"
    mend = f"{MARGIN}      make reset {exercise.id} writes the file anew, and keeps your text"
    return [*lines, note] if status == "ok" else [*lines, note, mend]


def task_lines(exercise: Exercise, where: str) -> list[str]:
    """Return the task of an exercise and what to do with it."""
    task = [f"{MARGIN}{line}".rstrip() for line in exercise.task.strip().splitlines()]
    verb = "mend it " if exercise.has_code else "write it"
    return [*task, f"{MARGIN}{verb}  {where}", f"{MARGIN}then      make check {exercise.id}"]


def what_is_wrong(verdict: Verdict) -> list[str]:
    """Return the input, what came of it, what should have, what was printed, and the mistake."""
    facts = []
    if miss := verdict.miss:
        facts += [("input", miss.shown), *lines_of(miss)]
    elif verdict.problem:  # what came after the first miss does not matter yet
        facts += [("input", verdict.asked)] * bool(verdict.asked) + [("you", verdict.problem)]
    printed = verdict.output.encode("ascii", "backslashreplace").decode().splitlines()
    facts += [("printed", textwrap.shorten(line, LONGEST_LINE)) for line in printed[:PRINTED_LINES]]
    if len(printed) > PRINTED_LINES:
        facts += [("printed", f"... and {len(printed) - PRINTED_LINES} lines more")]
    lines = [f"{MARGIN}{name:<10}{text}" for name, text in facts]
    lines += wrap(verdict.says, "It looks as if ") if verdict.says else []
    return lines + (wrap(verdict.sees, "Look: ") if verdict.sees else [])


def why_lines(results: Iterable[object]) -> list[str]:
    """Return why answers were not judged, and how to mend that, once for many."""
    errors = [one for one in results if isinstance(one, CourseError) and one.status == NOT_JUDGED]
    return [line for reason in dict.fromkeys(map(str, errors)) for line in wrap(reason)]


def path_line(path: LearningPath, statuses: Mapping[str, str]) -> str:
    """Say which path a learner is on, and how far."""
    done = [one for one in path.exercises if statuses[one.id] == "ok"]
    left = path.minutes - sum(one.minutes for one in done)
    where = f"path {path.name}: {len(done)} of {len(path.exercises)} exercises done"
    return f"{where}, about {spell(left)} left (PATH=all leaves it)" if left else where


def done_lines(count: int, path: LearningPath | None) -> list[str]:
    """Say what comes when all exercises are done, or all of a path."""
    what = (
        f"All {count} exercises " + (f"of the path {path.name} are" if path else "are") + " done."
    )
    after = [
        ("train", "make mnist PROCESSES=4 MINE=1 (with your lines in the library)"),
        ("build", "make project 7 (a framework of your own, from an empty file)"),
        ("show", "make progress (a page with your lines, and a certificate)"),
        ("go on", "make next PATH=all (the exercises that are not on this path)"),
    ]
    return [what, *(f"{MARGIN}{name:<10}{words}" for name, words in after[: 4 if path else 3])]


def spell(minutes: int) -> str:
    """Spell a time as one plans it: '40 minutes', '1.5 hours', '6 hours'."""
    if minutes < 60:
        return f"{minutes} minutes"
    hours = round(minutes / 60) if minutes > 180 else round(minutes / 30) / 2
    return f"{hours:g} hour{'s' * (hours > 1)}"


def progress_lines(
    course: Course, statuses: Mapping[str, str], path: LearningPath | None = None
) -> list[str]:
    """Return the table of all exercises, or of a path's, and the sums."""
    lines, shown = [], list(path.exercises if path else course.exercises.values())
    for stage in dict.fromkeys(one.stage for one in shown):
        exercises = [one for one in shown if one.stage == stage]
        lines += [_bar(f"stage {stage.number}", [statuses[one.id] for one in exercises])]
        lines += ["  " + headline(one, _status_with_time(one, statuses)) for one in exercises]
    known = ("ok", NOT_JUDGED)  # what was not judged may be done
    left = sum(one.minutes for one in shown if statuses[one.id] not in known)
    name = path.name if path else "all"
    lines += [_bar(name, [statuses[one.id] for one in shown])]
    lines[-1] += f"   about {left} minutes left" * bool(left)
    return lines + ([_bar("all", list(statuses.values()))] if path else [])


def _status_with_time(exercise: Exercise, statuses: Mapping[str, str]) -> str:
    status = statuses[exercise.id]
    return status if status == "ok" else f"{status:<6}{effort(exercise)}"


def _bar(name: str, statuses: list[str]) -> str:
    done, count = statuses.count("ok"), len(statuses)
    filled = 20 * done // count
    bar = "#" * filled + "." * (20 - filled)
    return f"{name:<9}[{bar}] {done} of {count} ({100 * done // count} %)"
