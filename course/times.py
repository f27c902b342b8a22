"""Measures an edit and its check, from `make check 1.6` typed to the report, for every exercise.

`python course/times.py [1.6 ...] [--rounds 3]` works in a copy of this folder, so that nobody's
answers are touched. Each answer is edited before each check, so that nothing is remembered: three
times the right one, three times a known wrong one, whose report also names the misconception. The
medians are printed, by the clock and of the processors' work; the work is held against the bound,
because the clock also counts what else the machine does. The exit code is 1 if a bound is exceeded.
"""

import argparse
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

from norch_course.catalog import Course, Exercise, load
from norch_course.holes import LANGUAGES, find_hole, splice
from norch_course.workbook import stub_text

ROOT = Path(__file__).resolve().parent.parent
BUILD = "stages/02_cpu_ops/build"
STAMPS = ("ready-course", "ready-learn")  # of the Makefile: nothing is left to install or compile
LEFT_OUT = shutil.ignore_patterns(
    "__pycache__", ".*", "build", "_build", "*.so", "runs", "workbook"
)


def bound(exercise: Exercise) -> float:
    """Return the seconds that a check may take."""
    return 1.5 if exercise.suffix == ".py" else 6.0


def copy_to(folder: Path) -> Course:
    """Copy the repository, without what is only built; return the course in the copy."""
    shutil.copytree(ROOT, folder, ignore=LEFT_OUT)
    (folder / BUILD).symlink_to(ROOT / BUILD)
    link_environment(ROOT / ".venv", folder / ".venv")
    (folder / "build").mkdir()
    (folder / "build" / "faces").touch()
    return load(folder)


def link_environment(built: Path, copy: Path) -> None:
    """Give the copy an environment that is this one by links, and stamps that name the copy.

    With another folder's stamps, make would install the copy in this folder's environment.
    """
    if not (built / STAMPS[-1]).exists():
        sys.exit("[course] stage 2 is not compiled here, and its checks are measured: make setup")
    copy.mkdir()
    for path in built.iterdir():
        if not path.name.startswith("ready-"):
            (copy / path.name).symlink_to(path)
    for name in STAMPS:
        (copy / name).write_text(f"{copy.parent.resolve()}\n", encoding="utf-8")


def measure(course: Course, exercise: Exercise, body: str) -> tuple[float, float, str]:
    """Edit the answer, check it, and return the clock's seconds, the work's and the report."""
    comment = f"{LANGUAGES[exercise.suffix].comment} {uuid.uuid4()}\n"
    stub = stub_text(exercise)
    text = splice(stub, {exercise.id: comment + body}, exercise.suffix)
    exercise.stub.parent.mkdir(parents=True, exist_ok=True)
    exercise.stub.write_text(text, encoding="utf-8")
    began, before = time.monotonic(), work()
    command = ["make", "check", exercise.id]
    report = subprocess.run(command, cwd=course.root, capture_output=True, text=True, check=False)
    exercise.stub.write_text(stub, encoding="utf-8")
    return time.monotonic() - began, work() - before, report.stdout + report.stderr


def work() -> float:
    """Return the processor seconds of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def row(course: Course, exercise: Exercise, rounds: int) -> tuple[str, bool]:
    """Return the line of the table, and whether both answers stay below the bound."""
    right = find_hole(exercise.reference, exercise.suffix, exercise.id).body
    given = exercise.stage.given.get(exercise.id)
    wrong = next(one for one in exercise.wrong if one.body != given)
    found, works = "", []
    for body, expected in ((right, "ours: make solution"), (wrong.body, "stuck?    make hint")):
        seen = [measure(course, exercise, body) for _ in range(rounds)]
        if not all(expected in report for _, _, report in seen):
            sys.exit(f"{exercise.id}: no '{expected}' in\n{seen[-1][2]}")
        clock = statistics.median(one[0] for one in seen)
        spent = statistics.median(one[1] for one in seen)
        works.append(spent)
        found += f"   {clock:5.2f} {spent:5.2f}"
    fits = max(works) < bound(exercise)
    verdict = (
        f"   below {bound(exercise):g} s" if fits else f"   TOO SLOW for {bound(exercise):g} s"
    )
    return f"{exercise.id:<5}{exercise.suffix:<5}{found}{verdict}", fits


def main() -> None:
    """Measure the exercises that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ids", nargs="*")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    print("seconds     right answer   wrong answer\n             clock  work    clock  work")
    with tempfile.TemporaryDirectory(prefix="norch-times-") as name:
        course = copy_to(Path(name) / "norch")
        ids = given.ids or list(course.exercises)
        slow = 0
        for id in ids:
            line, fits = row(course, course.find(id), given.rounds)
            slow += not fits
            print(line, flush=True)
    print(f"{len(ids)} exercises, {slow} too slow")
    sys.exit(bool(slow))


if __name__ == "__main__":
    main()
