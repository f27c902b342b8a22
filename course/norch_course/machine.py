"""The machine: what it, and not an answer, did to a judge. No processor, memory, disk or program.

`running.py`, `compiling.py` and `grading.py` ask here before they call an answer wrong. What is
found is raised as a CourseError, whose status is "not judged", with the reason and how to mend it.
Nothing here starts or ends a process.
"""

import errno
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from norch_course.catalog import CourseError

FREE = "end other programs, or wait until they are done, and check again"
DISK = "the disk is full: make room on it, and check again"
BUSY = f"the machine was too busy to judge it: {FREE}"
MEMORY = f"the machine has no memory or processes to spare: {FREE}"
KILLED = f"it was ended from outside, as systems do that run out of memory: {FREE}"
LINUX = "whole CUDA programs are judged on Linux, or on Windows in WSL"
INSTALL = "install the compiler again: make doctor says which is missing"
REASONS = {
    errno.ENOSPC: DISK,
    errno.EDQUOT: DISK,
    errno.EAGAIN: MEMORY,
    errno.ENOMEM: MEMORY,
    errno.ENFILE: MEMORY,
}
# What a compiler or an answer is told by the system, and what that comes to.
WORDS = {
    r"No space left on device|Disk quota exceeded": DISK,
    r"Killed signal terminated|terminated with signal 9|can't start new thread": MEMORY,
    rf"\[Errno ({'|'.join(str(number) for number in REASONS)})\]": MEMORY,
    r"\[norch-nvcc\] whole programs run on Linux": LINUX,
    r"\[cuda-sim\] no C\+\+ compiler|cannot execute '?\w+|No such file or directory: '[^']*\+\+'": (
        INSTALL
    ),
}


def not_judged(reason: str) -> CourseError:
    """Return the error for an answer of which nothing can be said."""
    return CourseError(f"[course] not judged: {reason}")


@contextmanager
def blamed() -> Iterator[None]:
    """Raise what the system refuses to this process, which runs no answer, as the machine's."""
    try:
        yield
    except MemoryError:
        raise not_judged(MEMORY) from None
    except RuntimeError as error:  # of threads
        look_at(str(error))
        raise
    except subprocess.CalledProcessError as error:
        raise not_judged(f"{error.cmd[0]} fails: make setup") from None
    except OSError as error:
        what = f"{error.filename}: " if error.filename else ""
        usual = f"{what}{error.strerror or error}: see that it is there and can be used"
        raise not_judged(REASONS.get(error.errno or 0, usual)) from None


def look_at(words: str) -> None:
    """Raise where the words of an error, or of a compiler, are about the machine."""
    for pattern, reason in WORDS.items():
        if re.search(pattern, words):
            raise not_judged(reason)


def is_starved(group: int, seconds: float) -> bool:
    """Tell whether the processes of a group had work to do in most of the last `seconds`.

    Then they got too little of a processor: one that waits for what never comes has no work.
    """
    worked, is_stuck = 0.0, False
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            fields = path.read_text().rpartition(")")[2].split()
            if int(fields[2]) == group:
                worked += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
                worked += _waited(path.parent)
                is_stuck |= fields[0] == "D"  # it waits for a disk
    return is_stuck or worked > seconds / 2


def _waited(process: Path) -> float:
    """Return the seconds in which the threads of a process waited for a processor."""
    waited = 0
    for path in process.glob("task/*/schedstat"):
        with suppress(OSError):
            waited += int(path.read_text().split()[1])
    return waited / 1e9
