"""Classroom: the same checks over a folder of submissions, as a table.

`make grade DIR=submissions OUT=grades.csv`. Each folder in DIR is one learner's: their clone, their
`stages`, or only the exercise folders, as it came out of a zip. The tests are those of `make
check`, in processes with limits of time and memory; that stops accidents, not attacks, so grade
strangers' code on a machine of its own.
"""

import csv
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from norch_course.catalog import Course, CourseError, Exercise
from norch_course.grading import cache_folder, grade
from norch_course.workbook import answer_to

PACKED = {".zip", ".gz", ".tgz", ".tar", ".7z", ".rar", ".xz"}


def submissions(folder: Path, say: Callable[[str], None] = print) -> list[Path]:
    """Return the learners' folders, and say what was passed over; raises CourseError without any.

    Names that begin with a dot or two underscores are what systems leave in archives.
    """
    if not folder.is_dir():
        raise CourseError(f"[grade] {folder} is no folder: give one with a folder for each learner")
    present = sorted(path for path in folder.iterdir() if not path.name.startswith((".", "__")))
    for path in present:
        if path.suffix.lower() in PACKED:
            say(f"{path.name}: passed over, because it is packed: unpack it into a folder")
    found = [path for path in present if path.is_dir()]
    if not found:
        raise CourseError(f"[grade] {folder} holds no folders: one for each learner is expected")
    return found


def submitted(course: Course, exercise: Exercise, folder: Path) -> Path | None:
    """Return a learner's file for an exercise; archives often hold one more folder around all."""
    inside = exercise.stub.relative_to(course.root)  # stages/01_strides/exercises/layout.py
    for place in (inside, inside.relative_to("stages")):
        for path in (folder / place, *sorted(folder.glob(f"[!._]*/{place.as_posix()}"))):
            if path.is_file():
                return path
    return None


def status(course: Course, exercise: Exercise, folder: Path) -> tuple[str, str]:
    """Return 'ok', 'wrong', 'todo', 'missing' or 'unreadable', and what makes it unreadable."""
    path = submitted(course, exercise, folder)
    if path is None:
        return "missing", ""
    try:
        answer = answer_to(exercise, path)
    except (CourseError, OSError) as error:
        return "unreadable", str(error)
    return grade(exercise, answer, cache_folder(course)).status, ""


def write_grades(
    course: Course, folder: Path, out: Path, say: Callable[[str], None] = print
) -> int:
    """Judge every learner and write the table, at the end and at once; return how many.

    What was judged is remembered: when the work is stopped, the next call goes on from there.
    """
    if not os.access(out.parent, os.W_OK) or out.is_dir():
        raise CourseError(f"[grade] {out} cannot be written: OUT is a file in a folder that exists")
    rows = [_row(course, learner, say) for learner in submissions(folder, say)]
    fresh = out.with_name(f"{out.name}.{os.getpid()}")
    with fresh.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["learner", "done", "minutes", *course.exercises])
        table.writerows(rows)
    fresh.replace(out)
    return len(rows)


def _row(course: Course, learner: Path, say: Callable[[str], None]) -> list[str]:
    """Judge one learner, several exercises side by side; return the line of the table."""
    exercises = course.exercises.values()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda one: status(course, one, learner), exercises))
    done = [one for one, (word, _) in zip(exercises, found, strict=True) if word == "ok"]
    say(f"{learner.name}: {len(done)} of {len(exercises)}")
    for problem in dict.fromkeys(problem for _, problem in found if problem):
        say(f"  {problem}")
    words = [word for word, _ in found]
    return [learner.name, str(len(done)), str(sum(one.minutes for one in done)), *words]
