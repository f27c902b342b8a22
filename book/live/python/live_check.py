"""Grade what a reader wrote in the page: the course's own grading, its judge in this interpreter.

The page gives each answer an interpreter of its own and ends it when time is up, as a process is
ended elsewhere. It then has what the judge had told by then, and a second interpreter, which runs
nothing, turns that into the verdict. An answer in C++ is compiled outside, between two calls of
`check`: the first one asks for it.
"""

import io
import json
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from norch_course import compiling, grading, judge, report, running
from norch_course.catalog import Stage, load
from norch_course.holes import splice
from norch_course.workbook import answer_to, stub_text

ROOT = Path("/norch")
PRINTED = 1 << 20  # bytes an answer may print: an endless print ends in an OSError
TOLD = 20_000  # of these the page is told the first, which is more than a report shows
Tell = Callable[[str, str], None]  # what kind of text, and the text


class Compiled(NamedTuple):
    """What the page's compiler made of an answer: a module, or words; neither where none is run."""

    module: bytes = b""
    said: str | None = None
    late: bool = False


class Uncompiled(Exception):
    """An answer that the page must compile first: the file it lies in, and that file's text."""


class ToldText(io.TextIOBase):
    """A text that goes into a file, and to the page as it is written."""

    def __init__(self, file: IO[bytes], kind: str, tell: Tell) -> None:
        self.file, self.kind, self.tell = file, kind, tell

    def write(self, text: str) -> int:
        """Write and tell."""
        self.tell(self.kind, text)
        return self.file.write(text.encode("utf-8", "backslashreplace"))


class Printed(ToldText):
    """What an answer prints: it is bounded, and the page is told the beginning."""

    def write(self, text: str) -> int:
        """Write, and tell what is still of interest."""
        count = self.file.tell()
        if count > PRINTED:
            raise OSError("[Errno 27] File too large")  # Linux's words: numbers differ here
        return super().write(text) if count < TOLD else self.file.write(text.encode())


def here(tell: Tell) -> running.Judge:
    """Return a judge that works in this interpreter and tells the page all that it notes."""

    def judging(task: running.Task, notes: IO[bytes], printed: IO[bytes]) -> str:
        sys.path.insert(0, str(ROOT / "live" / "stand_in"))  # the tests import NumPy
        os.chdir(task.folder)
        usual = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = Printed(printed, "printed", tell)
        tell("judging", "")
        try:
            judge.judge(judge.parse(["0", *task.words]), ToldText(notes, "note", tell))
        except SystemExit as end:
            return running.exit_problem(end.code) if end.code else ""
        finally:
            sys.stdout, sys.stderr = usual
            os.chdir(ROOT)
        return ""

    return judging


def was(told: str, output: str, problem: str) -> running.Judge:
    """Return a judge that repeats what was told by an interpreter that was ended."""

    def judging(task: running.Task, notes: IO[bytes], printed: IO[bytes]) -> str:
        notes.write(told.encode())
        printed.write(output.encode())
        return problem or running.too_late(task.limit)

    return judging


def placing(compiled: Compiled | None) -> Callable[..., None]:
    """Return a compiler that puts what the page has made where the compiled module belongs."""

    def place(stage: Stage, sources: Sequence[Path], csrc: Path, target: Path, **_: bool) -> None:
        built = next(stage.package.glob("_cpu*.so"))
        if not sources:  # the reference itself
            shutil.copy(built, target)
            return
        name = sources[0].relative_to(stage.folder)
        if compiled is None:
            raise Uncompiled(name.as_posix(), (csrc.parent / name).read_text(encoding="utf-8"))
        if compiled.late:
            raise compiling.late()
        if compiled.said is not None:
            raise compiling.refused(compiled.said, name.name)
        (target / built.name).write_bytes(compiled.module)

    return place


def check(id: str, body: str, judging: running.Judge, compiled: Compiled | None = None) -> str:
    """Grade what stands in one hole; return the verdict, or what to compile first, as JSON."""
    running.judging.set(judging)
    running.compiler.set(placing(compiled))
    exercise = load(ROOT).find(id)
    text = splice(stub_text(exercise), {id: body}, exercise.suffix)
    exercise.stub.parent.mkdir(parents=True, exist_ok=True)
    exercise.stub.write_text(text, encoding="utf-8")
    answer = answer_to(exercise)
    try:
        verdict = grading.grade(exercise, answer, cache=None)
    except Uncompiled as first:
        return json.dumps({"compile": first.args})
    line = verdict.line and verdict.line - answer.hole.begin
    last = answer.hole.end - answer.hole.begin
    told = report.what_is_wrong(verdict) if verdict.status == "wrong" else []
    return json.dumps(
        {
            "status": verdict.status,
            "cases": len(verdict.records),
            "line": line if line and 0 < line < last else None,
            "lines": [line.removeprefix(report.MARGIN) for line in told],
        }
    )
