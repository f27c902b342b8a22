"""Several machines without ssh: the launcher is started on each, and they meet at one address.

`run` calls `lead` on machine 0 and `follow` on the others (`--node_rank`). Machine 0 runs mpiexec
with its manual launcher, which prints, in place of a call of ssh, what is to be started on each
machine; that line is handed to the machine's own launcher, which becomes it. From there on mpiexec
has all ranks, as always. Whoever reaches the port may join: it is for networks that you trust.
"""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import subprocess
import time
from threading import Thread

SECONDS = 300.0
"""How long machines wait for each other."""


def labels(count: int) -> list[str]:
    """Return names by which mpiexec tells the machines apart."""
    return [f"node{number}" for number in range(count)]


def lead(command: list[str], names: dict[str, str], port: int, count: int) -> subprocess.Popen[str]:
    """Start mpiexec on machine 0, when all the others have come to the port."""
    others = gather(port, count)
    manual = [command[0], "-launcher", "manual", *command[1:]]
    mpiexec = subprocess.Popen(manual, env=names, stdout=subprocess.PIPE, text=True)
    lines = []
    for line in mpiexec.stdout:
        if line.startswith("HYDRA_LAUNCH_END"):
            break
        lines.append(line.removeprefix("HYDRA_LAUNCH: "))
    subprocess.Popen(reached_at("127.0.0.1", lines[0]), env=names)
    for number, connection in others.items():
        connection.sendall(lines[number].encode())
        connection.close()
    Thread(target=pass_output_on, args=(mpiexec,)).start()
    return mpiexec


def reached_at(host: str, line: str) -> list[str]:
    """Return the words of mpiexec's line, with the address by which this machine knows it."""
    words = shlex.split(line)
    place = words.index("--control-port") + 1
    words[place] = f"{host}:{words[place].rpartition(':')[2]}"
    return words


def pass_output_on(mpiexec: subprocess.Popen[str]) -> None:
    """Write what the ranks write, line by line."""
    for line in mpiexec.stdout:
        os.write(1, line.encode())


def gather(port: int, count: int) -> dict[int, socket.socket]:
    """Return a connection to each of the other machines, by number."""
    others: dict[int, socket.socket] = {}
    until = time.monotonic() + SECONDS
    with socket.create_server(("", port)) as server:
        while len(others) < count - 1:
            server.settimeout(max(0.001, until - time.monotonic()))
            try:
                connection = server.accept()[0]
                number = int(connection.makefile().readline())
            except ValueError:  # no launcher of ours
                continue
            except TimeoutError:
                missing = [n for n in range(1, count) if n not in others]
                raise OSError(
                    f"[run] machine {missing} of {count} did not come to port {port} within "
                    f"{SECONDS:.0f} s: start the same command there with its --node_rank"
                ) from None
            if 0 < number < count:
                others[number] = connection
    return others


def follow(host: str, port: int, number: int, names: dict[str, str]) -> None:
    """Become what machine 0 wants started here."""
    until = time.monotonic() + SECONDS
    while True:
        try:
            connection = socket.create_connection((host, port), timeout=SECONDS)
            break
        except OSError as error:
            if time.monotonic() > until:
                raise OSError(f"[run] machine 0 is not at {host}:{port} ({error})") from None
            time.sleep(0.2)
    connection.settimeout(SECONDS)
    connection.sendall(f"{number}\n".encode())
    line = connection.makefile().readline()
    if "--control-port" not in line:
        raise OSError(f"[run] machine 0 at {host}:{port} ended before it began")
    words = reached_at(host, line)
    proxy = shutil.which("hydra_pmi_proxy", path=os.path.dirname(words[0])) or words[0]
    os.execve(proxy, words, names)
