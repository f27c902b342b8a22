"""Grading: the reference with one answer in it, and the verdict of the tests on that answer.

Exercise 1.6 is graded as the reference plus the learner's 1.6, so no other exercise can spoil it.
Verdicts are remembered under the content of everything they depend on; nothing is ever marked
as done.
"""

import hashlib
import json
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from norch_course import machine, running
from norch_course.catalog import Course, CourseError, Exercise
from norch_course.compiling import CompileError
from norch_course.gate import RULES, STEPS_FILE
from norch_course.holes import LANGUAGES, Hole, find_hole, splice
from norch_course.misconceptions import misconception
from norch_course.patterns import pattern
from norch_course.running import Record, is_late
from norch_course.slips import crash, slip
from norch_course.workbook import Answer
from norch_course.wrong_answers import Wrong

Key = Callable[[], Sequence[Record]]  # the records of the reference, when they are asked for
DECIDING = (  # the files of the engine that a verdict depends on
    "compiling.py",
    "finder.py",
    "forge.py",
    "forms.py",
    "gate.py",
    "grading.py",
    "holes.py",
    "judge.py",
    "kernels.py",
    "machine.py",
    "meter.h",
    "meter.py",
    "running.py",
    "seal.py",
    "testing.py",
    "watching.py",
)


@dataclass(frozen=True)
class Verdict:
    """What the tests say of one answer."""

    status: str  # 'todo', 'ok' or 'wrong'; where nothing can be said, CourseError is raised
    records: tuple[Record, ...] = ()
    problem: str = ""  # what is wrong when no expectation can say it
    asked: str = ""  # the call at which an answer crashed or hung
    line: int | None = None  # of the learner's file
    says: str = ""  # the misconception, when the answer behaves like a known wrong one
    sees: str = ""  # what the first miss looks like, when nobody knows the mistake
    output: str = ""

    @property
    def cases(self) -> int:
        """How many cases there were, without what the gate asks of all of them."""
        return sum(record.expected not in RULES for record in self.records)

    @property
    def miss(self) -> Record | None:
        """The first, and so the smallest, expectation that was not met."""
        return next((record for record in self.records if not record.right), None)


def grade(
    exercise: Exercise,
    answer: Answer,
    cache: Path | None,
    again: bool = False,
    basis: str = "",
    key: Key | None = None,
) -> Verdict:
    """Judge the learner's answer; raises CourseError when the exercise has no test.

    A remembered crash may have been the machine's: `again` does not trust it. That time ran out is
    never remembered.
    `basis` is `basis_of(exercise)`, if the caller has it already. With a `key` the answer is a
    stranger's (`running.run`). Without a `cache` nothing is remembered. Raises CourseError where
    nothing can be said of an answer, which is never remembered either.
    """
    if answer.is_stub and not exercise.has_code:
        return Verdict("todo")
    verdict = grade_body(exercise, answer.hole.body, cache, again, basis, key)
    if verdict.miss and _is_stub_error(exercise, verdict.miss):
        return Verdict("todo")
    if answer.is_stub:  # the code as it was given: what is wrong with it belongs to the task
        verdict = replace(verdict, status="todo")
    if verdict.status == "wrong" and not verdict.miss:
        verdict = replace(verdict, says=crash(verdict.problem))
    elif verdict.status == "wrong":
        says = misconception(exercise, verdict.records)
        says = says or slip(
            verdict.records, exercise.suffix, answer.hole.body, _hole(exercise).body
        )
        verdict = replace(verdict, says=says, sees="" if says else pattern(verdict.records))
    return _in_the_learners_file(verdict, exercise, answer)


def _in_the_learners_file(verdict: Verdict, exercise: Exercise, answer: Answer) -> Verdict:
    """Turn lines of the spliced file into lines of the learner's, whose other holes differ."""
    shift = answer.hole.begin - _hole(exercise).begin
    if verdict.line:
        last = answer.hole.end if exercise.suffix == ".py" else verdict.line + shift
        verdict = replace(verdict, line=min(verdict.line + shift, last))
    pattern = re.compile(rf"\b{re.escape(exercise.source.name)}:(\d+)")

    def shift_lines(text: str) -> str:
        return pattern.sub(lambda m: f"{exercise.source.name}:{int(m[1]) + shift}", text)

    records = (replace(record, got=shift_lines(record.got)) for record in verdict.records)
    problem = re.sub(r"\bon line (\d+)", lambda m: f"on line {int(m[1]) + shift}", verdict.problem)
    return replace(verdict, records=tuple(records), problem=problem)


def cache_folder(course: Course) -> Path:
    """Where verdicts are remembered; `make clean` removes it and nothing is lost."""
    return course.root / "build" / "course"


def grade_body(
    exercise: Exercise,
    body: str,
    cache: Path | None,
    again: bool = False,
    basis: str = "",
    key: Key | None = None,
) -> Verdict:
    """Judge one body of the hole; line numbers are those of the spliced reference."""
    text = splice(exercise.reference, {exercise.id: body}, exercise.suffix)
    broken = _syntax_error(text, exercise)
    if broken:
        return broken
    if cache is None:
        return _judge(exercise, text, key)
    file = _verdict_file(cache, exercise, text, basis)
    if fields := read_note(file):
        verdict = _from_fields(fields)
        if not (again and verdict.problem):
            return verdict
    verdict = _judge(exercise, text, key)
    if verdict.problem and not (key or verdict.records or verdict.asked or verdict.line):
        key_of(exercise)  # nothing was told: is it the answer that cannot even be imported?
    if not is_late(verdict.problem):  # the next time the machine may be less busy
        note(file, asdict(verdict))
    return verdict


def grade_together(exercise: Exercise, bodies: Sequence[str], cache: Path, basis: str) -> None:
    """Judge bodies in C++ that were not yet judged with one compilation, and remember the verdicts.

    Where one of them does not compile, nothing is: each is then judged by itself.
    """
    texts = [splice(exercise.reference, {exercise.id: body}, exercise.suffix) for body in bodies]
    places = [_verdict_file(cache, exercise, text, basis) for text in texts]
    fresh = [(*pair,) for pair in zip(bodies, places, strict=True) if not read_note(pair[1])]
    if exercise.suffix not in (".cpp", ".h") or len(fresh) < 2:
        return
    with suppress(CompileError):
        results = running.run_variants(exercise, [body for body, _ in fresh])
        for (_, place), result in zip(fresh, results, strict=True):
            if not is_late(result.problem):
                note(place, asdict(_verdict(exercise, result)))


def _verdict_file(cache: Path, exercise: Exercise, text: str, basis: str) -> Path:
    return cache / "verdicts" / f"{_key(exercise, text, basis)}.json"


def read_note(path: Path) -> dict[str, Any]:
    """Return what a file of the cache says; one that is not there, or is torn, says nothing."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def note(path: Path, fields: Mapping[str, object]) -> None:
    """Write a file of the cache at once: two checks may run side by side, and be stopped.

    Where it cannot be written, there is no such file: nothing depends on it.
    """
    fresh = path.with_suffix(f".{os.getpid()}.{id(fields)}")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            fresh.write_text(json.dumps(fields), encoding="utf-8")
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)


def key_of(exercise: Exercise) -> tuple[Record, ...]:
    """Return what the reference gives, against which strangers' answers are held.

    Raises CourseError where it fails here: then nothing can be said of any answer.
    """
    result = running.run(exercise.reference, exercise, [exercise])
    if result.problem or not result.records or not all(one.right for one in result.records):
        said = result.problem or "it has no test, or fails it"
        why = f"the library's own answer to {exercise.id} fails here: {said}"
        output = result.output.strip().rpartition("\n")[2]
        raise machine.not_judged(f"{why} {output}".rstrip() + ": make doctor")
    return result.records


def rejects(exercise: Exercise, cache: Path) -> list[tuple[Wrong, Verdict]]:
    """Judge the known wrong answers as if a learner had written them."""
    basis = basis_of(exercise)
    grade_together(exercise, [wrong.body for wrong in exercise.wrong], cache, basis)
    holes = [_hole(exercise)._replace(body=wrong.body) for wrong in exercise.wrong]
    answers = [Answer(hole, is_stub=False, edited_outside=None) for hole in holes]
    verdicts = [grade(exercise, answer, cache, basis=basis) for answer in answers]
    return list(zip(exercise.wrong, verdicts, strict=True))


def _is_stub_error(exercise: Exercise, record: Record) -> bool:
    return f"exercise {exercise.id} is yours to write" in record.got


def _hole(exercise: Exercise) -> Hole:
    return find_hole(exercise.reference, exercise.suffix, exercise.id)


def _syntax_error(text: str, exercise: Exercise) -> Verdict | None:
    """Return the verdict on an answer that Python cannot read."""
    if exercise.suffix != ".py":
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, exercise.stub.name, "exec")
    except (SyntaxError, ValueError) as error:
        kind, words = type(error).__name__, getattr(error, "msg", str(error))
        return Verdict("wrong", problem=f"{kind}: {words}", line=getattr(error, "lineno", None))
    return None


def _judge(exercise: Exercise, text: str, key: Key | None) -> Verdict:
    return _verdict(exercise, running.run(text, exercise, [exercise], key and key()))


def _verdict(exercise: Exercise, result: running.Run) -> Verdict:
    if not result.problem and not (result.tests and result.records):
        raise CourseError(f"[course] exercise {exercise.id} has no test: nothing was checked")
    miss = next((record for record in result.records if not record.right), None)
    if miss:
        machine.look_at(miss.got)
    return Verdict(
        "wrong" if miss or result.problem else "ok",
        result.records,
        result.problem,
        result.asked,
        line=miss.line if miss else result.line,
        output=result.output,
    )


def _key(exercise: Exercise, text: str, basis: str) -> str:
    """Hash all that a verdict depends on: the answer, and what it is held to."""
    parts = (exercise.id, text, basis or basis_of(exercise))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def basis_of(exercise: Exercise, read: dict[Path, str] | None = None) -> str:
    """Hash what all verdicts on an exercise depend on: Python, the stages, the engine, the tests.

    `read` holds the hashes of folders that a call for another exercise has read already.
    """
    stage, read = exercise.stage, {} if read is None else read
    below = [
        path for path in sorted(stage.folder.parent.glob("*/src")) if path.parent <= stage.folder
    ]
    below += [path.parent / "csrc" for path in below]
    for folder in (folder for folder in below if folder not in read):
        files = [path for path in sorted(folder.rglob("*.*")) if path.suffix in LANGUAGES]
        read[folder] = _hash_of(files)
    here = Path(__file__).parent
    if here not in read:
        read[here] = _hash_of(here / name for name in DECIDING)
    steps = stage.wrong / STEPS_FILE
    tests = _hash_of([*stage.test_files(exercise.id), *[steps] * steps.exists()])
    tests += ",".join(exercise.changes)
    return "".join([sys.version, *(read[folder] for folder in (*below, here)), tests])


def _hash_of(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"\0{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def _from_fields(fields: dict[str, Any]) -> Verdict:
    records = tuple(
        Record(**{**record, "forms": tuple(record["forms"])}) for record in fields.pop("records")
    )
    return Verdict(**fields, records=records)
