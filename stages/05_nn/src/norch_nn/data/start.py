"""How a data worker begins: as a copy of this process (fork), or as a new one (forkserver, spawn).

A new process imports the program first; the dataset is then its first message. What keeps it from
that is said in one sentence. Where no context is given multiprocessing's default decides, as in
PyTorch: on Linux that is fork before Python 3.14, and forkserver since.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from multiprocessing.context import BaseContext
from typing import Any

from norch_nn.data.worker import FORK, Job, dumps

NAME = "norch-data-"
UNGUARDED = 97  # how a new process ends that would start workers while it imports the program
MEND = f'put the loop under if __name__ == "__main__":, {FORK}'
GUARD = (
    "[DataLoader] a worker began as a new process, which imported this program and ended there: "
    f"{MEND}"
)
NO_SERVER = (
    "[DataLoader] the process that forks the workers ended while it imported this program; what it "
    f"printed says why. If it came to this loop: {MEND}"
)


def find_context(given: Any) -> Any:
    """Return a context of multiprocessing for a DataLoader: the one given or named, or the default.

    >>> find_context("spawn").get_start_method()
    'spawn'
    """
    methods = multiprocessing.get_all_start_methods()
    if isinstance(given, BaseContext):
        return given
    if given is None or given in methods:
        return multiprocessing.get_context(given)
    raise (ValueError if isinstance(given, str) else TypeError)(
        f"[DataLoader] multiprocessing_context must be one of {', '.join(methods)}, "
        f"or a context of multiprocessing, not {given!r}"
    )


def check_main_is_guarded() -> None:
    """End a new process that came to a DataLoader's loop while it imports the program."""
    process = multiprocessing.current_process()
    if getattr(process, "_inheriting", False):  # multiprocessing sets it for as long as it imports
        if not process.name.startswith(NAME):  # of ours, the process that waits says it
            print(GUARD, file=sys.stderr, flush=True)
        os._exit(UNGUARDED)


def start(process: Any) -> None:
    """Start a worker's process; RuntimeError where the one that should fork it cannot."""
    try:
        process.start()
    except (EOFError, ConnectionError):
        raise RuntimeError(NO_SERVER) from None
    except OSError as error:  # its socket lies in TMPDIR, and may have a hundred characters
        if "AF_UNIX" not in str(error):
            raise
        raise RuntimeError(f"[DataLoader] {error}: set TMPDIR to a shorter one, {FORK}") from error


def job_in_bytes(job: Job, method: str) -> bytes:
    """Return the job as a new process is told it, or RuntimeError where it cannot be pickled."""
    try:
        return dumps(job)
    except Exception as error:
        raise RuntimeError(
            f"[DataLoader] under {method} the dataset and its functions are pickled for a new "
            f"process, and they cannot be ({error}): define them at the top of a module, {FORK}"
        ) from error
