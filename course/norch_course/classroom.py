"""Classroom: the same checks over a folder of submissions, as a table.

`make grade DIR=submissions OUT=grades.csv`. Each folder in DIR is one learner's: their clone, or
their `workbook`, as it came out of a zip; answers in `stages/*/exercises`, where they lay once, are
read too. The tests are those of `make check`, in processes that are sealed (seal.py) and never
learn what is expected of them (marking.py). `course/README.md` says what that stops and what it
does not.
"""

import csv
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from norch_course.catalog import NOT_JUDGED, Course, CourseError, Exercise, Unreadable
from norch_course.certificate import mark
from norch_course.marking import Marking, Pace, Task, Word
from norch_course.workbook import Answer, answer_to

UNSEALED = (
    "note: this system cannot seal the checks (Linux 5.13 or newer can), so an answer may reach "
    "the files and processes of this user, and no verdict is remembered"
)
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a cell that begins so is run by spreadsheets
PACKED = {".zip", ".gz", ".tgz", ".tar", ".7z", ".rar", ".xz"}


def submissions(folder: Path, say: Callable[[str], None]) -> list[Path]:
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


class Sheet:
    """One learner's exercises: a word for each, and what is to be judged for it."""

    def __init__(self, marking: Marking, folder: Path) -> None:
        self.marking, self.folder = marking, folder
        self.words: dict[str, Word] = {}
        self.tasks: dict[str, Task] = {}
        self.answers: dict[str, Answer] = {}  # those that can be read
        for exercise in marking.course.exercises.values():
            self.look(exercise)

    def look(self, exercise: Exercise) -> None:
        """Find the answer to an exercise; note a word for it, or that it is to be judged."""
        course, folder, id = self.marking.course, self.folder, exercise.id
        self.words[id] = Word(NOT_JUDGED)
        try:
            path = find_submission(course, exercise, folder)
            if path is None:
                self.words[id] = Word("missing")
            elif not path.resolve().is_relative_to(folder.resolve()):
                why = f"{path} is a link that leads out of the learner's folder"
                self.words[id] = Word("unreadable", why)
            else:
                self.answers[id] = answer_to(exercise, path)
                task = Task(exercise, self.answers[id])
                if word := self.marking.remembered(task):
                    self.words[id] = word
                else:
                    self.tasks[id] = task
        except (Unreadable, PermissionError) as error:
            self.words[id] = Word("unreadable", str(error))
        except (CourseError, OSError) as error:
            self.words[id] = Word(NOT_JUDGED, str(error))

    @property
    def unknown(self) -> list[str]:
        """The exercises that could not be judged."""
        return [id for id, one in self.words.items() if one.word == NOT_JUDGED]

    def row(self) -> list[str]:
        """Return the line of the table."""
        done = [id for id, one in self.words.items() if one.word == "ok"]
        minutes = sum(self.marking.course.exercises[id].minutes for id in done)
        facts = (len(done), minutes, len(self.unknown), mark(self.answers))
        return [
            cell(self.folder.name),
            *map(str, facts),
            *(one.word for one in self.words.values()),
        ]

    def said(self, pace: str = "") -> list[str]:
        """Return what is printed of a learner: how many are done, and what cannot be read."""
        done, unknown = self.row()[1], len(self.unknown)
        more = f", {unknown} {NOT_JUDGED}" if unknown else ""
        whys = dict.fromkeys(f"  {one.why}" for one in self.words.values() if one.why)
        return [f"{self.folder.name}: {done} of {len(self.words)}{more}{pace}", *whys]


def printable(text: str) -> str:
    """Return a text that commands no terminal: names of folders are the learners'."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def cell(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    text = printable(text)
    return f"'{text}" if text.startswith(FORMULA) else text


class Table:
    """The table of a class on disk: whole after each row, in the order of the learners."""

    def __init__(self, out: Path, course: Course, learners: Sequence[Path]) -> None:
        self.out, self.learners = out, learners
        self.head = ["learner", "done", "minutes", NOT_JUDGED, "answers", *course.exercises]
        self.rows: dict[Path, list[str]] = {}

    def write(self, *sheets: Sheet) -> None:
        """Put the rows of some learners in, or in the place of what was there of them."""
        self.rows |= {sheet.folder: sheet.row() for sheet in sheets}
        fresh = self.out.with_name(f"{self.out.name}.{os.getpid()}")
        with fresh.open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            table.writerow(self.head)
            table.writerows(self.rows[one] for one in self.learners if one in self.rows)
        fresh.replace(self.out)


def write_grades(course: Course, folder: Path, out: Path, say: Callable[[str], None]) -> int:
    """Judge every learner, and write each one's row as it ends; return how many there are.

    What was judged is remembered: when the work is stopped, the next call goes on from there. What
    could not be judged is tried once more when nothing else is left to do.
    """

    def say_plainly(*lines: str) -> None:
        for line in lines:
            say(printable(line))

    if not os.access(out.parent, os.W_OK) or out.is_dir():
        raise CourseError(f"[grade] {out} cannot be written: OUT is a file in a folder that exists")
    learners = submissions(folder, say_plainly)
    marking = Marking(course)
    if not marking.cache:
        say(UNSEALED)
    sheets = [Sheet(marking, learner) for learner in learners]
    table = Table(out, course, learners)
    known = [sheet for sheet in sheets if not sheet.tasks]
    table.write(*known)
    for sheet in known:
        say_plainly(*sheet.said())
    _judge([sheet for sheet in sheets if sheet.tasks], table, say_plainly)
    _judge_again([sheet for sheet in sheets if sheet.unknown], table, say_plainly)
    return len(learners)


def _judge(sheets: Sequence[Sheet], table: Table, say: Callable[..., None]) -> None:
    """Judge what is not known yet: several answers side by side, one learner after the other."""
    if not sheets:
        return
    with sheets[0].marking.pool() as submit:
        futures = [{id: submit(task) for id, task in sheet.tasks.items()} for sheet in sheets]
        pace = Pace([one for some in futures for one in some.values()])
        for sheet, some in zip(sheets, futures, strict=True):
            sheet.words |= {id: future.result() for id, future in some.items()}
            table.write(sheet)
            say(*sheet.said(pace.said()))


def _judge_again(sheets: Sequence[Sheet], table: Table, say: Callable[..., None]) -> None:
    """Try once more what could not be judged, now that the machine has nothing else to do."""
    for sheet in sheets:
        for id in sheet.unknown:
            exercise = sheet.marking.course.exercises[id]
            sheet.look(exercise)
            if sheet.words[id].word == NOT_JUDGED and id in sheet.tasks:
                sheet.words[id] = sheet.marking.judge(sheet.tasks[id])
        table.write(sheet)
        say(*sheet.said())
