"""Supervising: the process that stays behind while a rank runs, and says how the rank ended.

`bootstrap` splits in two before MPI starts: its child becomes the rank, the parent waits here. A
rank may end without a word and with exit code 0 (`os._exit`, a library's `exit`, another program
in its place), or not end when it is told to: the launcher would take the one for success and wait
for ever for the other. No user code runs in this process.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import time
from contextlib import suppress
from typing import NoReturn

from norch_ddp.launch.abort import wait_until_read
from norch_ddp.launch.leftovers import end_with_parent

GRACE_SECONDS = 10.0
"""How long a rank that was told to end (SIGTERM) may take before it is killed."""

ABORT_SECONDS = 5.0
"""How long the launcher may take to end everybody."""

_IGNORE = ("SIGINT", "SIGQUIT", "SIGHUP", "SIGUSR1", "SIGUSR2")


def supervise(name: str) -> None:
    """Go on as the child; the parent never returns. `name` is this rank in messages."""
    sys.stdout.flush()
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        _stay_behind(child, reader, name)
    os.close(reader)
    end_with_parent()
    me = os.getpid()
    # The first to be registered is the last to run: by then everybody knows of this rank's end.
    atexit.register(lambda: me == os.getpid() and os.write(writer, b"!"))


def _stay_behind(child: int, reader: int, name: str) -> NoReturn:
    """Wait for the rank and end as it did; an end without a word is a failure."""
    for each in _IGNORE:  # the launcher sends them to the rank as well, which decides
        signal.signal(getattr(signal, each), signal.SIG_IGN)
    code, told = wait_for(child, GRACE_SECONDS)
    if code == 0 and is_over(reader):
        os._exit(0)
    code, message = verdict(code, name)
    _end_all(code, "" if told else message)


def wait_for(child: int, grace: float) -> tuple[int, bool]:
    """Return how the child ended, and whether it was told to: then it is killed after `grace`."""
    told = []

    def begin(*_: object) -> None:
        told.append(True)
        signal.setitimer(signal.ITIMER_REAL, grace)

    def kill(*_: object) -> None:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)

    signal.signal(signal.SIGTERM, begin)
    signal.signal(signal.SIGALRM, kill)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), bool(told)


def verdict(code: int, name: str) -> tuple[int, str]:
    """Return the launch's exit code, as a shell counts, and what to say of a rank's end."""
    if code < 0:
        return 128 - code, f"{name} was ended: {signal.strsignal(-code)} (signal {-code})\n"
    if code > 0:  # it has spoken for itself, or wanted this code and no words
        return code, ""
    return 1, (
        f"{name} ended with exit code 0 before its script was over, and told nobody "
        "(os._exit, or another program in its place?): the launch has failed\n"
    )


def _end_all(code: int, message: str) -> NoReturn:
    """Say why, and have the launcher end every rank with this exit code, as MPI's abort does.

    The rank cannot ask for that any more, but the socket it had inherited is open here too.
    """
    with suppress(OSError):
        os.write(2, message.encode())
        wait_until_read(2)
    with suppress(KeyError, ValueError, OSError):
        os.write(int(os.environ["PMI_FD"]), f"cmd=abort exitcode={code}\n".encode())
        time.sleep(ABORT_SECONDS)
    os._exit(code)


def is_over(reader: int) -> bool:
    """Tell whether the rank said that its script is over; a grandchild may hold the pipe open."""
    os.set_blocking(reader, False)
    try:
        return os.read(reader, 1) == b"!"
    except BlockingIOError:
        return False
