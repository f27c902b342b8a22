"""The meeting: the small process that rank 0 leaves at its port, in place of a launcher.

It waits until every rank has come, then answers what their MPI asks a launcher (PMI, version 1: a
table of keys and values), and tells all when one has gone without a word. It has one connection to
each rank, and one `select` for all: whoever connects and says nothing keeps nobody waiting.
`rendezvous` forks it, and has the ranks' side. No tensor and no user code passes here.
"""

from __future__ import annotations

import os
import re
import selectors
import signal
import socket
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import groupby
from typing import NamedTuple

from norch_ddp.launch.supervisor import fork_cleaner, full_shared_memory

READY = b"ready\n"
ALARM = b"alarm "
WORD = b"norch "
"""How this process greets, and how a rank introduces itself: nobody else does."""

_HELLO = re.compile(r"norch (\S+) (\S+) (\d+) (\d+) (\S+) (\S+)")

LINE_BYTES = 4096
"""What a rank says in one line is shorter."""

LOOK_SECONDS = 3600.0
"""One `select` waits no longer: the system's limit is 24 days."""

ENDING = ("SIGINT", "SIGTERM", "SIGQUIT", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGPIPE")
"""Signals that end a process which does not handle them; ranks may."""

LINGER_SECONDS = 5.0
"""How long ranks that come too late are told why there is no group."""


class Hello(NamedTuple):
    """What a rank says of itself: all but rank, host and process must be the same on all."""

    version: str
    job: str
    rank: int
    size: int
    host: str
    process: str

    def line(self) -> bytes:
        """Return the line that a rank sends first."""
        return WORD + " ".join(str(part) or "-" for part in self).encode() + b"\n"


def own_process() -> str:
    """Return this process's number, and in which container that is its number."""
    with suppress(OSError):
        return f"{os.getpid()}@{os.readlink('/proc/self/ns/pid')}"
    return f"{os.getpid()}@{sys.platform}"


def greeting(me: Hello) -> bytes:
    """Return what the meeting of a rank's job says to whoever connects."""
    return WORD + f"{me.job}\n".encode()


def read_hello(line: bytes) -> Hello | None:
    """Return what a rank has said of itself; None where no rank has said this."""
    found = _HELLO.fullmatch(line.decode(errors="replace"))
    if found is None:
        return None
    version, job, rank, size, host, process = found.groups()
    return Hello(version, job.removeprefix("-"), int(rank), int(size), host, process)


class Guest:
    """One who has connected, and who it says it is."""

    __slots__ = ("has_finished", "hello", "is_up", "socket", "unread")

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(True)
        self.socket = connection
        self.unread = b""
        self.hello: Hello | None = None
        self.is_up = False  # whether its MPI has started
        self.has_finished = False  # whether its MPI has said goodbye

    def lines(self) -> list[bytes] | None:
        """Return the whole lines that have come; None when it has gone, or floods this process."""
        with suppress(OSError):
            more = self.socket.recv(LINE_BYTES)
            *lines, self.unread = (self.unread + more).split(b"\n")
            return lines if more and len(self.unread) < LINE_BYTES else None
        return None

    def tell(self, line: bytes) -> None:
        """Send it a line, if it still is there."""
        with suppress(OSError):
            self.socket.sendall(line)

    def name(self) -> str:
        """Return the rank as messages call it."""
        assert self.hello is not None
        return f"rank {self.hello.rank} of {self.hello.size}"

    def number_here(self) -> int:
        """Return the number of the rank's process, if it is one of this host; else 0."""
        assert self.hello is not None
        number, _, place = self.hello.process.partition("@")
        is_here = self.hello.host == socket.gethostname() and own_process().endswith(f"@{place}")
        return int(number) if is_here else 0

    def end(self) -> None:
        """End a rank of this host; one of another is cut off, and its MPI says so."""
        with suppress(OSError):
            if number := self.number_here():
                os.kill(number, signal.SIGKILL)
            self.socket.shutdown(socket.SHUT_RDWR)


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
        over = fork_cleaner(answers.name, [n for g in guests if (n := g.number_here())])
        answers.answer()
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
    for guest in guests.values():
        guest.tell(READY)
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


class Answers:
    """What the ranks' MPI asks its launcher, and the answers."""

    def __init__(self, guests: Sequence[Guest]) -> None:
        self.guests = guests
        self.name = f"norch_{os.urandom(8).hex()}"  # MPI names its shared memory after it
        hellos = [guest.hello for guest in guests if guest.hello is not None]
        places = process_mapping([hello.host for hello in hellos])
        self.table = {b"PMI_process_mapping": places}  # or all ranks would ask for all hosts
        room = 1024 + len(places)
        self.waiting: list[Guest] = []
        self.fixed = {  # answers that are the same for all
            b"init": "response_to_init rc=0 pmi_version=1 pmi_subversion=1",
            b"get_maxes": f"maxes rc=0 kvsname_max=64 keylen_max=64 vallen_max={room}",
            b"get_appnum": "appnum rc=0 appnum=0",
            b"get_my_kvsname": f"my_kvsname rc=0 kvsname={self.name}",
            b"get_universe_size": f"universe_size rc=0 size={len(guests)}",
            b"finalize": "finalize_ack rc=0",
        }

    def answer(self) -> None:
        """Answer until the last rank has gone."""
        with selectors.DefaultSelector() as selector:
            for guest in self.guests:
                selector.register(guest.socket, selectors.EVENT_READ, guest)
            while selector.get_map():
                for key, _ in selector.select():
                    lines = key.data.lines()
                    for line in lines or ():
                        self.answer_line(key.data, line)
                    if lines is None:
                        selector.unregister(key.data.socket)
                        key.data.socket.close()
                        if not key.data.has_finished:
                            self.tell_of(key.data)
                self.end_barrier(len(selector.get_map()))

    def answer_line(self, guest: Guest, line: bytes) -> None:
        """Answer one line of a rank's MPI; nothing to an abort."""
        words = dict(word.split(b"=", 1) for word in line.split() if b"=" in word)
        command, key = words.get(b"cmd", b""), words.get(b"key", b"")
        if command == b"barrier_in":
            self.waiting.append(guest)
        elif command == b"up":
            guest.is_up = True
        elif command == b"put":
            self.table[key] = words.get(b"value", b"").decode()
            guest.tell(b"cmd=put_result rc=0\n")
        elif command == b"get":
            found = self.table.get(key)
            guest.tell(f"cmd=get_result rc={-(found is None)} value={found}\n".encode())
        elif answer := self.fixed.get(command):
            guest.has_finished = command == b"finalize"
            guest.tell(f"cmd={answer}\n".encode())

    def end_barrier(self, present: int) -> None:
        """End a barrier when all who are still there wait: one that died keeps nobody waiting."""
        if self.waiting and len(self.waiting) >= present:
            for guest in self.waiting:
                guest.tell(b"cmd=barrier_out rc=0\n")
            self.waiting.clear()

    def tell_of(self, lost: Guest) -> None:
        """Tell all ranks that one has gone without a word.

        A rank whose MPI still starts waits inside it, and hears nothing: it is ended from here.
        """
        assert lost.hello is not None
        news = f"{lost.name()} has gone without a word (it was on {lost.hello.host})"
        news += f"{full_shared_memory()}\n"
        here = [guest for guest in self.guests if guest.socket.fileno() >= 0]
        if not all(guest.is_up for guest in here):
            os.write(2, f"{news.strip()}, while MPI started\n".encode())
        for guest in here:
            if guest.is_up:
                guest.tell(ALARM + news.encode())
            else:
                guest.has_finished = True
                guest.end()


def process_mapping(hosts: Sequence[str]) -> str:
    """Return which rank is on which host, as mpich's MPI reads it: (first host, hosts, ranks each).

    >>> process_mapping(["a", "a", "b", "b", "a"])
    '(vector,(0,2,2),(0,1,1))'
    """
    numbers = {host: i for i, host in enumerate(dict.fromkeys(hosts))}
    blocks: list[list[int]] = []
    for host, ranks in groupby(hosts):
        first, count = numbers[host], len(list(ranks))
        if blocks and blocks[-1][2] == count and sum(blocks[-1][:2]) == first:
            blocks[-1][1] += 1
        else:
            blocks.append([first, 1, count])
    return f"(vector,{','.join('({},{},{})'.format(*block) for block in blocks)})"
