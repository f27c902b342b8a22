"""The meeting: the small process that rank 0 leaves at its port, in place of a launcher.

It waits until every rank has come, then answers what their MPI asks (`pmi`). It has one connection
to each rank, and one `select` for all: whoever connects and says nothing keeps nobody waiting.
`rendezvous` forks it, and has the ranks' side. No tensor and no user code passes here.
"""

from __future__ import annotations

import os
import selectors
import signal
import socket
import sys
import time
from contextlib import suppress

from norch_ddp.launch.guests import GONE, READY, Guest, Hello, greeting, read_hello
from norch_ddp.launch.pmi import Answers
from norch_ddp.launch.supervisor import fork_cleaner

LOOK_SECONDS = 3600.0
"""One `select` waits no longer: the system's limit is 24 days."""

ENDING = ("SIGINT", "SIGTERM", "SIGQUIT", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGPIPE")
"""Signals that end a process which does not handle them; ranks may."""

LINGER_SECONDS = 5.0
"""How long ranks that come too late are told why there is no group."""


def fork_meeting(listener: socket.socket, first: Hello, seconds: float) -> None:
    """Hold the meeting in a process that is nobody's child: no `wait` of the user's finds it."""
    sys.stdout.flush()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    child = os.fork()
    if child:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.waitpid(child, 0)
        listener.close()
        return
    try:  # nothing may leave this block: what follows it in this copy is the user's program
        if not os.fork():
            _ignore_signals()
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            _hold_meeting(listener, first, seconds)
    except BaseException as error:  # too many open files, for instance
        why = f"{type(error).__name__}: {error}"
        os.write(2, f"[init_process_group] rank 0's meeting has failed: {why}\n".encode())
    finally:
        os._exit(0)


def _ignore_signals() -> None:
    """Ignore what would end this copy of rank 0, or run the user's handlers in it.

    It ends when the last rank has gone, however that was.
    """
    ending = {getattr(signal, name) for name in ENDING}
    for each in signal.valid_signals():
        if each in ending or callable(signal.getsignal(each)):
            signal.signal(each, signal.SIG_IGN)


def _hold_meeting(listener: socket.socket, first: Hello, seconds: float) -> None:
    """Wait for the ranks, and answer them until the last has gone."""
    allow_many_sockets()
    if guests := gather(listener, first, seconds):
        answers = Answers(guests)
        ranks = [number for guest in guests if (number := guest.number_here())]
        over = fork_cleaner(answers.name, ranks, GONE)
        for guest in guests:  # only now: MPI, which starts next, is silent where this process ends
            guest.tell(READY)
        answers.answer()
        with suppress(OSError):  # the cleaner may have been killed
            os.write(over, b"!")


def allow_many_sockets() -> None:
    """Let this process open as many as its user may: one for each rank."""
    import resource  # not at the top: the Python of a page has none, and meets nobody

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # macOS calls it unlimited, and means less
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def gather(listener: socket.socket, first: Hello, seconds: float) -> list[Guest]:
    """Return the guests in the order of ranks once all are there; [] where that fails, and all who
    come are told why.
    """
    guests: dict[int, Guest] = {}
    until, problem = time.monotonic() + seconds, ""
    with selectors.DefaultSelector() as selector, listener:
        selector.register(listener, selectors.EVENT_READ)
        while len(guests) < first.size and (left := until - time.monotonic()) > 0:
            for key, _ in selector.select(min(left, LOOK_SECONDS)):
                if key.data is None:
                    guest = Guest(listener.accept()[0])
                    guest.tell(greeting(first))
                    selector.register(guest.socket, selectors.EVENT_READ, guest)
                elif (lines := key.data.lines()) is None or lines:
                    found = _hear(key.data, lines, first, guests)
                    problem = problem or found
                if problem:
                    until = min(until, time.monotonic() + LINGER_SECONDS)
                    _send_away(guests, problem)
                if problem or (key.data and key.data.socket.fileno() < 0):
                    _forget_closed(selector)
    if problem := problem or _who_is_missing(guests, first.size, seconds):
        _send_away(guests, problem)
        return []
    return [guests[rank] for rank in range(first.size)]


def _hear(guest: Guest, lines: list[bytes] | None, first: Hello, guests: dict[int, Guest]) -> str:
    """Read who a guest is, or that it has gone; return what is wrong, where that concerns all."""
    if guest.hello is None:
        guest.hello = read_hello(lines[0]) if lines else None
        return _admit(guest, first, guests)
    if lines is not None:
        return ""
    guest.socket.close()
    return (
        f"{guest.name()} has gone before all had come (it was on {guest.hello.host}): look for "
        "what it has said"
    )


def _forget_closed(selector: selectors.BaseSelector) -> None:
    """Take out the sockets that were closed: the next one may get such a number again."""
    for key in list(selector.get_map().values()):
        if key.fileobj.fileno() < 0:  # type: ignore[union-attr]
            selector.unregister(key.fileobj)


def _who_is_missing(guests: dict[int, Guest], size: int, seconds: float) -> str:
    """Say which ranks have not come; "" where all have."""
    missing = [str(rank) for rank in range(size) if rank not in guests]
    if not missing:
        return ""
    more = f" and {len(missing) - 8} more" if len(missing) > 8 else ""
    return (
        f"rank {', '.join(missing[:8])}{more} of {size} did not come within {seconds:.0f} s: start "
        "every rank, and look for what one of these has said"
    )


def _send_away(guests: dict[int, Guest], problem: str) -> None:
    """Tell the guests who have not been told yet why there is no group."""
    for guest in guests.values():
        guest.tell(problem.encode())
        guest.socket.close()


def _admit(guest: Guest, first: Hello, guests: dict[int, Guest]) -> str:
    """Let a guest in, or send it away; return what is wrong, where that concerns all."""
    it = guest.hello
    if it is None or it.job != first.job:  # no rank, or one of another job, which sees that itself
        guest.socket.close()
        return ""
    problem = ""
    if it.version != first.version:
        problem = (
            f"{guest.name()} on {it.host} has norch {it.version}, rank 0 on {first.host} has "
            f"{first.version}: install the same version on all hosts"
        )
    elif it.size != first.size or it.rank >= first.size or it.rank in guests:
        problem = (
            f"rank {it.rank} of {it.size} came where each of {first.size} must come once (from "
            f"{it.host}): give every process its RANK, and each job its MASTER_PORT"
        )
    if guests.setdefault(it.rank, guest) is not guest:
        _send_away({it.rank: guest}, problem)
    return problem
