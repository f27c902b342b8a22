"""Supervising: the process that stays behind while a rank runs, and says how the rank ended.

`run` starts it in a rank's place, as a file and a plain program, so that it watches before anything
of norch is loaded: `supervisor.py COMMAND...`. Its child becomes the rank, which is `bootstrap`. A
rank may end without a word and with exit code 0 (`os._exit`, a library's `exit`, another program
in its place), or not end when it is told to: the launcher would take the one for success and wait
for ever for the other. Nor would it name a host whose proxy (its helper there) is killed. No user
code runs in this process, and this file imports nothing of norch.
"""

from __future__ import annotations

import atexit
import fcntl
import glob
import os
import select
import signal
import socket
import sys
import termios
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NoReturn

GRACE_SECONDS = 10.0
"""How long a rank that was told to end (SIGTERM) may take before it is killed."""

ABORT_SECONDS = 5.0
"""How long the launcher may take to end everybody."""

LAST_SECONDS = 3.0
"""How long ranks may take to say that the process at their port has gone, and to end."""

READER_SECONDS = 1.0
"""After this long, a reader that does not read is not waited for."""

FULL_BYTES = 1 << 20
"""Less than this is left where /dev/shm is full."""

OVER = "NORCH_OVER_FD"
"""Names the pipe by which a rank says that its script is over."""

LAUNCHER = "NORCH_LAUNCHER"
"""Names the launcher's host, and there its stderr: what a rank writes goes through the proxy."""

_PR_SET_PDEATHSIG = 1
_IGNORE = ("SIGINT", "SIGQUIT", "SIGHUP", "SIGUSR1", "SIGUSR2")


def supervise(command: list[str]) -> NoReturn:
    """Run the rank in a child of this process, and end as it does."""
    proxy = _find_proxy()
    if os.environ.get("MPI_LOCALRANKID", "0") == "0":
        fork_cleaner(_ask_name())
    end_with_parent(signal.SIGTERM)
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        _stay_behind(child, reader, proxy)
    end_with_parent()
    os.set_inheritable(writer, True)
    os.environ[OVER] = str(writer)
    if (stderr := launchers_stderr()) is not None:
        os.set_inheritable(stderr, False)
    os.environ.pop(LAUNCHER, None)
    os.execv(command[0], command)


def fork_cleaner(launch: str, ranks: Sequence[int] = (), news: bytes = b"") -> int:
    """Leave a process that removes the launch's files when this one has gone, killed or not.

    A launch that is killed while MPI starts leaves one. The cleaner is in nobody's group, and holds
    no pipe by which anybody waits for its end, but stderr where it has news. Where nothing was
    written to the pipe that is returned, it says these, and ends those of the ranks that do not by
    themselves: MPI's start hears nothing, or ends them without a word.
    """
    reader, writer = os.pipe()  # the other end stays open until this process ends
    if os.fork():
        os.close(reader)
        return writer
    try:
        _clean_up(reader, launch, ranks, news)
    finally:  # nothing may climb into what forked this copy
        os._exit(0)


def _clean_up(reader: int, launch: str, ranks: Sequence[int], news: bytes) -> None:
    """Wait in a launch's cleaner until nobody holds the pipe's other end; then do its work."""
    os.setsid()
    kept = {reader, 2} if news else {reader}
    for file in os.listdir("/dev/fd"):
        if int(file) not in kept:
            with suppress(OSError):
                os.close(int(file))
    if not os.read(reader, 1) and ranks:
        with suppress(OSError):  # nobody may be reading
            os.write(2, news)
            os.close(2)  # whoever reads to its end waits for no cleaner
        time.sleep(LAST_SECONDS)
        for each in ranks:
            with suppress(OSError):
                os.kill(each, signal.SIGKILL)
    remove_shared_memory(launch)


def _find_proxy() -> int:
    """Return the number of the launcher's helper, whose child this is; 0 if it has gone already."""
    parent = os.getppid()
    with suppress(OSError), open(f"/proc/{parent}/comm") as file:
        if "HYDI_CONTROL_FD" in os.environ and not file.read().startswith("hydra"):
            return 0
    return parent


def say_when_over() -> None:
    """Have this rank tell its supervisor at exit that the script is over; called by the rank."""
    writer, me = int(os.environ.pop(OVER)), os.getpid()
    os.set_inheritable(writer, False)
    # The first to be registered is the last to run: by then everybody knows of this rank's end.
    atexit.register(lambda: me == os.getpid() and os.write(writer, b"!"))


def _stay_behind(child: int, reader: int, proxy: int) -> NoReturn:
    """Wait for the rank and end as it did; an end without a word is a failure."""
    for each in _IGNORE:  # the launcher sends them to the rank as well, which decides
        signal.signal(getattr(signal, each), signal.SIG_IGN)
    name = "rank {} of {}".format(*(os.environ.get(n, "?") for n in ("PMI_RANK", "PMI_SIZE")))
    code, told = wait_for(child, GRACE_SECONDS, lambda: os.getppid() != proxy)
    if code == 0 and is_over(reader):
        os._exit(0)
    code, message = verdict(code, name)
    if os.getppid() != proxy:
        _say_that_proxy_was_killed(name)
    _end_all(code, "" if told else message)


def wait_for(child: int, grace: float, is_orphan: Callable[[], bool] = bool) -> tuple[int, bool]:
    """Return how the child ended, and whether it was told to: then it is killed after `grace`.

    The launcher tells this process and the child; where it has gone, this process tells the child.
    """
    told = []

    def begin(*_: object) -> None:
        told.append(True)
        signal.setitimer(signal.ITIMER_REAL, grace)
        if is_orphan():
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGTERM)

    def kill(*_: object) -> None:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)

    signal.signal(signal.SIGTERM, begin)
    signal.signal(signal.SIGALRM, kill)
    if is_orphan():  # since before it could be told
        begin()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), bool(told)


def verdict(code: int, name: str) -> tuple[int, str]:
    """Return the launch's exit code, as a shell counts, and what to say of a rank's end."""
    if code < 0:
        why = f"{signal.strsignal(-code)} (signal {-code})"
        if -code == signal.SIGBUS:
            why += full_shared_memory()
        return 128 - code, f"{name} was ended: {why}\n"
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


def share_stderr() -> dict[str, str]:
    """Return the environment by which supervisors on the launcher's host find its stderr."""
    number = os.dup(2)
    os.set_inheritable(number, True)
    return {LAUNCHER: f"{socket.gethostname()} {number}"}


def launchers_stderr() -> int | None:
    """Return the launcher's stderr, which processes inherit that run on its host."""
    host, _, number = os.environ.get(LAUNCHER, "").rpartition(" ")
    return int(number) if host == socket.gethostname() else None


def _say_that_proxy_was_killed(name: str) -> None:
    """Say it where the launcher speaks: all that a rank writes went through the proxy."""
    stderr = launchers_stderr()
    # Two of a host's ranks are enough; one alone may be what was killed.
    if stderr is not None and os.environ.get("MPI_LOCALRANKID", "0") in ("0", "1"):
        with suppress(OSError):
            os.write(
                stderr,
                f"[run] hydra_pmi_proxy, the launcher's helper on host {socket.gethostname()}, has "
                f"gone (killed?): {name} and all other ranks there end\n".encode(),
            )


def _ask_name() -> str:
    """Return the launch's name, of which mpich makes those of its files; "" where nobody says it.

    Read without a time limit of the socket's own: the rank and its MPI share it.
    """
    line = b""
    with suppress(KeyError, ValueError, OSError):
        pmi = int(os.environ["PMI_FD"])
        os.write(pmi, b"cmd=get_my_kvsname\n")
        while not line.endswith(b"\n") and select.select([pmi], [], [], ABORT_SECONDS)[0]:
            if not (more := os.read(pmi, 1)):
                return ""
            line += more
    return line.partition(b"kvsname=")[2].decode().strip()


def remove_shared_memory(name: str) -> None:
    """Remove the shared memory of a launch that has failed, by the name that MPI knows it by."""
    for path in glob.glob(f"/dev/shm/mpich_*_{fnv(name):x}_*") if name else ():
        with suppress(OSError):
            os.unlink(path)


def fnv(text: str) -> int:
    """Return the hash by which mpich names a launch's files: FNV-1a, of 32 bits.

    >>> f"{fnv('a'):x}"
    'e40c292c'
    """
    found = 2166136261
    for byte in text.encode():
        found = (found ^ byte) * 16777619 % (1 << 32)
    return found


def full_shared_memory() -> str:
    """Say so where /dev/shm is full: a process that writes there is ended by a bus error."""
    with suppress(OSError):
        found = os.statvfs("/dev/shm")
        if found.f_bavail * found.f_frsize < FULL_BYTES:
            size = found.f_blocks * found.f_frsize >> 10
            return (
                f" (/dev/shm is full: it holds {size} KB, and MPI's messages lie there; remove "
                "what is left in it, or enlarge it: mount -o remount,size=1G /dev/shm, docker run "
                "--shm-size=1g)"
            )
    return ""


def wait_until_read(pipe: int) -> None:
    """Wait until mpiexec has taken what was written; OSError where `pipe` is no pipe."""
    deadline = time.monotonic() + READER_SECONDS
    while unread_bytes(pipe) and time.monotonic() < deadline:
        time.sleep(0.005)
    time.sleep(0.02)  # from mpiexec's helper on this machine to mpiexec


def unread_bytes(pipe: int) -> int:
    """Return how many bytes of a rank's output its reader, mpiexec, has not taken yet."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


def end_with_parent(how: int = signal.SIGKILL) -> None:
    """Have Linux end this process when its parent is killed; elsewhere the launcher does."""
    if sys.platform == "linux":
        import ctypes  # here because few programs start others

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(how), 0, 0, 0)


if __name__ == "__main__":
    supervise(sys.argv[1:])
