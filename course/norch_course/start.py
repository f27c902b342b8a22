"""Starts a program on the library with a learner's answers in it: `mine.py` calls this.

    python -m norch_course.start FOLDER PACKAGE,PACKAGE PROGRAM ARGUMENT...

The packages are found in FOLDER, all others where they are installed. PROGRAM is a file, or
`pytest`, or `launch`, whose arguments are the launcher's: each process it starts begins here too.
"""

import json
import os
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

from norch_course.lines import Watch, WatchedFinder

LESSONS = "lessons.json"  # in FOLDER: which lesson kernels do the library's work
MODULES = ("pytest", "norch_ddp.launch.bootstrap")


def main() -> None:
    """Put the packages in front, then become the program."""
    me = [sys.executable, "-m", "norch_course.start", *sys.argv[1:3]]
    _, folder, packages, program, *arguments = sys.argv
    watch = Watch()
    put_in_front(Path(folder), [*filter(None, packages.split(","))], watch)
    use_lessons(Path(folder) / LESSONS)
    sys.argv = [program, *arguments]
    try:
        if program == "launch":
            launch(me, arguments)
        elif program in MODULES:
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            sys.path[0] = str(Path(program).resolve().parent)
            runpy.run_path(program, run_name="__main__")
    finally:
        watch.leave()


def put_in_front(folder: Path, packages: Sequence[str], watch: Watch) -> None:
    """Let these packages be found in the folder from now on, and their answers be watched."""
    sys.meta_path[:0] = [WatchedFinder(name, folder, watch) for name in packages]


def use_lessons(path: Path) -> None:
    """Let the learner's lesson kernels do the products and sums of stage 2."""
    levels = json.loads(path.read_text(encoding="utf-8"))
    if any(levels.values()):
        from norch_cpu_ops import _cpu

        _cpu.use_lessons(**levels)


def launch(starter: list[str], arguments: list[str]) -> None:
    """Become stage 6's launcher; every rank starts as this process did."""
    from norch_ddp.launch import run

    command = run.build_command(run.parse(arguments), python=starter)
    os.execve(command[0], command, run.environment())


if __name__ == "__main__":
    main()
