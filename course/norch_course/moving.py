"""Answers in old places: found by their marks, and moved to where the learner's file lies now.

An old place is `stages/*/exercises/`, where learners wrote before there was a workbook, or a folder
of the workbook that the library's file has left. The learner's commands call `moved` first. It
judges nothing and loses nothing: what cannot go where it belongs is kept there as a backup.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from norch_course.catalog import Course, Exercise, Stage
from norch_course.holes import LANGUAGES, MarkError, find_holes, hole_ids, splice
from norch_course.workbook import (
    backup_path,
    bodies_of,
    readable,
    stub_text,
    write_missing,
    write_whole,
)


def move_answers(course: Course) -> list[str]:
    """Move what lies in old places; return a line for each file with answers."""
    said = []
    for stage in course.stages:
        exercises = course.of_stage(stage)
        places = {one.stub for one in exercises}
        for path in _files(stage.declared, "wrong"):
            if path.suffix == ".backup":
                _move(path, stage.workbook / path.relative_to(stage.declared))
            else:
                said += _bring(path, _about(path, stage, exercises))
        for path in _files(stage.workbook, "project"):
            missing = [one for one in exercises if not one.stub.exists()]
            if path not in places and path.name in {one.stub.name for one in missing}:
                said += _bring(path, _about(path, stage, missing))
    return said


def _files(folder: Path, other: str) -> Iterator[Path]:
    """List sources and backups below a folder, but not in the one that is something else."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in {*LANGUAGES, ".backup"} and path.relative_to(folder).parts[0] != other:
            yield path


def _about(path: Path, stage: Stage, exercises: list[Exercise]) -> list[Exercise]:
    """Return the exercises that a file is about, by its marks or else by its place."""
    ids = hole_ids(readable(path.read_bytes()), path.suffix)
    by_marks = [one for one in exercises if one.id in ids]
    return by_marks or [
        one for one in exercises if stage.declared / stage.inside(one.source) == path
    ]


def _bring(path: Path, exercises: list[Exercise]) -> list[str]:
    """Bring one file to where its exercises belong now; return the line that says so."""
    text = readable(path.read_bytes())
    if not exercises or _is_as_given(text, path.suffix, exercises):
        if text in {stub_text(one) for one in exercises}:
            path.unlink()
        return []
    places = list(dict.fromkeys(one.stub for one in exercises))
    here = ", ".join(os.path.relpath(place) for place in places)
    said = f"[course] what you wrote in {os.path.relpath(path)}"
    if len(places) == 1 and not places[0].exists():
        _move(path, places[0])
        return [f"{said} is now in {here}"]
    write_missing(exercises)
    left = [one.id for one in exercises if not _fill(one, text)]
    backup = _move(path, backup_path(places[0], "old"))
    where = f"is now in {here}"
    if left:
        where = f"for {', '.join(left)} is not in {here}, where another answer stands"
    return [f"{said} {where}; the old file is {os.path.relpath(backup)}"]


def _move(path: Path, target: Path) -> Path:
    """Move a file to a place where nothing is; return the place."""
    target = backup_path(target, "old") if target.exists() else target
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(path, target)
    return target


def _is_as_given(text: str, suffix: str, exercises: list[Exercise]) -> bool:
    """Tell whether no mark is broken, and nobody has written into a hole."""
    try:
        holes = find_holes(text, suffix)
    except MarkError:
        return False
    given = {one.id: bodies_of(stub_text(one), text, suffix).get(one.id) for one in exercises}
    return bool(holes) and all(holes[id].body == body for id, body in given.items())


def _fill(exercise: Exercise, text: str) -> bool:
    """Put an old answer into its hole, if nobody has written there; tell whether it is safe."""
    suffix, given = exercise.suffix, stub_text(exercise)
    now = readable(exercise.stub.read_bytes())
    old, mine, empty = (
        bodies_of(one, given, suffix).get(exercise.id) for one in (text, now, given)
    )
    if old is not None and mine == empty != old:
        with suppress(MarkError):  # of another exercise
            write_whole(exercise.stub, splice(now, {exercise.id: old}, suffix))
            return True
    return old in (mine, empty)
