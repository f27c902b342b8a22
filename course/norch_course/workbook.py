"""The workbook: the learner's files in `stages/*/exercises/`, read, restored and never judged.

A file is the reference with its holes emptied; the learner writes between the marks. What stands
outside the marks is never graded. Nothing is thrown away: `reset` keeps the old text beside the
file and returns its name.
"""

import codecs
from pathlib import Path
from typing import NamedTuple

from norch_course.catalog import Course, CourseError, Exercise, Stage
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
    edited_outside: int | None  # first line outside the marks that is not the stub's


def read_text(path: Path, id: str) -> str:
    """Return the learner's file; raises CourseError that says how to get it back."""
    try:
        if path.stat().st_size > LARGEST:
            raise CourseError(f"[course] {path} is larger than {LARGEST} bytes: is it your answer?")
        return decoded(path.read_bytes())
    except FileNotFoundError:
        raise CourseError(
            f"[course] {path.name} is not there: make reset {id} writes {path} again"
        ) from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise CourseError(
            f"[course] {path}:{line} has a letter that is no UTF-8: save the file as UTF-8"
        ) from None


def decoded(data: bytes) -> str:
    """Return the text of a file, whatever an editor made of its beginning and its line ends."""
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = data.decode("utf-16" if wide else "utf-8-sig")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def answer_to(exercise: Exercise, path: Path | None = None) -> Answer:
    """Return what the learner wrote for one exercise, in `path` if it lies elsewhere.

    Raises CourseError when the file or the marks of this exercise are gone; marks of other
    exercises do not matter.
    """
    text = read_text(path or exercise.stub, exercise.id)
    try:
        mine = find_hole(text, exercise.suffix, exercise.id)
    except MarkError as error:
        raise CourseError(
            f"[course] {exercise.stub.name}: {error}; put it back, or make reset {exercise.id} "
            "(it keeps your text in a backup)"
        ) from None
    ours = find_hole(exercise.reference, exercise.suffix, exercise.id)
    mine = mine._replace(body=_moved(mine.body, mine.indent, ours.indent))
    stub = exercise.stage.given.get(exercise.id) or stub_body(ours, exercise.suffix)
    return Answer(
        mine,
        _code_of(mine.body, exercise.suffix) in (_code_of(stub, exercise.suffix), ""),
        _first_edit_outside(exercise, text),
    )


def _moved(body: str, found: str, wanted: str) -> str:
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
    inside = set()
    for hole in find_holes(text, suffix).values():
        inside.update(range(hole.begin + 1, hole.end))
    lines = [line.rstrip() for line in text.split("\n")]
    return [(n, line) for n, line in enumerate(lines, start=1) if n not in inside]


def same_frame(one: str, other: str, suffix: str) -> bool:
    """Tell whether two texts agree outside their holes; broken marks agree with nothing."""
    try:
        pairs = [[line for _, line in _frame(text, suffix)] for text in (one, other)]
    except MarkError:
        return False
    return pairs[0] == pairs[1]


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


def write_stubs(course: Course) -> list[Path]:
    """Write every stub anew, keeping what stands in the holes; return the files that changed."""
    changed = []
    for stage in course.stages:
        for path, fresh in stubs(stage).items():
            old = path.read_text(encoding="utf-8") if path.exists() else None
            text = fresh if old is None else splice(fresh, _salvaged(old, fresh, path), path.suffix)
            if text != old:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
                changed.append(path)
    return changed


def _salvaged(old: str, fresh: str, path: Path) -> dict[str, str]:
    """Return the answers of the old text whose marks are whole."""
    kept = {}
    for id in hole_ids(fresh, path.suffix):
        try:
            kept[id] = find_hole(old, path.suffix, id).body
        except MarkError:
            continue
    return kept


def reset(exercise: Exercise) -> Path | None:
    """Put the stub back into one hole, and return the backup of the old file, if there was one.

    The answers to the other exercises of the file stay, as far as their marks are whole.
    """
    path = exercise.stub
    fresh = strip(exercise.reference, exercise.suffix, given=exercise.stage.given)
    backup = None
    if path.exists():
        old = path.read_bytes()
        kept = _salvaged(_readable(old), fresh, path)
        kept.pop(exercise.id, None)
        fresh = splice(fresh, kept, exercise.suffix)
        if old != fresh.encode():
            backup = _backup_path(path, exercise.id)
            backup.write_bytes(old)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(fresh, encoding="utf-8")
    return backup


def _readable(data: bytes) -> str:
    """Return the text of a file in whatever encoding: what can be kept of it is kept."""
    try:
        return decoded(data)
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _backup_path(path: Path, id: str) -> Path:
    number = 1
    while (found := path.with_name(f"{path.name}.before-{id}-{number}.backup")).exists():
        number += 1
    return found
