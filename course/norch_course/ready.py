"""Ready: whether a check has to compile something first, and what to say before it does.

`make next` says it, so that nobody is surprised by the first check of a stage that runs on stage 2.
Compiling is the Makefile's work; this only looks and speaks.
"""

import os

from norch_course.catalog import CourseError, Exercise
from norch_course.running import need_packages

WORK = 60  # seconds of a processor, measured: tools/setup_env.py says the same
ALONE = 8  # of them those that only one core can work on


def seconds(cores: int) -> int:
    """Return how long compiling takes about, in fives."""
    return 5 * round((ALONE + (WORK - ALONE) / cores) / 5)


def lines(exercise: Exercise) -> list[str]:
    """Say that the first check compiles, where it does."""
    try:
        need_packages(exercise.stage)
    except CourseError:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        return [
            f"     once      the first make check {exercise.id} compiles what stages 2 to 6 run "
            f"on: about {seconds(cores or 1)} s on {cores} cores,",
            "               with a C++ compiler and Python's headers (make doctor looks for them)",
        ]
    return []
