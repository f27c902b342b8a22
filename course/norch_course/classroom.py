"""Classroom: the same checks over a folder of submissions, as a table.

`make grade DIR=submissions OUT=grades.csv`. Each folder in DIR is one learner's: their clone, or
their `workbook`, as it came out of a zip; answers in `stages/*/exercises`, where they lay once, are
read too. The tests are those of `make check`, in processes that are sealed (seal.py) and never
learn what is expected of them; this process compares. `course/README.md` says what that stops and
what it does not.
"""

import csv
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from norch_course import seal
from norch_course.catalog import Course, CourseError, Exercise
from norch_course.grading import cache_folder, grade, key_of
from norch_course.running import Record
from norch_course.workbook import answer_to

UNSEALED = (
    "note: this system cannot seal the checks (Linux 5.13 or newer can), so an answer may reach "
    "the files and processes of this user, and no verdict is remembered"
)
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a cell that begins so is run by spreadsheets
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
        elif path.is_symlink():
            say(f"{path.name}: passed over, because it is a link to another place")
    found = [path for path in present if path.is_dir() and not path.is_symlink()]
    if not found:
        raise CourseError(f"[grade] {folder} holds no folders: one for each learner is expected")
    return found


def find_submission(course: Course, exercise: Exercise, folder: Path) -> Path | None:
    """Return a learner's file for an exercise; archives often hold one more folder around all."""
    name, inside = exercise.stage.folder.name, exercise.stage.inside(exercise.source)
    old = exercise.stage.declared.relative_to(course.root) / inside
    around = [folder, *(path for path in sorted(folder.glob("[!._]*")) if path.is_dir())]
    handed_in = [path / "workbook" / name / inside for path in around]
    # A workbook alone. Beside a `src` this is the library's file, in a clone or its `stages`.
    handed_in += [path / name / inside for path in around if not (path / name / "src").exists()]
    handed_in += [path / place for place in (old, old.relative_to("stages")) for path in around]
    return next((path for path in handed_in if path.is_file()), None)


class Classroom:
    """Judges the learners of one course, with what all of them share."""

    def __init__(self, course: Course) -> None:
        self.course = course
        is_sealed = seal.version() > 0
        self.cache = cache_folder(course) / "grades" if is_sealed else None
        self.keys: dict[str, Sequence[Record]] = {}

    def key(self, exercise: Exercise) -> Sequence[Record]:
        """Return what is expected, found once for all learners."""
        if exercise.id not in self.keys:
            self.keys[exercise.id] = key_of(exercise)
        return self.keys[exercise.id]

    def status(self, exercise: Exercise, folder: Path) -> tuple[str, str]:
        """Return 'ok', 'wrong', 'todo', 'missing' or 'unreadable', and what makes it unreadable."""
        path = find_submission(self.course, exercise, folder)
        if path is None:
            return "missing", ""
        try:
            if not path.resolve().is_relative_to(folder.resolve()):
                return "unreadable", f"{path} is a link that leads out of the learner's folder"
            answer = answer_to(exercise, path)
        except (CourseError, OSError) as error:
            return "unreadable", str(error)
        return grade(exercise, answer, self.cache, key=lambda: self.key(exercise)).status, ""

    def row(self, learner: Path, say: Callable[[str], None]) -> list[str]:
        """Judge one learner, several exercises side by side; return the line of the table."""
        exercises = self.course.exercises.values()
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            found = list(pool.map(lambda one: self.status(one, learner), exercises))
        done = [one for one, (word, _) in zip(exercises, found, strict=True) if word == "ok"]
        say(f"{learner.name}: {len(done)} of {len(exercises)}")
        for problem in dict.fromkeys(problem for _, problem in found if problem):
            say(f"  {problem}")
        words = [word for word, _ in found]
        return [cell(learner.name), str(len(done)), str(sum(one.minutes for one in done)), *words]


def printable(text: str) -> str:
    """Return a text that commands no terminal: names of folders are the learners'."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def cell(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    text = printable(text)
    return f"'{text}" if text.startswith(FORMULA) else text


def write_grades(
    course: Course, folder: Path, out: Path, say: Callable[[str], None] = print
) -> int:
    """Judge every learner and write the table, at the end and at once; return how many.

    What was judged is remembered: when the work is stopped, the next call goes on from there.
    """
    if not os.access(out.parent, os.W_OK) or out.is_dir():
        raise CourseError(f"[grade] {out} cannot be written: OUT is a file in a folder that exists")
    room = Classroom(course)
    if not room.cache:
        say(UNSEALED)

    def say_plainly(line: str) -> None:
        say(printable(line))

    rows = [room.row(learner, say_plainly) for learner in submissions(folder, say_plainly)]
    fresh = out.with_name(f"{out.name}.{os.getpid()}")
    with fresh.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["learner", "done", "minutes", *course.exercises])
        table.writerows(rows)
    fresh.replace(out)
    return len(rows)
