"""Running: one answer spliced into the reference, judged in a process of its own.

The answer lies in a temporary folder and is found before the library's own text, so nothing has to
be installed. A crash, an endless loop and an early exit are results here, not accidents. A page of
the book has no processes: it puts a judge of its own into `judging`, a compiler into `compiler`.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, NamedTuple

from norch_course import machine
from norch_course.catalog import BESIDE, CourseError, Exercise, Stage
from norch_course.compiling import CompileError, compile_module
from norch_course.gate import STEPS_FILE
from norch_course.holes import splice
from norch_course.seal import BUILT
from norch_course.testing import agree

ENGINE = Path(__file__).resolve().parent.parent
TIME_LIMIT = 10  # seconds of a processor's time for the tests of one exercise
INHERITED = ("PATH", "CC", "CXX", "NORCH_CACHE", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")
SETTINGS = {  # of every judge
    "PYTHONIOENCODING": "utf-8:backslashreplace",
    "PYTHONHASHSEED": "0",
    "LC_ALL": "C",  # compilers then speak English, in ASCII
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
FORGED = "wrote notes that are not the judge's"
NOTES = 16 << 20  # bytes of notes that are read
PRINTED = 20_000  # bytes of what an answer printed
CHOICE = """#include <cstdlib>
static const int norch_variant = std::atoi(std::getenv("NORCH_VARIANT"));
#line 1
"""
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
    wanted: str = ""  # what is expected, as data to compare
    data: str = ""  # what came of it, as data: of the first that was not met
    forms: tuple[str, ...] = ()  # of input (forms.py), that came in for the first time


class Task(NamedTuple):
    """What a judge is to do: the words of its command after the file of notes, and where."""

    words: list[str]
    folder: Path
    env: dict[str, str]
    limit: int  # seconds of a processor's time
    program: str = "norch_course.judge"
    below: tuple[str, ...] = ()  # the packages of the stages below
    is_sealed: bool = False


# Judges, writes notes and what the answer printed, and returns what went wrong, or nothing.
Judge = Callable[[Task, IO[bytes], IO[bytes]], str]


@dataclass(frozen=True)
class Run:
    """What a run left: its records, how many tests it had, and how it ended if not by itself."""

    records: tuple[Record, ...]
    tests: int
    problem: str  # empty when the judge came to its end
    asked: str  # the call at which it stopped, if it did
    output: str  # what the answer printed
    line: int | None = None  # of the spliced file, where it does not compile
    watched: Mapping[str, Any] = field(default_factory=dict)  # what the gate saw


def run(
    text: str,
    exercise: Exercise,
    judged: Iterable[Exercise],
    key: Sequence[Record] | None = None,
) -> Run:
    """Put `text` in the place of the exercise's reference file and run the tests of `judged`.

    With a `key`, the records of the reference, the judge is sealed and learns of no result: it
    says what the answer gives, and this process compares. Raises CourseError where the machine is
    to blame.
    """
    need_packages(exercise.stage)
    with machine.blamed(), tempfile.TemporaryDirectory(prefix="norch-check-") as name:
        folder = Path(name)
        try:
            answer = overlay(text, exercise, folder, is_sealed=key is not None)
        except CompileError as error:
            return Run((), 0, error.words, "", "", error.line)
        return _judge(folder, answer, exercise, list(judged), key)


def run_variants(exercise: Exercise, bodies: Sequence[str]) -> list[Run]:
    """Run several bodies of a hole in C++, compiled at once; each process chooses its own.

    Raises CompileError where one of them does not compile.
    """
    need_packages(exercise.stage)
    branches = [f"if (norch_variant == {n}) {{\n{body}}}" for n, body in enumerate(bodies[:-1])]
    hole = " else ".join([*branches, f"{{\n{bodies[-1]}}}\n"])
    text = CHOICE + splice(exercise.reference, {exercise.id: hole}, exercise.suffix)
    package = exercise.stage.package.name
    with machine.blamed(), tempfile.TemporaryDirectory(prefix="norch-variants-") as name:
        answer = overlay(text, exercise, Path(name))

        def one(number: int) -> Run:
            with tempfile.TemporaryDirectory(prefix="norch-check-") as own:
                folder = Path(own)
                (folder / package).symlink_to(Path(name) / package)
                variant = {"NORCH_VARIANT": str(number)}
                return _judge(folder, answer, exercise, [exercise], None, variant)

        return [one(number) for number in range(len(bodies))]


def _judge(
    folder: Path,
    answer: Path,
    exercise: Exercise,
    judged: Sequence[Exercise],
    key: Sequence[Record] | None,
    variables: Mapping[str, str] | None = None,
) -> Run:
    """Run the tests of `judged` on what lies in a folder."""
    stage = exercise.stage
    files = dict.fromkeys(path for one in judged for path in stage.test_files(one.id))
    ids = ",".join(one.id for one in judged)
    limit = TIME_LIMIT * len(judged)
    # Open files without names: a judge can write to them, and to nobody else's.
    with tempfile.TemporaryFile() as notes, tempfile.TemporaryFile() as printed:
        words: list[object] = [*gate_words(exercise, judged)]
        words += [answer, module_of(exercise), limit, ids, *files]
        words += [] if key is None else ["--blind", exercise.source, ENGINE, *sources(stage)]
        env = environment(stage, folder, is_sealed=key is not None) | dict(variables or {})
        if exercise.suffix == ".py":
            env["NORCH_CORE"] = "0"  # the library's own answer too runs as the text that it is
        below = tuple(packages(sources(stage)[:-1]))
        plain = [str(word) for word in words]
        task = Task(plain, folder, env, limit, below=below, is_sealed=key is not None)
        problem = judging.get()(task, notes, printed)
        return _read(notes, printed, problem, key)


def gate_words(exercise: Exercise, judged: Sequence[Exercise]) -> list[str]:
    """Return what the gate of an answer in Python has to know; several at once have none."""
    if exercise.suffix != ".py" or len(judged) > 1:
        return []
    steps = exercise.stage.wrong / STEPS_FILE
    return [f"--changes={','.join(exercise.changes)}", f"--steps={steps}"]


def overlay(text: str, exercise: Exercise, folder: Path, is_sealed: bool = False) -> Path:
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
    copy_package(stage, copy)
    answer = copy / stage.inside(exercise.source)
    answer.write_text(text, encoding="utf-8")
    if exercise.suffix != ".cu":
        edited = [] if text == exercise.reference else [exercise.source]
        compiler.get()(stage, edited, copy / "csrc", copy, is_sealed=is_sealed)
    return answer


def copy_package(stage: Stage, copy: Path) -> None:
    """Copy a stage's package, with what is compiled inside it, where the package looks first."""
    shutil.copytree(stage.package, copy, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for name in BESIDE:
        if (stage.folder / name).is_dir():
            shutil.copytree(stage.folder / name, copy / name, dirs_exist_ok=True)


def module_of(exercise: Exercise) -> str:
    """Return the name of what the answer stands in for: a module, or a package with kernels."""
    package = exercise.stage.package
    if exercise.suffix != ".py":
        return package.name
    return ".".join(exercise.source.relative_to(package.parent).with_suffix("").parts)


def environment(stage: Stage, folder: Path, is_sealed: bool = False) -> dict[str, str]:
    """Return the environment of a judge: the overlay, the engine, then the stages up to this one.

    A stage that is compiled is found where it is installed. A sealed judge inherits only what
    finds programs and compilers, and has no home but its folder.
    """
    below = [path for path in sources(stage) if not (path.parent / "csrc").is_dir()]
    paths = [folder, ENGINE, *reversed(below)]
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    if is_sealed:
        kept = {key: value for key, value in kept.items() if key in INHERITED}
        kept[BUILT] = str(built_kernels())
        kept["NORCH_CACHE"] = str(folder / "kernels")
        kept |= {"HOME": str(folder), "TMPDIR": str(folder)}
    return {**kept, "PYTHONPATH": os.pathsep.join(map(str, paths)), **SETTINGS}


def built_kernels() -> Path:
    """Return where this user's compiled kernels lie, which a sealed judge only reads."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(os.environ.get("NORCH_CACHE") or Path(caches) / "norch")


def need_packages(stage: Stage) -> None:
    """Raise CourseError where what the stage runs on is not installed."""
    compiled = [path for path in sources(stage) if (path.parent / "csrc").is_dir()]
    missing = [name for name in packages(compiled) if not find_spec(name)]
    if missing:
        raise CourseError(
            f"[course] not judged: stage {stage.number} runs on {missing[0]}, which is not "
            f"installed: make check {stage.number} compiles it, once"
        )


def sources(stage: Stage) -> list[Path]:
    """Return where the packages of the stages up to this one lie."""
    found = sorted(stage.folder.parent.glob("*/src"))
    return [path for path in found if path.parent <= stage.folder]


def packages(folders: Iterable[Path]) -> list[str]:
    """List the packages that lie in some folders."""
    found = (path for folder in folders for path in folder.glob("*/__init__.py"))
    return [path.parent.name for path in found]


def in_a_process(task: Task, notes: IO[bytes], printed: IO[bytes]) -> str:
    """Run the judge in a process; return what went wrong with that, or nothing."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", task.program, str(notes.fileno()), *task.words],
        cwd=task.folder,
        env=task.env,
        stdin=subprocess.DEVNULL,
        stdout=printed,
        stderr=subprocess.STDOUT,
        pass_fds=(notes.fileno(),),
        start_new_session=True,
    )
    try:
        code, seconds = wait(process, task.limit * PATIENCE)
        if code is None:
            return too_long(process.pid, task.limit)
        return went_wrong(code, seconds, task.limit)
    finally:
        end(process.pid, task.folder)
        process.wait()


def wait(process: subprocess.Popen[bytes], seconds: float) -> tuple[int | None, float]:
    """Wait for a process; return its exit code (None: it has not ended) and its processor time."""
    last, pause = time.monotonic() + seconds, 0.001
    while time.monotonic() < last:
        found, status, used = os.wait4(process.pid, os.WNOHANG)
        if found:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, used.ru_utime + used.ru_stime
        time.sleep(pause)
        pause = min(2 * pause, 0.02)
    return None, 0.0


def too_long(group: int, limit: int) -> str:
    """Say that a judge did nothing in all its time; CourseError where it had no processor."""
    seconds = limit * PATIENCE
    if machine.is_starved(group, seconds):
        raise machine.not_judged(machine.BUSY)
    return f"gave no answer within {seconds} seconds, and did nothing: what does it wait for?"


def went_wrong(code: int, seconds: float, limit: int) -> str:
    """Say what the exit code of a judge means, or nothing if all is well.

    `seconds` of a processor's time tell an end by its own limit from one by somebody else.
    """
    if code == -signal.SIGXCPU or (code == -signal.SIGKILL and seconds >= limit):
        return too_late(limit)
    if code in (-signal.SIGKILL, -signal.SIGTERM):
        raise machine.not_judged(machine.KILLED)
    if code < 0:
        return f"crashed ({signal.Signals(-code).name})"
    return exit_problem(code) if code else ""


judging: ContextVar[Judge] = ContextVar("judging", default=in_a_process)
compiler: ContextVar[Callable[..., None]] = ContextVar("compiler", default=compile_module)


def too_late(limit: int) -> str:
    """Say that an answer used up its time."""
    return f"gave no answer within {limit} seconds: is there a loop that never ends?"


def is_late(problem: str) -> bool:
    """Tell whether what went wrong is that time ran out, which a busy machine brings about too."""
    return problem.startswith(("gave no answer within ", "does not compile within "))


def exit_problem(code: object) -> str:
    """Say that an answer ended Python itself."""
    return f"ended Python (exit code {code})"


def end(group: int, folder: Path) -> None:
    """End a judge and whatever it has started; what left its group still names its folder."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
    mark = str(folder).encode()
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if mark in path.read_bytes():
                os.kill(int(path.parent.name), signal.SIGKILL)


def _text_of(file: IO[bytes], most: int) -> str:
    """Return what was written, as far as it counts; a page has no room for more than there is."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    return file.read(min(size, most)).decode("utf-8", "backslashreplace")


def _read(notes: IO[bytes], printed: IO[bytes], problem: str, key: Sequence[Record] | None) -> Run:
    """Read what the judge wrote before it ended, and compare it with what is expected."""
    output, text = (_text_of(file, most) for file, most in ((printed, PRINTED), (notes, NOTES)))
    whole = text[: text.rfind("\n") + 1]  # a judge that is ended may have begun another line
    try:
        lines = [json.loads(line) for line in whole.splitlines()]
        told = [line for line in lines if "shown" in line]
        records = tuple(map(_record, told, told if key is None else map(asdict, key)))
        tests = next((int(line["done"]) for line in lines if "done" in line), None)
        watched = next((dict(line["watched"]) for line in lines if "watched" in line), {})
        asked = str(lines[-1]["asked"]) if lines and "asked" in lines[-1] else ""
        records = with_data(records, told)
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        return Run((), 0, problem or FORGED, "", output)
    if not problem and (tests is None or (key and len(told) != len(key))):
        problem = "ended Python before the tests were through"
    if any(record.shown != line["shown"] for record, line in zip(records, told, strict=False)):
        problem = problem or FORGED
    return Run(records, tests or 0, problem, asked, output, watched=watched)


def with_data(records: tuple[Record, ...], told: Sequence[dict[str, Any]]) -> tuple[Record, ...]:
    """Keep whole what came of the first call that was not met: a report shows where it differs."""
    missed = next((n for n, record in enumerate(records) if not record.right), None)
    if missed is None:
        return records
    one = replace(records[missed], data=told[missed]["data"] or "")
    return (*records[:missed], one, *records[missed + 1 :])


def _record(line: dict[str, Any], key: dict[str, Any]) -> Record:
    """Return the record of one call; what is expected stands in the key."""
    wanted, got, at = str(key["wanted"]), line["data"], line["line"]
    right = isinstance(got, str) and agree(got, wanted)
    shown, expected = str(key["shown"]), str(key["expected"])
    at = int(at) if at is not None else None
    forms = tuple(map(str, line.get("forms", ())))
    facts = (str(key["exercise"]), shown, str(line["got"]), expected, right, at, wanted)
    return Record(*facts, forms=forms)
