"""The commands behind `make check next watch progress hint solution reset project grade`, `MINE=1`.

Each returns the exit code: 0 when all that was asked about is right, 1 when it is not, 2 when
it could not be judged, or the question made no sense.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from norch_course import (
    certificate,
    classroom,
    finish,
    journal,
    mine,
    on_save,
    paths,
    projects,
    ready,
)
from norch_course.catalog import NOT_JUDGED, Course, CourseError, Exercise, load
from norch_course.compiling import CompileError
from norch_course.difficulty import effort
from norch_course.forge import workers
from norch_course.grading import Verdict, basis_of, cache_folder, grade, rejects
from norch_course.holes import find_hole
from norch_course.inputs import steps_file, write_steps
from norch_course.misconceptions import behaviour_file, label, marks, write
from norch_course.moving import move_answers
from norch_course.report import (
    done_lines,
    headline,
    note_lines,
    path_line,
    place,
    progress_lines,
    task_lines,
    verdict_lines,
    why_lines,
    wrap,
)
from norch_course.workbook import Answer, answer_to, exercise_at, reset, write_missing

Result = TypeVar("Result")
Results = dict[str, tuple[Verdict, Answer] | CourseError]
PATIENT = 2.0  # seconds without a word
HINT_NAMES = ("a nudge", "the idea", "almost there")
LEARNERS = {
    "check",
    "next",
    "watch",
    "progress",
    "hint",
    "reset",
    "mine",
}  # they look at the workbook


def judge_answers(course: Course, exercises: list[Exercise], again: bool = False) -> Results:
    """Judge several answers side by side, and note in the journal which were wrong or right.

    `again` says that each is asked about by itself: then code that is given is judged, too.
    """
    results = _judged(course, exercises, again)
    pairs = {id: found for id, found in results.items() if not isinstance(found, CourseError)}
    checked = [(id, verdict.status, answer.hole.body) for id, (verdict, answer) in pairs.items()]
    journal.note_checks(course, checked)
    return results


def _judged(course: Course, exercises: list[Exercise], again: bool) -> Results:
    """Judge answers; a file that cannot be read is a result too."""
    read: dict[Path, str] = {}  # a stage below others is read once
    bases = {one.id: basis_of(one, read) for one in exercises}

    def one(exercise: Exercise) -> tuple[Verdict, Answer] | CourseError:
        try:
            answer, basis = answer_to(exercise), bases[exercise.id]
            if answer.is_stub and not again:
                return Verdict("todo"), answer
            return grade(exercise, answer, cache_folder(course), again, basis), answer
        except CourseError as error:
            return error

    if len(exercises) == 1:  # without a thread, Ctrl-C ends its judge at once
        return {exercises[0].id: one(exercises[0])}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = show_count(pool.map(one, exercises), len(exercises))
        return {exercise.id: result for exercise, result in zip(exercises, results, strict=True)}


def show_count(results: Iterable[Result], count: int) -> Iterator[Result]:
    """Pass results on; when that takes long, count them on a terminal, and leave nothing there."""
    began, shown = time.monotonic(), False
    for number, result in enumerate(results, start=1):
        if sys.stderr.isatty() and time.monotonic() - began > PATIENT and number < count:
            print(f"\rchecked {number} of {count}", end="", file=sys.stderr, flush=True)
            shown = True
        yield result
    if shown:
        print("\r" + " " * 20 + "\r", end="", file=sys.stderr, flush=True)


def statuses(course: Course) -> dict[str, str]:
    """Return the status of every exercise."""
    return _statuses(judge_answers(course, list(course.exercises.values())))


def _statuses(results: Results) -> dict[str, str]:
    return {
        id: result.status if isinstance(result, CourseError) else result[0].status
        for id, result in results.items()
    }


def _right(results: Results) -> dict[str, Answer]:
    pairs = [(id, found) for id, found in results.items() if not isinstance(found, CourseError)]
    return {id: answer for id, (verdict, answer) in pairs if verdict.status == "ok"}


def check(course: Course, words: Sequence[str], on: str | None = None) -> int:
    """Report on some exercises, on those of a stage, on those of a path, or on all."""
    path = None if words else paths.chosen(course, on)
    chosen = [[find(course, word)] if ":" in word else course.select(word) for word in words]
    chosen = chosen or [list(path.exercises) if path else course.select(None)]
    exercises = list({one.id: one for some in chosen for one in some}.values())
    is_named = len(chosen) == len(exercises)  # one by one
    if path:
        print(f"path {path.name}: {len(exercises)} exercises (make check PATH=all: all)")
    write_missing(exercises)
    results = judge_answers(course, exercises, again=is_named)
    told = set[str]()
    for exercise in exercises:
        result = results[exercise.id]
        if isinstance(result, CourseError):
            why = [] if str(result) in told else [f"     {result}"]  # once for many
            told.add(str(result))
            print(headline(exercise, result.status), *why, sep="\n")
            continue
        verdict, answer = result
        short = verdict.status != "wrong" and not is_named
        lines = verdict_lines(exercise, verdict, answer)
        print("\n".join(lines[:1] if short else lines))
    found = {*_statuses(results).values()}
    return 0 if found == {"ok"} else 2 if found <= {"ok", NOT_JUDGED} else 1


def find(course: Course, word: str) -> Exercise:
    """Return the exercise meant by '1.6', or by a place in a learner's file, FILE:LINE."""
    return exercise_at(course.exercises.values(), word) if ":" in word else course.find(word)


def next_exercise(course: Course, on: str | None = None) -> int:
    """Say which exercise comes now, on the learner's path or from now on that which is named."""
    paths.choose(course, on)
    go_on(course)
    return 0


def go_on(course: Course, before: Exercise | None = None) -> Exercise | None:
    """Say which exercise comes now, unless it is the one before, and return it; None if none is."""
    path = paths.chosen(course)
    exercises = paths.in_order(course, path)
    results = judge_answers(course, exercises)
    found = _statuses(results)
    for exercise in exercises:
        status = found[exercise.id]
        if status != "ok":
            if before is None or exercise.id != before.id:
                write_missing([exercise])
                lines = [path_line(path, found)] if path else []
                lines += [headline(exercise, f"{status:<6}{effort(exercise)}")]
                lines += [*why_lines([results[exercise.id]]), *_task_of(exercise)]
                print(*lines, *ready.lines(exercise), sep="\n")
            return exercise
    print("\n".join(done_lines(len(found), path)))
    return None


def watch(course: Course, on: str | None = None) -> int:
    """Check after every save, on the learner's path or from now on that which is named."""
    paths.choose(course, on)
    return on_save.watch(course, go_on)


def _task_of(exercise: Exercise) -> list[str]:
    try:
        answer = answer_to(exercise)
    except CourseError as error:
        return task_lines(exercise, str(error))
    task = task_lines(exercise, place(exercise.stub, answer.hole.begin + 1))
    return task + note_lines(exercise, answer, "todo")


def progress(course: Course, on: str | None = None, name: str = "") -> int:
    """Print what is done and left, as the checks see it now; write a page and a certificate."""
    path = paths.chosen(course, on)
    results = judge_answers(course, list(course.exercises.values()))
    found, right = _statuses(results), _right(results)
    print("\n".join([*progress_lines(course, found, path), *why_lines(results.values())]))
    unknown = [id for id, status in found.items() if status == NOT_JUDGED]
    print(f"to show: {os.path.relpath(finish.write(course, right, unknown))}")
    if right:
        print(f"to sign: {os.path.relpath(certificate.write(course, right, path, name))}")
    return 0


def hint(course: Course, word: str, number: str | None) -> int:
    """Print the hint with this number, or the next one."""
    exercise = find(course, word)
    id = exercise.id
    write_missing([exercise])
    last = len(exercise.hints)
    if number is not None and number not in map(str, range(1, last + 1)):
        raise CourseError(f"[course] there is no hint {number}: hints are 1 to {last}")
    chosen = int(number) if number else min(journal.last_hint(course, id) + 1, last)
    print(headline(exercise, f"hint {chosen} of {last}, {HINT_NAMES[chosen - 1]}"))
    print(*wrap(exercise.hints[chosen - 1]), sep="\n")
    after = f"make hint {id}" if chosen < last else f"make solution {id}"
    print(f"     more: {after}")
    journal.note_hint(course, id, chosen)
    return 0


def solution(course: Course, word: str, other: bool = False) -> int:
    """Print what the reference has in the hole, or another right answer and what it trades."""
    exercise = find(course, word)
    if other:
        for one in exercise.other:
            print(headline(exercise, f"another right answer: {one.name}"))
            print(*wrap(one.says), sep="\n")
            print(one.body, end="")
        return 0
    hole = find_hole(exercise.reference, exercise.suffix, exercise.id)
    print(headline(exercise, place(exercise.source, hole.begin + 1)))
    print(hole.body, end="")
    if exercise.other:
        print(f"     another design: make solution {exercise.id} OTHER=1")
    return 0


def start_again(course: Course, word: str) -> int:
    """Put the stub back, and name the backup."""
    exercise = find(course, word)
    backup = reset(exercise)
    print(headline(exercise, "todo"))
    again = place(exercise.stub, answer_to(exercise).hole.begin + 1)
    print(f"     written again: {again}")
    if backup:
        print(f"     your old text: {os.path.relpath(backup)}")
    return 0


def behaviour(course: Course) -> int:
    """Run every known wrong answer and write down what it gives, for `misconceptions.py`.

    The steps that the library's own answers take come first: the gate of each check asks for them.
    """
    for stage in course.stages:
        if write_steps(course, stage):
            print(f"wrote {os.path.relpath(steps_file(stage))}")

        def marks_of(exercise: Exercise) -> dict[str, list[str]]:
            found = rejects(exercise, cache_folder(course))
            return {label(exercise, wrong): marks(verdict.records) for wrong, verdict in found}

        with workers() as pool:
            found = list(pool.map(marks_of, course.of_stage(stage)))
        if write(stage, {name: seen for each in found for name, seen in each.items()}):
            print(f"wrote {os.path.relpath(behaviour_file(stage))}")
    return 0


def passing(course: Course) -> dict[str, Answer]:
    """Return the answers that are right."""
    return _right(judge_answers(course, list(course.exercises.values())))


def run_mine(course: Course, words: list[str], processes: int = 0) -> int:
    """Run a program, or the tests of a stage, on the library with the right answers in it."""
    program = mine.stage_tests(course, words[0]) if words[0].isdigit() else words
    results = judge_answers(course, list(course.exercises.values()))
    refused = [id for id, status in _statuses(results).items() if status == "wrong"]
    if processes:
        program = ["launch", "--nproc_per_node", str(processes), *program]
    try:
        return mine.run(course, _right(results), program, refused)
    except CompileError as error:
        raise CourseError(
            "[course] your C++ passes its check, and does not compile with the library's own "
            f"settings: {error.words}"
        ) from None


def grade_all(course: Course, folder: Path, out: Path) -> int:
    """Judge a folder of submissions."""

    def say(line: str) -> None:
        print(line, flush=True)  # somebody waits for it, through a pipe too

    count = classroom.write_grades(course, folder, out, say)
    print(f"wrote {out}: {count} learners, {len(course.exercises)} exercises")
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    top = argparse.ArgumentParser(prog="exercises.py", description=__doc__.splitlines()[0])
    commands = top.add_subparsers(dest="command", required=True)
    on_path = argparse.ArgumentParser(add_help=False)
    on_path.add_argument("--path")
    commands.add_parser("check", parents=[on_path]).add_argument("words", nargs="*")
    commands.add_parser("next", parents=[on_path])
    commands.add_parser("watch", parents=[on_path])
    commands.add_parser("progress", parents=[on_path]).add_argument("--name", default="")
    hints = commands.add_parser("hint")
    hints.add_argument("id")
    hints.add_argument("number", nargs="?")
    solutions = commands.add_parser("solution")
    solutions.add_argument("id")
    solutions.add_argument("--other", action="store_true")
    commands.add_parser("reset").add_argument("id")
    commands.add_parser("project").add_argument("stage")
    own = commands.add_parser("mine")
    own.add_argument("--processes", type=int, default=0)
    own.add_argument("words", nargs=argparse.REMAINDER)
    grades = commands.add_parser("grade")
    grades.add_argument("folder", type=Path)
    grades.add_argument("out", type=Path)
    commands.add_parser("behaviour")
    return top


def main(root: Path, words: list[str] | None = None) -> int:
    """Run one command on the course below `root`."""
    given = parser().parse_args(words)
    try:
        course = load(root)
        actions = {
            "check": lambda: check(course, given.words, given.path),
            "next": lambda: next_exercise(course, given.path),
            "watch": lambda: watch(course, given.path),
            "progress": lambda: progress(course, given.path, given.name),
            "hint": lambda: hint(course, given.id, given.number),
            "solution": lambda: solution(course, given.id, given.other),
            "reset": lambda: start_again(course, given.id),
            "project": lambda: projects.check(course, given.stage),
            "mine": lambda: run_mine(course, given.words, given.processes),
            "grade": lambda: grade_all(course, given.folder, given.out),
            "behaviour": lambda: behaviour(course),
        }
        if given.command in LEARNERS:
            print(*(f"{line}\n" for line in move_answers(course)), sep="", end="", flush=True)
        return actions[given.command]()
    except CourseError as error:
        print(error)
        return 2
    except OSError as error:
        if error.filename is None:
            raise
        print(f"[course] {error.filename} cannot be used: {error.strerror}")
        return 2
