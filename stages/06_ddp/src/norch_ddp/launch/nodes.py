"""Several machines without ssh: the launcher is started on each, and they meet at one address.

`run` calls `start` on machine 0 and `follow` on the others (`--node_rank`). Machine 0 runs mpiexec
with its manual launcher, which prints, in place of a call of ssh, what is to be started on each
machine; that line is handed to the machine's own launcher, which runs it. From there on mpiexec has
all ranks, as always; at the end machine 0 says the exit code, or hands out the lines of another
start. Whoever reaches the port may join: it is for networks that you trust.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from threading import Thread
from typing import Any, NamedTuple, NoReturn
from urllib.parse import quote, unquote

from norch_ddp.transports.mpi import VERSION

SECONDS = 300.0
"""How long machines wait for each other."""

LINGER_SECONDS = 5.0
"""How long machines that come too late are told why there is no launch."""

LINE_BYTES = 4096
"""What a machine says of itself in one line is shorter."""

STRANGER_SECONDS = 5.0
"""How long who connects may take to say which machine it is."""

PARTING_SECONDS = 10.0
"""How long a machine on which all has ended waits for the exit code: a dead link brings none."""

EXIT = "exit"
REFUSED = "refused "
"""How machine 0's last line to the others begins: how it ended, or why there is no launch."""

Machines = dict[int, socket.socket]
"""Connections to the other machines, by number."""


class Hello(NamedTuple):
    """What a machine says of itself: version, job and machines must be the same on all."""

    version: str
    job: str
    machines: int
    number: int
    host: str

    def line(self) -> bytes:
        """Return the line that a machine sends first."""
        return " ".join(quote(str(part)) for part in ("norch", *self)).encode() + b"\n"

    def problem(self, first: Hello) -> str:
        """Return why this machine is none of the first one's launch; "" where it is."""
        if self[:3] == first[:3] and 0 < self.number < first.machines:
            return ""
        mine, others = (
            f"norch {each.version}, --rdzv_id {each.job}, --nnodes {each.machines}"
            for each in (self, first)
        )
        return (
            f"[run] machine {self.number} on {self.host} ({mine}) is none of machine 0's launch on "
            f"{first.host} ({others}): start the same command, with the same norch, on all"
        )

    def came_twice(self, host: str) -> str:
        """Return what is wrong where one of this number came from another host before."""
        return (
            f"[run] machine {self.number} of {self.machines} came twice, from {host} and "
            f"{self.host}: give each machine its own --node_rank"
        )


def introduction(job: str, count: int, number: int) -> Hello:
    """Return what this machine says of itself."""
    return Hello(VERSION, job, count, number, socket.gethostname())


def read_hello(line: str) -> Hello | None:
    """Return what a machine has said of itself; None where no launcher of ours has said this."""
    words = [unquote(word) for word in line.rstrip("\n").split(" ")]
    if len(words) != 6 or words[0] != "norch" or not all(map(str.isdecimal, words[3:5])):
        return None
    return Hello(words[1], words[2], int(words[3]), int(words[4]), words[5])


def labels(count: int) -> list[str]:
    """Return names by which mpiexec tells the machines apart."""
    return [f"node{number}" for number in range(count)]


def start(command: list[str], others: Machines, names: dict[str, str]) -> subprocess.Popen[str]:
    """Start mpiexec on machine 0, and hand the other machines what they are to start."""
    manual = [command[0], "-launcher", "manual", *command[1:]]
    mpiexec = subprocess.Popen(
        manual, env=names, stdout=subprocess.PIPE, text=True, close_fds=False
    )
    lines = []
    for line in mpiexec.stdout or ():
        if line.startswith("HYDRA_LAUNCH_END"):
            break
        lines.append(line.removeprefix("HYDRA_LAUNCH: "))
    subprocess.Popen(with_host("127.0.0.1", lines[0]), env=names, close_fds=False)
    for number, connection in others.items():
        connection.sendall(lines[number].encode())
    Thread(target=pass_output_on, args=(mpiexec,)).start()
    return mpiexec


def send_exit_code(others: Machines, code: int) -> None:
    """Tell the other machines with which exit code the launch has ended."""
    for connection in others.values():
        with suppress(OSError):
            connection.sendall(f"{EXIT} {code}\n".encode())
        connection.close()


def with_host(host: str, line: str) -> list[str]:
    """Return the words of mpiexec's line, with the address at which this machine reaches it."""
    words = shlex.split(line)
    place = words.index("--control-port") + 1
    words[place] = f"{host}:{words[place].rpartition(':')[2]}"
    return words


def pass_output_on(mpiexec: subprocess.Popen[str]) -> None:
    """Write what mpiexec's ranks write, line by line."""
    for line in mpiexec.stdout or ():
        os.write(1, line.encode())


def accept_machines(port: int, first: Hello) -> Machines:
    """Wait for the other machines' launchers; return the connections by number.

    Where one is none of this launch, or a number comes twice, all are told, and OSError is raised.
    """
    others: Machines = {}
    hosts: dict[int, str] = {}
    until = time.monotonic() + SECONDS
    with open_port(port) as server:
        while len(others) < first.machines - 1:
            server.settimeout(max(0.001, until - time.monotonic()))
            try:
                connection = server.accept()[0]
            except TimeoutError:
                raise OSError(who_is_missing(others, first.machines, port)) from None
            if (it := hear(connection)) is None:
                connection.close()
                continue
            problem = it.problem(first)
            if it.number in others and not has_gone(others[it.number]):
                problem = problem or it.came_twice(hosts[it.number])
            if problem:
                refuse(server, [*others.values(), connection], problem)
            others[it.number], hosts[it.number] = connection, it.host
    return others


def who_is_missing(others: Machines, machines: int, port: int) -> str:
    """Return which machines have not come in time."""
    missing = [number for number in range(1, machines) if number not in others]
    return (
        f"[run] machine {missing} of {machines} did not come to port {port} within "
        f"{SECONDS:.0f} s: start the same command there with its --node_rank"
    )


def hear(connection: socket.socket) -> Hello | None:
    """Return which machine has connected; None where it is no launcher of ours."""
    connection.settimeout(STRANGER_SECONDS)
    with suppress(OSError, ValueError), connection.makefile() as lines:
        found = read_hello(lines.readline(LINE_BYTES))
        connection.settimeout(None)
        return found
    return None


def has_gone(connection: socket.socket) -> bool:
    """Return whether a machine that came has gone again, such as to be started anew."""
    with suppress(BlockingIOError):
        return not connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    return False


def refuse(server: socket.socket, connections: Iterable[socket.socket], problem: str) -> NoReturn:
    """Say on every machine why there is no launch, also on those that come a little later."""
    until = time.monotonic() + LINGER_SECONDS
    while True:
        for connection in connections:
            with suppress(OSError):
                connection.sendall(f"{REFUSED}{problem}\n".encode())
            connection.close()
        server.settimeout(max(0.001, until - time.monotonic()))
        try:
            connections = [server.accept()[0]]
        except TimeoutError:
            raise OSError(problem) from None
        hear(connections[0])  # closed with words unread, it would lose ours


def open_port(port: int) -> socket.socket:
    """Open the port at which machines meet."""
    try:
        return socket.create_server(("", port))
    except OSError as error:
        raise OSError(
            f"[run] machine 0 cannot open port {port} ({error.strerror}): choose another "
            "--master_port on all machines"
        ) from None


def follow(host: str, port: int, me: Hello, names: dict[str, str]) -> int:
    """Start here what machine 0 wants started, until it says how the launch has ended."""
    with connect_to_first(host, port, me) as connection, connection.makefile() as lines:
        while True:
            try:
                line = lines.readline()
            except OSError:  # too long, or cut off
                line = ""
            if line.startswith(EXIT):
                return int(line.split()[1])
            if line.startswith(REFUSED):
                raise OSError(line.removeprefix(REFUSED).strip())
            if "--control-port" not in line:
                raise OSError(
                    f"[run] machine 0 at {host}:{port} does not say how the launch has ended: it "
                    "has failed there, or the network between has, or another program holds that "
                    "port (choose another --master_port on all machines)"
                )
            words = with_host(host, line)
            proxy = shutil.which("hydra_pmi_proxy", path=os.path.dirname(words[0])) or words[0]
            code, _ = wait_and_pass_signals(subprocess.Popen(words, executable=proxy, env=names))
            if code == 128 + signal.SIGKILL:
                host = socket.gethostname()
                print(f"[run] hydra_pmi_proxy was killed on host {host}", file=sys.stderr)
            connection.settimeout(PARTING_SECONDS)


def connect_to_first(host: str, port: int, me: Hello) -> socket.socket:
    """Return a connection to machine 0, which may not be there yet."""
    until = time.monotonic() + SECONDS
    while True:
        try:
            connection = socket.create_connection((host, port), timeout=SECONDS)
            connection.sendall(me.line())
            return connection
        except OSError as error:
            if time.monotonic() > until:
                raise OSError(f"[run] machine 0 is not at {host}:{port} ({error})") from None
            time.sleep(0.2)


def wait_and_pass_signals(process: subprocess.Popen[Any]) -> tuple[int, bool]:
    """Return a launch's exit code, and whether it was told to end: signals are passed on to it."""
    signals = []

    def pass_on(number: int, _: object) -> None:
        signals.append(number)
        process.send_signal(number)

    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, pass_on)
    code = process.wait()
    return code if code >= 0 else 128 - code, bool(signals)
