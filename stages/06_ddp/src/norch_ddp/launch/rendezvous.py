"""The rendezvous: ranks that no launcher started find each other at one address.

`init_process_group` calls `join` where rank, world size and MASTER_ADDR:MASTER_PORT are known, or
`join_by_store`: in processes of `multiprocessing`, or started by hand on several hosts. Rank 0
opens the port and leaves a small process there, which answers what an MPI library asks its launcher
(PMI, version 1: a table of keys and values, and a barrier), so MPI itself starts as under mpiexec.
No tensor and no user code passes here. No launcher stands behind these ranks, so each keeps a
thread that ends it when the small process says that another has gone without a word.
"""

from __future__ import annotations

import os
import selectors
import signal
import socket
import sys
import time
from contextlib import suppress
from threading import Thread
from typing import Any

from norch_cpu_ops import get_num_threads, set_num_threads
from norch_ddp.launch.environment import threads_per_rank
from norch_ddp.transports.mpi import load_mpi

READY = b"ready\n"
ADDRESS = "norch/address of rank 0"
"""The key of a store."""

RETRY_SECONDS = 0.05
LAST_WORDS_SECONDS = 5.0
"""How long a rank goes on after another has gone: that one should be the first to say why."""

STRANGER_SECONDS = 5.0
"""How long who connects may take to say which rank it is."""

_ANSWERS = {  # to questions whose answer is the same for all; see `_answer_line` for the others
    "init": "response_to_init rc=0 pmi_version=1 pmi_subversion=1",
    "get_maxes": "maxes rc=0 kvsname_max=64 keylen_max=64 vallen_max=1024",
    "get_appnum": "appnum rc=0 appnum=0",
    "get_my_kvsname": "my_kvsname rc=0 kvsname=norch",
    "finalize": "finalize_ack rc=0",
}


def meeting_place(init_method: str | None) -> tuple[str, int] | str | None:
    """Return where ranks without a launcher meet: of "tcp://host:port", the environment's, or the
    path of "file:///path".
    """
    text = init_method or "env://"
    if text.startswith("file:///"):
        return text.removeprefix("file://").partition("?")[0]
    if text == "env://":
        names = ("MASTER_ADDR", "MASTER_PORT")
        text = "tcp://" + ":".join(os.environ.get(name, "") for name in names)
        if text == "tcp://:":
            return None
    host, _, port = text.removeprefix("tcp://").partition("?")[0].rpartition(":")
    if not text.startswith("tcp://") or not host or not port.isdecimal():
        raise ValueError(
            f"[init_process_group] init_method {init_method!r}: ranks meet at tcp://host:port, by "
            "file:///path, or at MASTER_ADDR and MASTER_PORT of the environment (env://); "
            f"{text!r} is no address"
        )
    return host.strip("[]"), int(port)


def join(rank: int, size: int, host: str, port: int, seconds: float) -> None:
    """Start MPI as rank `rank` of `size`; all must come to host:port within `seconds`."""
    if rank == 0:
        _fork_server(_listen(host, port), size, seconds)
    _start_mpi(rank, size, host, port, seconds)


def join_by_store(store: Any, rank: int, size: int, seconds: float) -> None:
    """Do `join` where rank 0 chooses a port, and leaves its address in a store."""
    if rank == 0:
        listener = _listen("", 0)
        words = (socket.gethostname(), store.own_address(), str(listener.getsockname()[1]))
        store.set(ADDRESS, " ".join(words))
        _fork_server(listener, size, seconds)
    try:
        store.wait([ADDRESS], seconds)
    except RuntimeError:
        raise RuntimeError(
            f"[init_process_group] rank 0 left no address in the store for {seconds:.0f} s: all "
            "ranks need the same store, and rank 0 must be started too"
        ) from None
    name, host, port = store.get(ADDRESS).decode().split()
    here = name == socket.gethostname()
    _start_mpi(rank, size, "127.0.0.1" if here else host, int(port), seconds)
    if rank == 0:
        store.delete_key(ADDRESS)  # all have read it: the next group's is another


def _start_mpi(rank: int, size: int, host: str, port: int, seconds: float) -> None:
    """Meet the others at rank 0's port, and start MPI."""
    connection, alarm = (_enter(rank, size, host, port, seconds) for _ in range(2))
    Thread(target=_end_with_the_others, args=(alarm,), daemon=True).start()
    names = {
        "PMI_FD": str(connection.detach()),  # MPI's from here on
        "PMI_RANK": str(rank),
        "PMI_SIZE": str(size),
    }
    os.environ.update(names)
    world = load_mpi().COMM_WORLD
    for name in names:  # a process that this one starts is no rank
        del os.environ[name]
    share_host(world.Split_type(load_mpi().COMM_TYPE_SHARED))


def _enter(rank: int, size: int, host: str, port: int, seconds: float) -> socket.socket:
    """Connect to rank 0's port, say who this is, and return when all are there."""
    connection = connect("init_process_group", host, port, seconds)
    connection.settimeout(None)
    connection.sendall(f"{rank} {size}\n".encode())
    answer = connection.recv(1024)
    if answer != READY:
        reason = answer.decode() or f"nobody answered at {host}:{port}"
        raise RuntimeError(f"[init_process_group] {reason}")
    return connection


def _end_with_the_others(alarm: socket.socket) -> None:
    """Wait for the news of a rank that has gone; this one may have to say something first."""
    with suppress(OSError):
        news = alarm.recv(1024)
        if news:
            time.sleep(LAST_WORDS_SECONDS)
            os.write(2, news)
            os._exit(1)


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


def _listen(host: str, port: int) -> socket.socket:
    """Open the port at which ranks meet."""
    try:
        return socket.create_server((listening_address(host), port), backlog=1024)
    except OSError as error:
        raise RuntimeError(
            f"[init_process_group] rank 0 cannot open port {port} ({error.strerror}): "
            "choose another MASTER_PORT for all ranks"
        ) from None


def connect(op: str, host: str, port: int, seconds: float) -> socket.socket:
    """Return a connection to rank 0's or a store's port, which may not be open yet."""
    until = time.monotonic() + seconds
    while True:
        try:
            return socket.create_connection((host, port), timeout=seconds)
        except OSError as error:
            if time.monotonic() > until:
                raise RuntimeError(
                    f"[{op}] nobody answered at {host}:{port} for {seconds:.0f} s ({error}): "
                    "address and port (MASTER_ADDR and MASTER_PORT) must be those of rank 0 or of "
                    "the store's master, which must be started too"
                ) from None
            time.sleep(RETRY_SECONDS)


# ---- the process that answers --------------------------------------------------------------------


def _fork_server(listener: socket.socket, size: int, seconds: float) -> None:
    """Answer ranks in a process that is nobody's child: no `wait` of the user's finds it."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        listener.close()
    elif os.fork():
        os._exit(0)
    else:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it ends when the last rank has
        with suppress(OSError):
            ranks, alarms = (_accept_ranks(listener, size, seconds) for _ in range(2))
            listener.close()
            answer_ranks(ranks, alarms)
        os._exit(0)


Sockets = list[socket.socket]


def _accept_ranks(listener: socket.socket, size: int, seconds: float) -> Sockets:
    """Wait until every rank has come once; where that fails, tell those who came."""
    connections: dict[int, socket.socket] = {}
    until = time.monotonic() + seconds
    problem = ""
    while len(connections) < size and not problem:
        listener.settimeout(max(0.001, until - time.monotonic()))
        try:
            connection = listener.accept()[0]
        except TimeoutError:
            missing = ", ".join(str(rank) for rank in range(size) if rank not in connections)
            problem = f"rank {missing} of {size} did not come within {seconds:.0f} s"
            break
        try:
            connection.settimeout(STRANGER_SECONDS)
            rank, theirs = map(int, connection.makefile().readline().split())
        except (OSError, ValueError):  # no rank of ours
            continue
        connection.settimeout(None)
        if theirs != size or rank in connections or not 0 <= rank < size:
            problem = f"rank {rank} of {theirs} came where each of {size} must come once"
            rank = size  # beside the others, to be told
        connections[rank] = connection
    for connection in connections.values():
        connection.sendall(problem.encode() or READY)
    if problem:
        raise TimeoutError(problem)
    return [connections[rank] for rank in range(size)]


def answer_ranks(ranks: Sockets, alarms: Sockets) -> None:
    """Answer the questions that the ranks' MPI asks its launcher, until the last rank has gone.

    A barrier is over when all who are still there have reached it: one that died at another's end
    must not keep that one waiting.
    """
    size, table = len(ranks), dict[str, str]()
    waiting, finished = Sockets(), Sockets()
    with selectors.DefaultSelector() as selector:
        for rank in ranks:
            selector.register(rank, selectors.EVENT_READ, (rank, rank.makefile()))
        while selector.get_map():
            for key, _ in selector.select():
                rank, answers = key.data
                if not (line := answers.readline()):
                    selector.unregister(rank)
                    if rank not in finished:
                        _tell_all(alarms, ranks.index(rank))
                elif "cmd=barrier_in" in line:
                    waiting.append(rank)
                elif answer := _answer_line(line, table, size):
                    if "cmd=finalize" in line:
                        finished.append(rank)
                    rank.sendall(f"cmd={answer}\n".encode())
            if waiting and len(waiting) >= len(selector.get_map()):
                for rank in waiting:
                    with suppress(OSError):
                        rank.sendall(b"cmd=barrier_out rc=0\n")
                waiting.clear()


def _tell_all(alarms: Sockets, rank: int) -> None:
    """Tell all ranks that one of them has gone without a word."""
    for each in alarms:
        with suppress(OSError):
            each.sendall(f"rank {rank} of {len(alarms)} has gone without a word\n".encode())


def _answer_line(line: str, table: dict[str, str], size: int) -> str:
    """Return the answer to one line of a rank's MPI; nothing to an abort."""
    words = dict(word.split("=", 1) for word in line.split())
    command = words["cmd"]
    if command == "put":
        table[words["key"]] = words["value"]
        return "put_result rc=0"
    if command == "get":
        found = table.get(words["key"])
        return f"get_result rc={-1 if found is None else 0} value={found}"
    if command == "get_universe_size":
        return f"universe_size rc=0 size={size}"
    return _ANSWERS.get(command, "")
