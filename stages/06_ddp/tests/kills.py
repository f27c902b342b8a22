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
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

SECONDS = 30.0
NAMED = re.compile(r"rank \d|\bhost \S|RUNNING AT \S")
GONE = "gone|ended|did not come|no sign of life|nobody answered"
FILE_SECONDS = 20.0
"""How long a file may stay: the cleaner gives ranks three seconds to end by themselves."""

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
    ranks: int

    def is_silent(self) -> bool:
        """Return whether nobody was there to say who was killed, or had to say it."""
        is_done = self.text.count("done") == self.ranks
        return is_done or self.victim in ("launcher", "nobody")

    def problem(self) -> str:
        """Return what is wrong; "" where nothing is."""
        if self.left:
            return f"left {self.left}"
        if self.seconds > SECONDS:
            return f"took {self.seconds:.1f} s"
        if self.is_silent() or self.is_named():
            return ""
        return f"does not name {self.victim}: {self.text[-500:]!r}"

    def is_named(self) -> bool:
        """Return whether a line says that the victim has gone: of a rank, with its number."""
        word, _, number = self.victim.partition(" ")
        if word != "rank":
            return NAMED.search(self.text) is not None
        this = re.compile(rf"\brank ([\d, ]*\b)?{number}\b")
        lines = [line for line in self.text.splitlines() if re.search(GONE, line)]
        return any(this.search(line) or "RUNNING AT" in line for line in lines)


def command_line(pid):
    """Return a process's command; "" where it has gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def processes(mark):
    """Return the numbers of the processes whose environment has the mark, without this one."""
    found, entry = [], f"NORCH_KILL_MARK={mark}".encode()
    for path in Path("/proc").glob("[0-9]*"):
        try:
            is_ours = entry in (path / "environ").read_bytes().split(b"\0")
            state = (path / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if is_ours and state != "Z" and int(path.name) != os.getpid():
            found.append(int(path.name))
    return sorted(found)


def kind(pid, jobs, way):
    """Return what a process of a job is: a rank with its number."""
    line, started = command_line(pid), [job.pid for job in jobs]
    if pid in started:
        return "launcher" if way == "run" else f"rank {started.index(pid)}"
    for word in ("hydra_pmi_proxy", "mpiexec", "supervisor.py", "resource_tracker"):
        if word in line:
            return word.removesuffix(".py")
    return f"rank {rank_under_mpiexec(pid)}" if way == "run" else "meeting"


def rank_under_mpiexec(pid):
    """Return the number that mpiexec gave a process; "?" where it has gone."""
    with suppress(OSError):
        names = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        return next((n[9:].decode() for n in names if n.startswith(b"PMI_RANK=")), "?")
    return "?"


def shared_files():
    """Return mpich's files in /dev/shm of this user that no process uses."""
    found = set()
    for path in Path("/dev/shm").glob("mpich_*"):
        with suppress(OSError):
            found |= {path.name} if path.stat().st_uid == os.getuid() else set()
    for path in Path("/proc").glob("[0-9]*/maps") if found else ():
        with suppress(OSError):
            text = path.read_text()
            found = {name for name in found if name not in text}
    return found


def left_files(before):
    """Return the files that stay: another job may just be making one, or be killed itself."""
    found = shared_files() - before
    until = time.monotonic() + FILE_SECONDS
    while found and time.monotonic() < until:
        time.sleep(0.2)
        found &= shared_files()
    return sorted(found)


def start(way, script, mark, ranks, log):
    """Start a job of so many ranks."""
    from rank_programs import environment, free_port  # beside pytest's, on whose path it is

    env = environment(NORCH_KILL_MARK=mark, NORCH_NUM_THREADS="1")
    if way == "run":
        line = [sys.executable, "-m", "norch_ddp.run", "--nproc_per_node", str(ranks), script]
        return [subprocess.Popen(line, stdout=log, stderr=log, env=env)]
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "WORLD_SIZE": str(ranks)}
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
        ranks = chance.choice([2, 3, 4])
        jobs = start(way, script, mark, ranks, log)
        time.sleep(moment)
        found = {pid: kind(pid, jobs, way) for pid in processes(mark)}
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
        return Result(seed, way, who, moment, seconds, code, log.read(), names + files, ranks)


def main():
    """Kill so many jobs, and say how many ended as they should."""
    times, first = (
        (int(text) for text in [*sys.argv[1:], "60", "0"][:2])
        if len(sys.argv) != 2
        else (int(sys.argv[1]), 0)
    )
    good = silent = 0
    sys.path.insert(0, str(Path(__file__).parents[3] / "tests" / "support"))
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + times):
            result = kill_one(seed, folder)
            problem = result.problem()
            good += not problem
            silent += not problem and result.is_silent()
            print(
                f"{seed:3} {result.way:4} {result.victim:16} after {result.moment:.2f} s: ended in "
                f"{result.seconds:.2f} s, code {result.code} {problem or 'as it should'}",
                flush=True,
            )
    print(f"{good} of {times} as they should; in {silent} of these nobody was left to name anybody")


if __name__ == "__main__":
    main()
