"""Classroom: the same checks over a folder of submissions, as a table.

`make grade DIR=submissions OUT=grades.csv`. Each folder in DIR is one learner's: their clone, or
only its `stages/*/exercises`. The tests are those of `make check`, in processes with limits of time
and memory; that stops accidents, not attacks, so grade strangers' code on a machine of its own.
"""

import csv
import os
from collections.abc import Callable
from pathlib import Path

from norch_course.catalog import Course, CourseError, Exercise
from norch_course.grading import cache_folder, grade
from norch_course.workbook import answer_to


def submissions(folder: Path) -> list[Path]:
    """Return the learners' folders; raises CourseError if there is none."""
    if not folder.is_dir():
        raise CourseError(f"[grade] {folder} is no folder: give one with a folder for each learner")
    found = sorted(path for path in folder.iterdir() if path.is_dir())
    if not found:
        raise CourseError(f"[grade] {folder} holds no folders: one for each learner is expected")
    return found


def submitted(course: Course, exercise: Exercise, folder: Path) -> Path | None:
    """Return a learner's file for an exercise, in a clone or in the bare exercise folders."""
    inside = exercise.stub.relative_to(course.root)  # stages/01_strides/exercises/layout.py
    for path in (folder / inside, folder / inside.relative_to("stages")):
        if path.is_file():
            return path
    return None


def status(course: Course, exercise: Exercise, folder: Path) -> str:
    """Return 'ok', 'wrong', 'todo' or 'missing'; broken marks are wrong."""
    path = submitted(course, exercise, folder)
    if path is None:
        return "missing"
    try:
        return grade(exercise, answer_to(exercise, path), cache_folder(course)).status
    except CourseError:
        return "wrong"


def write_grades(
    course: Course, folder: Path, out: Path, say: Callable[[str], None] = print
) -> int:
    """Judge every learner and write the table, at the end and at once; return how many."""
    ids = list(course.exercises)
    rows = []
    for learner in submissions(folder):
        found = {id: status(course, course.find(id), learner) for id in ids}
        done = [id for id in ids if found[id] == "ok"]
        minutes = sum(course.find(id).minutes for id in done)
        say(f"{learner.name}: {len(done)} of {len(ids)}")
        rows.append([learner.name, len(done), minutes, *found.values()])
    fresh = out.with_name(f"{out.name}.{os.getpid()}")
    with fresh.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["learner", "done", "minutes", *ids])
        table.writerows(rows)
    fresh.replace(out)
    return len(rows)
