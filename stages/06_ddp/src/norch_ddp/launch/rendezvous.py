"""The rendezvous: ranks that no launcher started find each other at one address.

`init_process_group` calls `join` where rank, world size and an address are known, or
`join_by_store`: in processes of `multiprocessing`, started by SLURM or torchrun, or by hand on
several hosts. Rank 0 opens a port and leaves a small process there (`meeting`), to which each rank
keeps one connection; it answers what an MPI library asks its launcher, so MPI itself starts as
under mpiexec. No tensor and no user code passes here, and no wait is without an end. No launcher
stands behind these ranks: a thread of each ends it when that process says that another has gone.
"""

from __future__ import annotations

import faulthandler
import os
import select
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from threading import Thread
from typing import Any

from norch_cpu_ops import get_num_threads, set_num_threads
from norch_ddp.launch.environment import (
    job_name,
    master,
    started_by_mpi,
    threads_per_rank,
)
from norch_ddp.launch.guests import ALARM, GONE, READY, WORD, Hello, greeting, own_process
from norch_ddp.launch.meeting import fork_meeting
from norch_ddp.transports.mpi import VERSION, load_mpi

ADDRESS = "norch/address of rank 0"
"""The key of a store."""

RETRY_SECONDS = 0.05
LAST_WORDS_SECONDS = 5.0
"""How long a rank goes on after another has gone: that one should be the first to say why."""

GREETING_SECONDS = 10.0
"""Rank 0's port greets at once; who is silent so long is no rank 0."""

HANG_UPS = 200
"""Who hangs up so often in a row, ten seconds long, is no rank 0: a proxy may, until that comes."""

LONGEST_SECONDS = 1e6
"""What system calls are told of a longer timeout: they count milliseconds, up to 24 days."""

FREE_SECONDS = 10.0
"""How long rank 0 waits for a port that the job before may still hold."""

CONNECT_SECONDS = 10.0
"""How long one attempt to connect may take: packets to a host that is down bring no answer."""

MPI_SECONDS = 60.0
"""How long MPI may take to start, at least."""

Place = tuple[str, Sequence[int]]
"""A host, and the ports of it that are tried in turn."""


class Stranger(RuntimeError):
    """What answers at the address is no rank 0 of this job."""


class HungUp(Stranger):
    """It says nothing: it may not be ready, or may be the end of another job's rank 0."""


def meeting_place(init_method: str | None) -> Place | str | None:
    """Return where ranks without a launcher meet: of "tcp://host:port", the environment's, or the
    path of "file:///path".
    """
    text = init_method or "env://"
    if text.startswith("file:///"):
        return text.removeprefix("file://").partition("?")[0]
    if text == "env://":
        return None if started_by_mpi() else master()
    host, _, port = text.removeprefix("tcp://").partition("?")[0].rpartition(":")
    if not text.startswith("tcp://") or not host or not port.isdecimal():
        raise ValueError(
            f"[init_process_group] init_method {init_method!r}: ranks meet at tcp://host:port, by "
            "file:///path, or at MASTER_ADDR and MASTER_PORT of the environment (env://); "
            f"{text!r} is no address"
        )
    return host.strip("[]"), [int(port)]


def join(rank: int, size: int, host: str, ports: Sequence[int], seconds: float) -> None:
    """Start MPI as rank `rank` of `size`; all must come to one of host's ports within `seconds`."""
    me = _introduction(rank, size)
    if rank == 0:
        listener = _listen(host, ports, min(seconds, FREE_SECONDS))
        ports = [listener.getsockname()[1]]
        fork_meeting(listener, me, seconds)
    _start_mpi(me, host, ports, seconds)


def join_by_store(store: Any, rank: int, size: int, seconds: float) -> None:
    """Do `join` where rank 0 chooses a port, and leaves its address in a store."""
    me = _introduction(rank, size)
    if rank == 0:
        listener = _listen("", [0], 0.0)
        words = (me.host, store.own_address(), str(listener.getsockname()[1]))
        store.set(ADDRESS, " ".join(words))
        fork_meeting(listener, me, seconds)
    try:
        store.wait([ADDRESS], seconds)
    except RuntimeError:
        raise RuntimeError(
            f"[init_process_group] rank 0 left no address in the store for {seconds:.0f} s: all "
            "ranks need the same store, and rank 0 must be started too"
        ) from None
    name, host, port = store.get(ADDRESS).decode().split()
    _start_mpi(me, "127.0.0.1" if name == me.host else host, [int(port)], seconds)
    if rank == 0:
        store.delete_key(ADDRESS)  # all have read it: the next group's is another


def _introduction(rank: int, size: int) -> Hello:
    """Return what a rank says of itself at the rendezvous."""
    return Hello(VERSION, job_name(), rank, size, socket.gethostname(), own_process())


def _start_mpi(me: Hello, host: str, ports: Sequence[int], seconds: float) -> None:
    """Meet the others at rank 0's port, and start MPI."""
    connection = _enter(me, host, ports, seconds)
    alarm = connection.dup()
    names = {
        "PMI_FD": str(connection.detach()),  # MPI's from here on
        "PMI_RANK": str(me.rank),
        "PMI_SIZE": str(me.size),
    }
    os.environ.update(names)
    # MPI starts in one call that lets no other thread run: only a timer outside Python ends that.
    limit = min(max(seconds, MPI_SECONDS), LONGEST_SECONDS)
    faulthandler.dump_traceback_later(limit, exit=True, file=2)
    try:
        world = load_mpi().COMM_WORLD
    finally:
        faulthandler.cancel_dump_traceback_later()
        for name in names:  # a process that this one starts is no rank
            del os.environ[name]
    with suppress(OSError):  # it has gone: the thread says so
        alarm.sendall(b"cmd=up\n")
    Thread(target=_end_with_the_others, args=(alarm,), daemon=True).start()
    if world.size != me.size:
        raise RuntimeError(
            f"[init_process_group] MPI says {world.size} processes where {me.size} have met: the "
            "MPI library of mpi4py must be mpich, or one that speaks its PMI: pip install mpich"
        )
    share_host(world.Split_type(load_mpi().COMM_TYPE_SHARED))


def _enter(me: Hello, host: str, ports: Sequence[int], seconds: float) -> socket.socket:
    """Connect to rank 0's port, say who this is, and return when all are there."""
    until, hang_ups = time.monotonic() + seconds, 0
    while True:
        problems: list[RuntimeError] = []
        for port in ports:
            try:
                return _visit(me, host, port, seconds, until)
            except OSError as error:  # nobody is there, yet
                problems.append(_nobody("init_process_group", f"{host}:{port}", seconds, error))
            except Stranger as error:
                problems.append(error)
        is_strange = all(isinstance(each, Stranger) for each in problems)
        hang_ups = hang_ups + 1 if is_strange else 0
        is_sure = hang_ups >= HANG_UPS or not any(isinstance(each, HungUp) for each in problems)
        if time.monotonic() > until or (is_strange and is_sure):
            raise problems[0]
        time.sleep(RETRY_SECONDS)


def _visit(me: Hello, host: str, port: int, seconds: float, until: float) -> socket.socket:
    """Connect to one port, and return the connection when all ranks have."""
    connection = socket.create_connection((host, port), timeout=CONNECT_SECONDS)
    try:
        _greet(connection, me, f"{host}:{port}", until)
        _wait_for_all(connection, f"{host}:{port}", seconds)
    except BaseException:
        connection.close()
        raise
    return connection


def _greet(connection: socket.socket, me: Hello, place: str, until: float) -> None:
    """Say who this is; Stranger where another program than rank 0's process answers, or nobody."""
    limit = max(1.0, min(GREETING_SECONDS, until - time.monotonic()))
    connection.settimeout(limit)
    line, kind = b"", Stranger
    try:
        connection.sendall(me.line())
        while WORD.startswith(line[: len(WORD)]) and line[-1:] != b"\n":
            if not (more := connection.recv(1)):  # what follows the line is for others
                raise ConnectionResetError
            line += more
        heard = f"begins with {line!r}, not with {greeting(me)!r}"
    except TimeoutError:
        heard = f"is silent for {limit:.0f} s"
    except ConnectionError:
        heard, kind = f"hangs up after {line!r}", HungUp
    if line != greeting(me):
        raise kind(
            f"[init_process_group] another program or job holds {place}, where rank 0 should be "
            f"(what answers there {heard}): choose another MASTER_PORT for all ranks"
        )


def _wait_for_all(connection: socket.socket, place: str, seconds: float) -> None:
    """Return when rank 0's process says that all are there."""
    limit = min(seconds, LONGEST_SECONDS) + LAST_WORDS_SECONDS  # it says sooner who is missing
    connection.settimeout(limit)
    try:
        answer = connection.recv(1024) or f"rank 0's process at {place} has gone".encode()
    except OSError as error:
        answer = f"rank 0's process at {place} does not say that all have come ({error})".encode()
    if answer != READY:
        raise RuntimeError(f"[init_process_group] {answer.decode()}")
    connection.settimeout(None)


def _end_with_the_others(alarm: socket.socket) -> None:
    """Wait for the news of a rank that has gone; this one may have to say something first."""
    news = _peek(alarm)
    while news and not news.startswith((ALARM, b"cmd=")):
        news = _peek(alarm)
    if news.startswith(b"cmd="):  # MPI ends, and reads this itself
        return
    if news:
        time.sleep(LAST_WORDS_SECONDS)
    with suppress(OSError):  # nobody may be reading
        os.write(2, news.removeprefix(ALARM) or GONE)
    os._exit(1)


def _peek(alarm: socket.socket) -> bytes:
    """Return what has come and leave it there; nothing where the other end has gone."""
    try:
        select.select([alarm], [], [])
        return alarm.recv(1024, socket.MSG_PEEK)
    except OSError:  # such as a reset, where it was killed
        return b""


def share_host(node: Any) -> None:
    """Share this host among its ranks: no file of MPI's stays, and each takes its cores."""
    from norch_ddp.launch.leftovers import (
        unlink_shared_memory,  # here because few programs have several ranks
    )

    if node.rank == 0:  # Split_type has ended, so all have opened the files
        unlink_shared_memory()
    threads = threads_per_rank(node.size)
    is_given = "NORCH_NUM_THREADS" in os.environ
    set_num_threads(threads if is_given else min(threads, get_num_threads()))


def listening_address(host: str) -> str:
    """Return where to listen: to this host alone where the address is its loop, else to all."""
    return "127.0.0.1" if host == "localhost" or host.startswith("127.") else ""


def _listen(host: str, ports: Sequence[int], seconds: float) -> socket.socket:
    """Open the first free one of the ports at which ranks meet."""
    until = time.monotonic() + seconds
    while True:
        for port in ports:
            try:
                return socket.create_server((listening_address(host), port), backlog=1024)
            except OSError as error:
                problem = error.strerror
        if time.monotonic() > until:
            break
        time.sleep(RETRY_SECONDS)
    raise RuntimeError(
        f"[init_process_group] rank 0 cannot open port {', '.join(map(str, ports))} ({problem}): "
        "another program or job holds it; choose another MASTER_PORT for all ranks"
    )


def connect(op: str, host: str, port: int, seconds: float) -> socket.socket:
    """Return a connection to a store's port, which may not be open yet."""
    until = time.monotonic() + seconds
    while True:
        try:
            return socket.create_connection((host, port), timeout=CONNECT_SECONDS)
        except OSError as error:
            if time.monotonic() > until:
                raise _nobody(op, f"{host}:{port}", seconds, error) from None
            time.sleep(RETRY_SECONDS)


def _nobody(op: str, place: str, seconds: float, error: OSError) -> RuntimeError:
    """Return the error of a rank that found nobody."""
    return RuntimeError(
        f"[{op}] nobody answered at {place} for {seconds:.0f} s ({error}): address and port "
        "(MASTER_ADDR and MASTER_PORT) must be those of rank 0 or of the store's master, which "
        "must be started too"
    )
