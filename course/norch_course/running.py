"""Running: one answer spliced into the reference, judged in a process of its own.

The answer lies in a temporary folder and is found before the library's own text, so nothing has to
be installed. A crash, an endless loop and an early exit are results here, not accidents.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from norch_course.catalog import Exercise, Stage
from norch_course.compiling import CompileError, compile_module

ENGINE = Path(__file__).resolve().parent.parent
TIME_LIMIT = 10  # seconds of a processor's time for the tests of one exercise
PATIENCE = 4  # so many times longer by the clock: the machine may have other work to do


@dataclass(frozen=True)
class Record:
    """One expectation: the call, what came of it, what should have."""

    exercise: str
    shown: str
    got: str
    expected: str
    right: bool
    line: int | None  # of the spliced file, where an error arose in it


@dataclass(frozen=True)
class Run:
    """What a run left: its records, how many tests it had, and how it ended if not by itself."""

    records: tuple[Record, ...]
    tests: int
    problem: str  # empty when the judge came to its end
    asked: str  # the call at which it stopped, if it did
    output: str  # what the answer printed
    line: int | None = None  # of the spliced file, where it does not compile


def run(
    text: str,
    exercise: Exercise,
    judged: Iterable[Exercise],
) -> Run:
    """Put `text` in the place of the exercise's reference file and run the tests of `judged`."""
    judged = list(judged)
    stage = exercise.stage
    with tempfile.TemporaryDirectory(prefix="norch-check-") as name:
        folder = Path(name)
        try:
            answer = overlay(text, exercise, folder)
        except CompileError as error:
            return Run((), 0, error.words, "", "", error.line)
        notes, printed = folder / "notes.jsonl", folder / "printed.txt"
        files = dict.fromkeys(path for one in judged for path in stage.test_files(one.id))
        ids = ",".join(one.id for one in judged)
        limit = TIME_LIMIT * len(judged)
        command = [sys.executable, "-P", "-m", "norch_course.judge", notes, answer]
        command += [module_of(exercise), limit, ids, *files]
        with printed.open("wb") as output:
            problem = _watch(command, folder, environment(stage, folder), output, limit)
        return _read(notes, printed, problem)


def overlay(text: str, exercise: Exercise, folder: Path) -> Path:
    """Write `text` into `folder`, as the judge wants it; return that file.

    Python is one module that stands in for the library's. Otherwise the package is copied: CUDA
    sources lie inside it, where stage 3 looks first; C++ is compiled.
    """
    stage, package = exercise.stage, exercise.stage.package
    if exercise.suffix == ".py":
        answer = folder / exercise.source.name
        answer.write_text(text, encoding="utf-8")
        return answer
    copy = folder / package.name
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    csrc = copy / "csrc"
    shutil.copytree(stage.folder / "csrc", csrc)
    answer = csrc / exercise.source.relative_to(stage.folder / "csrc")
    answer.write_text(text, encoding="utf-8")
    if exercise.suffix != ".cu":
        edited = [] if text == exercise.reference else [exercise.source]
        compile_module(stage, edited, csrc, copy)
    return answer


def module_of(exercise: Exercise) -> str:
    """Return the name of what the answer stands in for: a module, or a package with kernels."""
    package = exercise.stage.package
    if exercise.suffix != ".py":
        return package.name
    return ".".join(exercise.source.relative_to(package.parent).with_suffix("").parts)


def environment(stage: Stage, folder: Path) -> dict[str, str]:
    """Return the environment of a judge: the overlay, the engine, then the stages up to this one.

    A stage that is compiled is found where it is installed.
    """
    below = [
        path / "src"
        for path in sorted(stage.folder.parent.iterdir())
        if path <= stage.folder and (path / "src").is_dir() and not (path / "csrc").is_dir()
    ]
    paths = [folder, ENGINE, *reversed(below)]
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    return {
        **kept,
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "PYTHONIOENCODING": "utf-8:backslashreplace",
        "PYTHONHASHSEED": "0",
        "LC_ALL": "C",  # compilers then speak English, in ASCII
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


def _watch(command: list, folder: Path, env: dict[str, str], output: IO[bytes], limit: int) -> str:
    """Run the judge; return what went wrong with the process, or nothing."""
    process = subprocess.Popen(
        [str(word) for word in command],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        code = process.wait(limit * PATIENCE)
    except subprocess.TimeoutExpired:
        seconds = limit * PATIENCE
        return f"gave no answer within {seconds} seconds, and did nothing: what does it wait for?"
    finally:
        _end(process)
    if code == -signal.SIGXCPU:  # the judge set this limit itself
        return f"gave no answer within {limit} seconds: is there a loop that never ends?"
    if code < 0:
        return f"crashed ({signal.Signals(-code).name})"
    return f"ended Python (exit code {code})" if code else ""


def _end(process: subprocess.Popen) -> None:
    """End the judge and whatever it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _read(notes: Path, printed: Path, problem: str) -> Run:
    """Read what the judge wrote before it ended."""
    text = notes.read_text(encoding="utf-8") if notes.exists() else ""
    whole = text[: text.rfind("\n") + 1]  # a judge that is ended may have begun another line
    lines = [json.loads(line) for line in whole.splitlines()]
    records = tuple(Record(**line) for line in lines if "shown" in line)
    tests = next((line["done"] for line in lines if "done" in line), None)
    asked = lines[-1]["asked"] if lines and "asked" in lines[-1] else ""
    if tests is None and not problem:
        problem = "ended Python before the tests were through"
    with printed.open(encoding="utf-8", errors="backslashreplace") as file:
        output = file.read(20_000)
    return Run(records, tests or 0, problem, asked, output)
