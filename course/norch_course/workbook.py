"""The workbook: the learner's files in `workbook/`, written, read, restored and never judged.

A file is the reference with its holes emptied, written when a command first needs it; the learner
writes between the marks. What stands outside the marks is never graded. Nothing is thrown away: a
file that exists stays as it is, and `reset` keeps the old text beside the file and returns its
name.
"""

import codecs
import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from norch_course.catalog import CourseError, Exercise, Stage, Unreadable
from norch_course.holes import (
    LANGUAGES,
    Hole,
    MarkError,
    find_hole,
    find_holes,
    hole_ids,
    splice,
    strip,
    stub_body,
)

LARGEST = 1 << 20  # bytes of a learner's file


class Answer(NamedTuple):
    """What the learner wrote in one hole, and where."""

    hole: Hole
    is_stub: bool  # nothing was written yet, or only thoughts
    edited_outside: int | None  # first line outside the marks that is not the reference's


def read_text(path: Path) -> str:
    """Return the learner's file; raises Unreadable, or CourseError where a disk is to blame."""
    try:
        require_file(path)
        if path.stat().st_size > LARGEST:
            raise Unreadable(f"[course] {path} is larger than {LARGEST} bytes: is it your answer?")
        return decode(path.read_bytes())
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise Unreadable(
            f"[course] {path}:{line} has a letter that is no UTF-8: save the file as UTF-8"
        ) from None
    except OSError as error:
        is_theirs = isinstance(error, PermissionError)
        kind = Unreadable if is_theirs else CourseError
        raise kind(f"[course] {path} cannot be read: {error.strerror}") from None


def require_file(path: Path) -> None:
    """Refuse a learner's file that is a folder, or a pipe, which would be waited for."""
    if not path.is_file():
        raise Unreadable(f"[course] {path} is not a plain file: move it away")


def decode(data: bytes) -> str:
    """Return the text of a file, whatever an editor made of its beginning and its line ends."""
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = data.decode("utf-16" if wide else "utf-8-sig")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def answer_to(exercise: Exercise, path: Path | None = None) -> Answer:
    """Return what the learner wrote for one exercise, in `path` if it lies elsewhere.

    A file that is not there yet counts as it would be written. Raises Unreadable when the marks of
    this exercise are gone; marks of other exercises do not matter.
    """
    path = path or exercise.stub
    text = read_text(path) if path.exists() else stub_text(exercise)
    try:
        mine = find_hole(text, exercise.suffix, exercise.id)
    except MarkError as error:
        raise Unreadable(
            f"[course] {exercise.stub.name}: {error}; put it back, or make reset {exercise.id} "
            "(it keeps your text in a backup)"
        ) from None
    ours = find_hole(exercise.reference, exercise.suffix, exercise.id)
    mine = mine._replace(body=_indent_as(mine.body, mine.indent, ours.indent))
    stub = exercise.stage.given.get(exercise.id) or stub_body(ours, exercise.suffix)
    return Answer(
        mine,
        _code_of(mine.body, exercise.suffix) in (_code_of(stub, exercise.suffix), ""),
        _first_edit_outside(exercise, text),
    )


def exercise_at(exercises: Iterable[Exercise], place: str) -> Exercise:
    """Return the exercise in whose hole a cursor stands, FILE:LINE, or that comes next in the file.

    Below the last hole that is the last one.
    """
    name, _, line = place.rpartition(":")
    file = os.path.realpath(name)
    here = [one for one in exercises if os.path.realpath(one.stub) == file]
    if not here or not line.isdigit():
        raise CourseError(
            f"[course] no exercise stands at {place}: a file of workbook/ and a line are needed, "
            "as in AT=workbook/01_strides/broadcast.py:79 (make next writes a file)"
        )
    text, found = read_text(here[0].stub), {}
    for one in here:
        with suppress(MarkError):
            found[find_hole(text, one.suffix, one.id).end] = one
    if not found:
        return here[0]
    return found[min((end for end in found if end >= int(line)), default=max(found))]


def _indent_as(body: str, found: str, wanted: str) -> str:
    """Indent a body as the reference does, where an editor indented the whole file otherwise."""
    lines = body.splitlines(keepends=True)
    return "".join(
        wanted + line[len(found) :] if line.startswith(found) else line for line in lines
    )


def _code_of(body: str, suffix: str) -> str:
    """Return a body without blank lines and lines of comment."""
    comment = LANGUAGES[suffix].comment
    lines = [line.strip() for line in body.splitlines()]
    return "\n".join(line for line in lines if line and not line.startswith(comment))


def _frame(text: str, suffix: str) -> list[tuple[int, str]]:
    """List the numbered lines outside all holes."""
    inside: set[int] = set()
    for hole in find_holes(text, suffix).values():
        inside.update(range(hole.begin + 1, hole.end))
    lines = [line.rstrip() for line in text.split("\n")]
    return [(n, line) for n, line in enumerate(lines, start=1) if n not in inside]


def _first_edit_outside(exercise: Exercise, text: str) -> int | None:
    try:
        mine = _frame(text, exercise.suffix)
    except MarkError:
        return None  # the marks of another exercise are broken: its own check says so
    ours = _frame(exercise.reference, exercise.suffix)
    for (number, line), (_, expected) in zip(mine, ours, strict=False):
        if line != expected:
            return number
    return None if len(mine) == len(ours) else mine[-1][0]


def stubs(stage: Stage) -> dict[Path, str]:
    """Return the text of every stub of a stage, generated from the reference."""
    sources = sorted(set(stage.sources.values()))
    texts = {source: source.read_text(encoding="utf-8") for source in sources}
    return {
        stage.stub_path(path): strip(text, path.suffix, given=stage.given)
        for path, text in texts.items()
    }


def stub_text(exercise: Exercise) -> str:
    """Return the learner's file as it is written: the reference, its holes emptied or given."""
    return strip(exercise.reference, exercise.suffix, given=exercise.stage.given)


def write_missing(exercises: Iterable[Exercise]) -> None:
    """Write the learner's files that are not there; one that is there stays as it is."""
    for exercise in exercises:
        exercise.stub.parent.mkdir(parents=True, exist_ok=True)
        if not os.path.lexists(exercise.stub):
            write_whole(exercise.stub, stub_text(exercise))


def write_whole(path: Path, text: str) -> None:
    """Write a file of the workbook at once: until the new one is whole, the old one stays."""
    path = Path(os.path.realpath(path))
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        fresh.write_text(text, encoding="utf-8")
        if path.exists():
            os.close(os.open(path, os.O_WRONLY))  # PermissionError where it is meant to stay
            shutil.copymode(path, fresh)
        fresh.replace(path)
    except OSError as error:
        error.filename = str(path)  # the name that the learner knows
        raise
    finally:
        fresh.unlink(missing_ok=True)


def bodies_of(old: str, fresh: str, suffix: str) -> dict[str, str]:
    """Return what stands in the holes of the old text that the fresh one has too, and are whole."""
    kept = {}
    for id in hole_ids(fresh, suffix):
        with suppress(MarkError):
            kept[id] = find_hole(old, suffix, id).body
    return kept


def reset(exercise: Exercise) -> Path | None:
    """Put the stub back into one hole, and return the backup of the old file, if there was one.

    The answers to the other exercises of the file stay, as far as their marks are whole.
    """
    path, fresh = exercise.stub, stub_text(exercise)
    backup = None
    if path.exists():
        require_file(path)
        old = path.read_bytes()
        kept = bodies_of(readable(old), fresh, path.suffix)
        kept.pop(exercise.id, None)
        fresh = splice(fresh, kept, exercise.suffix)
        if old != fresh.encode():
            backup = backup_path(path, f"before-{exercise.id}")
            backup.write_bytes(old)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, fresh)
    return backup


def readable(data: bytes) -> str:
    """Return the text of a file in whatever encoding: what can be kept of it is kept."""
    try:
        return decode(data)
    except UnicodeDecodeError:
        return data.decode("latin-1")


def backup_path(path: Path, word: str) -> Path:
    """Return the name of a backup beside a file, which no backup has yet."""
    number = 1
    while (found := path.with_name(f"{path.name}.{word}-{number}.backup")).exists():
        number += 1
    return found
