"""Mine: the library with the learner's passing answers in it, and real programs run on that.

`make mnist MINE=1` trains with it, `make test-stage 1 MINE=1` runs a stage's whole suite on it.
Only answers that pass their own tests go in; what is missing is the library's. The packages are
made once for the same answers, in `build/course/mine`, and nothing is installed.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from norch_course import finish, lines
from norch_course.catalog import Course, CourseError, Exercise, Stage
from norch_course.compiling import compile_module
from norch_course.grading import cache_folder
from norch_course.holes import splice
from norch_course.running import ENGINE, copy_package
from norch_course.start import LESSONS
from norch_course.workbook import Answer

Answers = Mapping[str, Answer]


def build(course: Course, answers: Answers) -> Path:
    """Return the folder of the packages with these answers in them, made if it is not there."""
    home = cache_folder(course) / "mine"
    folder = home / _key(course, answers)
    if not folder.is_dir():
        shutil.rmtree(home, ignore_errors=True)
        unfinished = home / f"unfinished-{os.getpid()}"
        for stage in course.stages:
            mine = [one for one in course.of_stage(stage) if one.id in answers]
            if mine:
                _build_stage(stage, mine, answers, unfinished)
        unfinished.mkdir(parents=True, exist_ok=True)
        levels = json.dumps(lesson_levels(answers))
        (unfinished / LESSONS).write_text(levels, encoding="utf-8")
        unfinished.rename(folder)
    return folder


def packages(folder: Path) -> list[str]:
    """Name the packages that `build` has made."""
    return [path.name for path in sorted(folder.iterdir()) if path.is_dir()]


def lesson_levels(answers: Iterable[str]) -> dict[str, str]:
    """Say which lesson kernels of stage 2 the learner wrote: they do the library's own work then.

    Without this, 2.2 to 2.4 would be compiled and never called: the library has faster kernels.
    """
    blocked = "blocked" if "2.3" in answers else ""
    return {
        "large": "registers" if "2.4" in answers else blocked,
        "small": blocked,
        "sum": "pairwise" if "2.2" in answers else "",
    }


def _build_stage(stage: Stage, mine: list[Exercise], answers: Answers, folder: Path) -> None:
    """Copy a stage's package, and write the answers into it."""
    copy = folder / stage.package.name
    copy_package(stage, copy)
    sources = dict.fromkeys(one.source for one in mine)
    for source in sources:
        bodies = {one.id: answers[one.id].hole.body for one in mine if one.source == source}
        text = splice(source.read_text(encoding="utf-8"), bodies, source.suffix)
        (copy / stage.inside(source)).write_text(text, encoding="utf-8")
    compiled = [source for source in sources if source.suffix in (".h", ".cpp")]
    if compiled:
        names = ", ".join(source.name for source in compiled)
        print(f"compiling your {names} (about a minute, once)", flush=True)
        compile_module(stage, compiled, copy / "csrc", copy, quick=False)


def run(course: Course, answers: Answers, words: list[str], refused: Sequence[str] = ()) -> int:
    """Run a program (a file, or pytest) on the packages; return its exit code.

    `refused` are the exercises whose answers are wrong: the library's stand in for them.
    """
    for said in summary(course, answers, refused):
        print(said, flush=True)
    folder = build(course, answers)
    names = ",".join(packages(folder))
    paths = [str(ENGINE), *filter(None, [os.environ.get("PYTHONPATH")])]
    command = [sys.executable, "-m", "norch_course.start", str(folder), names, *words]
    with tempfile.TemporaryDirectory() as notes:
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), lines.NOTES: notes}
        code = subprocess.run(command, cwd=course.root, env=env, check=False).returncode
        if code == 0:
            finish.ran_in_mnist(course, answers, words, lines.read(Path(notes)))
    if code and answers:
        print(f"it failed with your own code in the library: {', '.join(answers)}", flush=True)
    return code


def summary(course: Course, answers: Answers, refused: Sequence[str] = ()) -> list[str]:
    """Say whose code will run, and whose will not."""
    count = len(course.exercises)
    said = [f"none of the {count} exercises passes yet: this is the library alone"]
    if answers:
        said = [f"with your own code in {len(answers)} of {count} places:"]
        said += [f"  {id:<5}{course.find(id).title}" for id in answers]
    if refused:
        whose = "its check refuses it" if len(refused) == 1 else "their checks refuse them"
        said.append(f"left out, because {whose}: {', '.join(refused)}")
    return said


def stage_tests(course: Course, number: str) -> list[str]:
    """Return the words that run a stage's whole suite."""
    folders = sorted((course.root / "stages").glob(f"{int(number):02}_*"))
    if not folders:
        raise CourseError(f"[course] there is no stage {number}")
    return ["pytest", "-q", str(folders[0].relative_to(course.root) / "tests")]


def _key(course: Course, answers: Answers) -> str:
    """Hash what the packages are made of."""
    digest = hashlib.sha256(sys.version.encode() + Path(__file__).read_bytes())
    for stage in course.stages:
        for path in stage.texts:
            digest.update(f"\0{path.name}\0".encode() + path.read_bytes())
    for id, answer in answers.items():
        digest.update(f"\0{id}\0{answer.hole.body}".encode())
    return digest.hexdigest()[:32]
