"""Starts a program on the library with a learner's answers in it: `mine.py` calls this.

    python -m norch_course.start FOLDER PACKAGE,PACKAGE PROGRAM ARGUMENT...

The packages are found in FOLDER, all others where they are installed. PROGRAM is a file, or
`pytest`.
"""

import runpy
import sys
from pathlib import Path

from norch_course.finder import OverlayFinder


def main() -> None:
    """Put the packages in front, then become the program."""
    _, folder, packages, program, *arguments = sys.argv
    finders = [OverlayFinder(name, Path(folder)) for name in packages.split(",") if name]
    sys.meta_path[:0] = finders
    sys.argv = [program, *arguments]
    if program == "pytest":
        runpy.run_module("pytest", run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = str(Path(program).resolve().parent)
        runpy.run_path(program, run_name="__main__")


if __name__ == "__main__":
    main()
