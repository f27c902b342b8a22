"""Projects: one open task a stage, held to properties instead of to an answer of ours.

`stages/NN/project/` has the task (README.md), the file as it is given, and checks.py, whose
functions marked `@claim("what")` each look at one property of the learner's copy of that file, in
the workbook. `make project 3` calls `check`, which writes the copy if it is not there, and looks at
it in a process of its own under the judge's limits: `main`. An answer and cheats lie in
`stages/NN/project/wrong/`; a gate holds the checks to them. The capstone, `make project 7`, lies in
`course/capstone/` in the same way: its properties are rungs of a ladder, each with a page to read.
"""

import importlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple, TextIO

from norch_course.catalog import Course, CourseError, Stage
from norch_course.holes import LANGUAGES
from norch_course.judge import COMPILER
from norch_course.running import Task, environment, judging, need_packages
from norch_course.seal import limit_resources
from norch_course.slips import crash
from norch_course.testing import error_text
from norch_course.workbook import write_whole

SECONDS = 30  # of a processor's time, for all properties of a file
CAPSTONE = "7"  # no stage has this number
CAPSTONE_STAGE = "02_*"  # whose arrays it stands on
CAPSTONE_SECONDS = 180  # its last rung trains: 3 to 7 with stage 2, about 40 in plain Python
LONGEST = 240  # characters of an error
MOST_PRINTED, LAST_LINES = 20_000, 5  # bytes of output that are read, lines that are shown
WIDTH = 20
PAUSE = 0.1  # seconds between two looks at what was noted

Claim = Callable[[Path], str]  # looks at one property of a file; returns what it measured


class NotYet(Exception):
    """A property that does not hold: what was measured, and what to do about it."""


class Finding(NamedTuple):
    """What came of one property."""

    what: str
    measured: str
    advice: str = ""  # where it does not hold
    page: str = ""  # of the book, for a rung of a ladder


class Project(NamedTuple):
    """The project of one stage, or the capstone."""

    number: str
    folder: Path  # of the task, the file as it is given and the checks
    workbook: Path  # the folder of the learner's copy
    stage: Stage  # whose package, and those below, it may use
    kept: dict[str, Path]  # the file as it is given, `answer` and each `cheat_...`, by their names

    @property
    def seconds(self) -> int:
        """What all properties may take of a processor's time."""
        return CAPSTONE_SECONDS if self.number == CAPSTONE else SECONDS

    @property
    def given(self) -> Path:
        """The file as the learner finds it."""
        return next(path for path in self.kept.values() if path.parent == self.folder)

    @property
    def file(self) -> Path:
        """The file that the learner edits."""
        return self.workbook / self.given.name


def claim(what: str, page: str = "") -> Callable[[Claim], Claim]:
    """Mark a function of checks.py: it returns what it measured, or raises NotYet(that, advice).

    Where what is claimed as `right` is not, nothing after it is looked at; so it is with what has
    a page of the book, a rung of a ladder.
    """

    def mark(function: Claim) -> Claim:
        function.claim = what  # type: ignore[attr-defined]
        function.page = page  # type: ignore[attr-defined]
        return function

    return mark


def projects(course: Course) -> list[Project]:
    """Return the projects that there are."""
    folders = [path.parent for path in sorted(course.root.glob("stages/*/project/checks.py"))]
    stages = [Stage(folder.parent) for folder in folders]
    found = [
        Project(stage.number, folder, stage.workbook / "project", stage, _kept(folder))
        for stage, folder in zip(stages, folders, strict=True)
    ]
    folder = course.root / "course" / "capstone"
    if (folder / "checks.py").exists():
        stage = Stage(next((course.root / "stages").glob(CAPSTONE_STAGE)))
        workbook = course.root / "workbook" / "capstone"
        found.append(Project(CAPSTONE, folder, workbook, stage, _kept(folder)))
    return found


def _kept(folder: Path) -> dict[str, Path]:
    return _sources(folder) | _sources(folder / "wrong")


def _sources(folder: Path) -> dict[str, Path]:
    """List the sources of a folder by their names, which are words; others leave theirs there."""
    found = (path for path in sorted(folder.iterdir()) if path.suffix in LANGUAGES)
    files = {path.stem: path for path in found if path.stem.isidentifier() and path.is_file()}
    return {name: path for name, path in files.items() if path.name != "checks.py"}


def write_missing(project: Project) -> None:
    """Write the learner's file as it is given, if it is not there.

    The given file was the learner's to edit once: what was written there comes along.
    """
    if not project.file.exists():
        project.file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(project.file, project.given.read_text(encoding="utf-8"))


def note_lines(project: Project) -> list[str]:
    """Say that the given file is not the one that git has: somebody wrote in the wrong file."""
    if not shutil.which("git"):
        return []
    command = ["git", "show", f"HEAD:./{project.given.name}"]
    git = subprocess.run(command, cwd=project.folder, capture_output=True, check=False)
    if git.returncode or git.stdout == project.given.read_bytes():
        return []
    given = os.path.relpath(project.given)
    return [
        f"     note: {given} was changed, and yours is {os.path.relpath(project.file)};",
        f"           git checkout HEAD {given} gives back what was given",
    ]


def _wait(finding: Finding) -> None:
    """Say nothing of a property until all are known."""


def findings(
    project: Project,
    file: Path,
    tell: Callable[[Finding], None] = _wait,
    output: list[str] | None = None,
) -> list[Finding]:
    """Look at the properties of a file in a process, whose crash is a finding too.

    `tell` gets each finding when it is there, `output` the last lines that the file printed. Raises
    CourseError where the packages of the stage are missing.
    """
    output = [] if output is None else output
    need_packages(project.stage)
    with (
        tempfile.TemporaryDirectory(prefix="norch-project-") as name,
        tempfile.TemporaryFile() as notes,
        tempfile.TemporaryFile() as printed,
    ):
        words = [str(path.resolve()) for path in (project.folder / "checks.py", file)]
        words.append(str(project.seconds))
        env = environment(project.stage, Path(name))
        task = Task(words, Path(name), env, project.seconds, "norch_course.projects")
        with following(notes, tell) as lines:
            problem = judging.get()(task, notes, printed)
        printed.seek(max(0, printed.seek(0, os.SEEK_END) - MOST_PRINTED))
        text = printed.read().decode("ascii", "backslashreplace")
        output += [line[:LONGEST] for line in text.split("\n") if line.strip()][-LAST_LINES:]
    found = [Finding(*line["found"]) for line in lines if "found" in line]
    if problem:
        last = lines[-1] if lines else {}
        asked, page = last.get("asked", "it runs"), last.get("page", "")
        advice = crash(problem) or (output[-1] if output else "make it run first.")
        found.append(Finding(asked, problem, advice, page))
        tell(found[-1])
    return found


@contextmanager
def following(notes: IO[bytes], tell: Callable[[Finding], None]) -> Iterator[list[dict[str, Any]]]:
    """Read notes while another process writes them; the list holds all of them at the end."""
    lines: list[dict[str, Any]] = []
    at, is_over = 0, threading.Event()

    def read() -> None:
        nonlocal at
        data = os.pread(notes.fileno(), os.fstat(notes.fileno()).st_size, at)  # and moves nothing
        whole = data[: data.rfind(b"\n") + 1]
        at += len(whole)
        for line in map(json.loads, whole.splitlines()):
            lines.append(line)
            if "found" in line:
                tell(Finding(*line["found"]))

    def read_on() -> None:
        while not is_over.wait(PAUSE):
            read()

    reader = threading.Thread(target=read_on, daemon=True)
    reader.start()
    try:
        yield lines
    finally:
        is_over.set()
        reader.join()
        read()


def check(course: Course, number: str) -> int:
    """Report on the project of a stage; return 0 when all its properties hold, else 1."""
    project = next((one for one in projects(course) if one.number == number), None)
    if project is None:
        raise CourseError(f"[course] stage {number} has no project")
    write_missing(project)
    task = project.folder / "README.md"
    title = task.read_text(encoding="utf-8").partition("\n")[0].partition(": ")[2]
    is_ladder = number == CAPSTONE  # it takes longer: each rung is told as soon as it holds
    output: list[str] = []
    if is_ladder:
        print(f"project {number}  {title}", flush=True)
    found = findings(project, project.file, tell if is_ladder else _wait, output)
    missed = any(one.advice for one in found)
    if not is_ladder:
        print(f"project {number}  {title:<50}{'not yet' if missed else 'ok'}")
        for one in found:
            tell(one)
    rows = [("printed", line) for line in output if missed]
    rows += [("done", "every rung holds")] if is_ladder and not missed else []
    rows += [("edit", os.path.relpath(project.file)), ("the task", os.path.relpath(task))]
    for name, words in rows:
        print(f"     {name:<{WIDTH}}{words}")
    print(*(f"{line}\n" for line in note_lines(project)), sep="", end="")
    return 1 if missed else 0


def tell(finding: Finding) -> None:
    """Print what came of one property, and what to do about it."""
    what, measured, advice, page = finding
    print(f"     {what:<{WIDTH}}{measured}: {'not yet' if advice else 'ok'}", flush=True)
    if advice:
        print(f"     {'':<{WIDTH}}{advice}")
    if advice and page:
        print(f"     {'read':<{WIDTH}}book/{page}.md")


# ---- In the process of its own -------------------------------------------------------------------


def look(checks: Path, file: Path, notes: TextIO) -> None:
    """Look at each property of a file, and note what came of it at once."""
    spec: Any = importlib.util.spec_from_file_location("checks", checks)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    claims = {item.claim: item for item in vars(module).values() if hasattr(item, "claim")}
    for what, function in claims.items():
        page = function.page
        print(json.dumps({"asked": what, "page": page}), file=notes, flush=True)
        found = finding(what, function, file)._replace(page=page)
        print(json.dumps({"found": found}), file=notes, flush=True)
        if found.advice and (page or what == "right"):
            break


def finding(what: str, function: Claim, file: Path) -> Finding:
    """Look at one property; an error is told in one line, with the line of the file."""
    try:
        return Finding(what, function(file))
    except NotYet as missed:
        return Finding(what, *missed.args)
    except (Exception, SystemExit) as error:
        refused = COMPILER.search(str(error))
        asked = [f"{note} " for note in getattr(error, "__notes__", [])]  # when it arose
        words = f"does not compile: {refused[1]}" if refused else error_text(error)
        words = "".join([*asked, words])[:LONGEST]
        frames = traceback.extract_tb(error.__traceback__)
        lines = [str(frame.lineno) for frame in frames if frame.filename == str(file)]
        lines = lines or re.findall(rf"\b{re.escape(file.name)}:(\d+)", str(error))
        where = f" at {file.name}:{lines[-1]}" if lines else ""
        return Finding(what, words, f"it has to run before it is measured: look{where}.")


def main() -> None:
    """Look at a file in this process: `5 CHECKS FILE 30`, where 5 is the open file of notes."""
    number, checks, file, seconds = sys.argv[1:]
    limit_resources(int(seconds))
    os.set_inheritable(int(number), False)
    look(Path(checks), Path(file), os.fdopen(int(number), "w", encoding="utf-8"))
    sys.stdout.flush()
    os._exit(0)  # whatever the file has left running


if __name__ == "__main__":
    # As the module that checks.py imports too: its NotYet must be this one's.
    importlib.import_module("norch_course.projects").main()
