"""Kills one process of a job at a moment by chance (`kill -9`), and looks at what is seen and left.

    python stages/06_ddp/tests/kills.py [times] [first seed]

Half of the jobs are started by the launcher, half meet at a port. Whoever is killed (launcher,
mpiexec, its proxy, a supervisor, a rank, the process that rank 0 leaves at the port), the job must
end within 30 s, leave no process and no file in /dev/shm, and its output must name a rank or a
host; where the launcher itself was killed, nobody is left to say so.
"""

import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

SECONDS = 30.0
NAMED = re.compile(r"rank \d|\bhost \S|RUNNING AT \S")

WORK = """
import os, sys, time
import norch_autograd as norch
import norch_ddp as dist
dist.init_process_group("gloo", timeout=10)
until = time.monotonic() + 3
while time.monotonic() < until:
    dist.all_reduce(norch.ones(1000))
    time.sleep(0.01)
    stop = norch.ones(1) * (time.monotonic() >= until)
    dist.broadcast(stop, 0)
    if stop.item():
        break
dist.destroy_process_group()
print("done")
"""


class Result(NamedTuple):
    """How a job ended of which one process was killed."""

    seed: int
    way: str
    victim: str
    moment: float
    seconds: float
    code: int
    text: str
    left: list[str]

    def problem(self) -> str:
        """Return what is wrong; "" where nothing is."""
        if self.left:
            return f"left {self.left}"
        if self.seconds > SECONDS:
            return f"took {self.seconds:.1f} s"
        if self.victim in ("launcher", "nobody") or NAMED.search(self.text):
            return ""
        is_done = self.code == 0 and "done" in self.text
        return "" if is_done else f"names nobody: {self.text[-500:]!r}"


def command_line(pid):
    """Return a process's command; "" where it has gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def processes(mark):
    """Return the numbers of the processes whose environment has the mark, without this one."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            is_ours = mark.encode() in (path / "environ").read_bytes()
            state = (path / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if is_ours and state != "Z" and int(path.name) != os.getpid():
            found.append(int(path.name))
    return sorted(found)


def kind(pid, launcher):
    """Return what a process of a job is."""
    line = command_line(pid)
    if pid == launcher:
        return "launcher"
    for word in ("hydra_pmi_proxy", "mpiexec", "supervisor.py", "resource_tracker"):
        if word in line:
            return word.removesuffix(".py")
    return "rank or meeting"


def shared_files():
    """Return mpich's files in /dev/shm that no process uses."""
    found = {path.name for path in Path("/dev/shm").glob("mpich_*")}
    for path in Path("/proc").glob("[0-9]*/maps") if found else ():
        with suppress(OSError):
            text = path.read_text()
            found = {name for name in found if name not in text}
    return found


def left_files(before):
    """Return the files that stay: another job may just be making one."""
    found = shared_files() - before
    for _ in range(20):
        if found:
            time.sleep(0.1)
            found &= shared_files()
    return sorted(found)


def free_port():
    """Return a port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return str(server.getsockname()[1])


def start(way, script, mark, ranks, log):
    """Start a job of so many ranks."""
    env = {**os.environ, "NORCH_KILL_MARK": mark, "NORCH_NUM_THREADS": "1"}
    if way == "run":
        line = [sys.executable, "-m", "norch_ddp.run", "--nproc_per_node", str(ranks), script]
        return [subprocess.Popen(line, stdout=log, stderr=log, env=env)]
    port = free_port()
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": str(ranks)}
    return [
        subprocess.Popen(
            [sys.executable, script],
            stdout=log,
            stderr=log,
            env={**env, **place, "RANK": str(rank)},
        )
        for rank in range(ranks)
    ]


def kill_one(seed, folder, way=None, moment=None, victim=None):
    """Start a job, kill one of its processes, and return how it ended."""
    chance = random.Random(seed)
    way = way or chance.choice(["run", "port"])
    moment = chance.uniform(0.0, 4.0) if moment is None else moment
    mark, script = f"{os.getpid()}.{seed}", Path(folder) / "work.py"
    script.write_text(WORK)
    before = shared_files()
    with open(Path(folder) / f"log{seed}", "w+") as log:
        jobs = start(way, script, mark, chance.choice([2, 3, 4]), log)
        time.sleep(moment)
        found = {pid: kind(pid, jobs[0].pid if way == "run" else 0) for pid in processes(mark)}
        chosen = [pid for pid in found if victim in (None, found[pid])]
        pid = chance.choice(chosen) if chosen else 0
        began = time.monotonic()
        if pid:
            os.kill(pid, 9)
        codes = []
        for job in jobs:
            try:
                codes.append(job.wait(max(0.1, began + SECONDS + 10 - time.monotonic())))
            except subprocess.TimeoutExpired:
                codes.append(None)
        while (left := processes(mark)) and time.monotonic() < began + SECONDS + 10:
            time.sleep(0.05)
        seconds = time.monotonic() - began
        names = [f"{one} {command_line(one)}" for one in left]
        for one in left:
            os.kill(one, 9)
        log.seek(0)
        files = left_files(before)
        code = next((code for code in codes if code != 0), 0)
        who = found.get(pid, "nobody")
        return Result(seed, way, who, moment, seconds, code, log.read(), names + files)


def main():
    """Kill so many jobs, and say how many ended as they should."""
    times, first = (
        (int(text) for text in [*sys.argv[1:], "60", "0"][:2])
        if len(sys.argv) != 2
        else (int(sys.argv[1]), 0)
    )
    good = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + times):
            result = kill_one(seed, folder)
            problem = result.problem()
            good += not problem
            print(
                f"{seed:3} {result.way:4} {result.victim:16} after {result.moment:.2f} s: ended in "
                f"{result.seconds:.2f} s, code {result.code} {problem or 'as it should'}",
                flush=True,
            )
    print(f"{good} of {times}")


if __name__ == "__main__":
    main()
