"""Grade what a reader wrote in the page: the course's own grading, its judge in this interpreter.

The page gives each answer an interpreter of its own and ends it when time is up, as a process is
ended elsewhere. It then has what the judge had told by then, and a second interpreter, which runs
nothing, turns that into the verdict. An answer in C++ is compiled outside, between two calls of
`check`: the first one asks for it.
"""

import gc
import io
import json
import os
import shutil
import sys
import traceback
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import IO, NamedTuple

import live_stack

from norch_course import compiling, grading, judge, report, running
from norch_course.catalog import Course, CourseError, Stage, load
from norch_course.holes import splice
from norch_course.workbook import Answer, answer_to, stub_text

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


class Ended(BaseException):
    """Stands for the end of the process that an answer asked for: there is none."""


def end(code: int) -> None:
    """Stand in for `os._exit`, which would end the page's Python with all that was told."""
    raise Ended(code)


def forget(below: tuple[str, ...]) -> None:
    """Drop what this interpreter has imported of norch but for the stages below the answer's.

    It is then imported anew, and finds the answer in its place.
    """
    kept = {"norch_course", *below}
    for name in list(sys.modules):
        package = name.partition(".")[0]
        if package.startswith("norch") and package not in kept:
            del sys.modules[name]


def here(tell: Tell) -> running.Judge:
    """Return a judge that works in this interpreter and tells the page all that it notes."""

    def judging(task: running.Task, notes: IO[bytes], printed: IO[bytes]) -> str:
        live_stack.bound()
        forget(task.below)
        usual = sys.stdout, sys.stderr, os._exit, sys.path[:], sys.meta_path[:]
        sys.path.insert(0, str(ROOT / "live" / "stand_in"))  # the tests of stage 1 import NumPy
        os.chdir(task.folder)
        sys.stdout = sys.stderr = Printed(printed, "printed", tell)
        os._exit = end
        tell("judging", "")
        try:
            judge.judge(judge.parse(["0", *task.words]), ToldText(notes, "note", tell))
        except (SystemExit, Ended) as ended:
            code = ended.args[0] if ended.args else 0
            return running.exit_problem(code) if code else ""
        except BaseException:  # the answer cannot even be imported: a process would end with 1
            traceback.print_exc()
            return running.exit_problem(1)
        finally:
            sys.stdout, sys.stderr, os._exit, sys.path[:], sys.meta_path[:] = usual
            os.chdir(ROOT)
            gc.collect()  # what an answer has filled memory with, errors may still hold
        return ""

    return judging


def was(told: str, output: str, problem: str) -> running.Judge:
    """Return a judge that repeats what was told by an interpreter that was ended."""

    def judging(task: running.Task, notes: IO[bytes], printed: IO[bytes]) -> str:
        notes.write(told.encode())
        printed.write(output.encode())
        return problem or running.too_late(task.limit)

    return judging


@cache
def course() -> Course:
    """Return the exercises; where a page has loaded none of a stage, there are none of it."""
    return load(ROOT)


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
    exercise = course().find(id)
    text = splice(stub_text(exercise), {id: body}, exercise.suffix)
    exercise.stub.parent.mkdir(parents=True, exist_ok=True)
    exercise.stub.write_text(text, encoding="utf-8")
    answer = answer_to(exercise)
    try:
        return json.dumps(said(grading.grade(exercise, answer, cache=None), answer))
    except Uncompiled as first:
        return json.dumps({"compile": first.args})
    except CourseError as error:  # nothing can be said of the answer
        return json.dumps({"status": error.status, "cases": 0, "line": None, "lines": [str(error)]})


def said(verdict: grading.Verdict, answer: Answer) -> dict[str, object]:
    """Return what the page shows of a verdict; lines count from the first of the answer."""
    line = verdict.line and verdict.line - answer.hole.begin
    last = answer.hole.end - answer.hole.begin
    told = report.what_is_wrong(verdict) if verdict.status == "wrong" else []
    return {
        "status": verdict.status,
        "cases": verdict.cases,
        "line": line if line and 0 < line < last else None,
        "lines": [line.removeprefix(report.MARGIN) for line in told],
    }
