"""One line that tells how a long command gets on: how much is compiled, how long it takes still.

install.py runs installers through `watch`, which returns what they said. Installers swallow the
compiler's words, so the files that ninja keeps in a package's build folder tell what is compiled.
Plain ASCII: one line rewritten on a terminal, a line every ten seconds elsewhere. It changes
nothing in those folders.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LOGS = "stages/*/build/*/.ninja_log"
# The link of a module names its objects: `build _cpu.so: RULE a.o b.o | ...`.
LINK = re.compile(r"^build \S+\.so: \S+ ([^|\n]*)", re.MULTILINE)
# Seconds of one object by its folder, for a first build: measured on a quiet machine.
SECONDS = {"scalar_kernels/": 5.6, "kernels/": 4.2, "bindings/module.": 5.4, "": 1.0}
ON_TERMINAL, ELSEWHERE = 0.5, 10.0  # seconds between two looks at a running command


class Count(NamedTuple):
    """What was compiled since the command began."""

    done: int
    total: int  # objects known to be needed; of edited files only ninja knows how many
    seconds_left: float | None


class Entry(NamedTuple):
    """One line of a .ninja_log; times are in seconds since that ninja began."""

    start: float
    end: float
    line: str


def read_log(text: str) -> dict[str, Entry]:
    """Return the entry of each output of a .ninja_log."""
    entries = {}
    for line in text.splitlines():
        fields = line.split("\t")  # start, end, time of the file, output, hash of the command
        if len(fields) == 5:
            entries[fields[3]] = Entry(int(fields[0]) / 1000, int(fields[1]) / 1000, line)
    return entries


def objects(build: str) -> set[str]:
    """Return the objects from which the module of a build.ninja is linked."""
    names = (name for inputs in LINK.findall(build) for name in inputs.split())
    return {name for name in names if name.endswith(".o")}


def guess(name: str) -> float:
    """Return about how many seconds an object takes that was never compiled here."""
    return next(seconds for part, seconds in SECONDS.items() if part in name)


def num_jobs() -> int:
    """Return how many files ninja compiles at once."""
    named = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", "")
    if named.isdecimal() and int(named):
        return int(named)
    allowed = hasattr(os, "sched_getaffinity") and os.sched_getaffinity(0)  # not on macOS
    cores = len(allowed) if allowed else os.cpu_count() or 1
    return cores + 1 if cores < 3 else cores + 2


class Build:
    """One build folder, compared with what it was when the command began."""

    def __init__(self, folder: Path, usual: dict[str, float], is_new: bool) -> None:
        self.folder, self.usual, self.is_new = folder, usual, is_new
        self.before = {} if is_new else read_log(text_of(folder / ".ninja_log"))

    def weight(self, names: set[str]) -> float:
        """Return about how many seconds the objects take: as the last time, or a guess."""
        return sum(self.usual.get(name) or guess(name) for name in names)

    def count(self) -> Count:
        """Count what was compiled since then, and what is known to be missing."""
        wanted = objects(text_of(self.folder / "build.ninja"))
        now = read_log(text_of(self.folder / ".ninja_log"))
        done = {name for name in wanted & now.keys() if now[name] != self.before.get(name)}
        missing = wanted - self.before.keys() - done
        left = None
        if done and missing:
            left = self.seconds_left([now[name] for name in done], done, missing)
        return Count(len(done), len(done | missing), left)

    def seconds_left(self, ended: list[Entry], done: set[str], missing: set[str]) -> float | None:
        """Foretell from what has ended; as less and less remains, from how long it all took."""
        spent = max(entry.end for entry in ended)
        all_of_it = self.weight(done | missing)
        part = self.weight(done) / all_of_it
        # Early, more was worked on than has ended: the jobs that still run.
        whole = sum(entry.end - entry.start for entry in ended) / part / num_jobs()
        left = (1 - part) * (whole - spent) + part * (spent / part - spent)
        left -= time.time() - (self.folder / ".ninja_log").stat().st_mtime  # since the last end
        return left if part > 0.02 and left > 0 else None


class Builds:
    """All build folders of the repository, and those that come while the command runs."""

    def __init__(self, root: Path) -> None:
        self.root = root
        logs = {log: read_log(text_of(log)) for log in root.glob(LOGS)}
        ended = ((name, entry) for entries in logs.values() for name, entry in entries.items())
        self.usual = {name: entry.end - entry.start for name, entry in ended}
        self.known = {log: Build(log.parent, self.usual, is_new=False) for log in logs}

    def count(self) -> Count:
        """Add up what all of them have compiled; the slowest says how long it takes still."""
        for log in self.root.glob(LOGS):
            self.known.setdefault(log, Build(log.parent, self.usual, is_new=True))
        counts = [(build, build.count()) for build in self.known.values()]
        # A folder of before in which nothing was compiled yet may not be built at all.
        busy = [count for build, count in counts if count.done or build.is_new]
        working = [count for count in busy if count.done]
        done, total = sum(c.done for c in working), sum(c.total for c in working)
        left = [count.seconds_left for count in busy if count.done < count.total]
        known = [seconds for seconds in left if seconds is not None]
        # Of all of them only where each has an estimate: the others may be the slower ones.
        return Count(done, total, max(known, default=None) if len(known) == len(left) else None)


def text_of(path: Path) -> str:
    """Return the text of a file, nothing where there is none yet."""
    return path.read_text(errors="replace") if path.exists() else ""


def sentence(what: str, count: Count, spent: float) -> str:
    """Return the line that a person reads meanwhile."""
    text = f"{what}: {spent:.0f} s"
    if count.done:
        total = f" of {count.total}" if count.done < count.total else ""
        text += f", compiled {count.done}{total} files"
    if count.seconds_left is not None:
        text += f", about {count.seconds_left:.0f} s left"
    return text


def show(command: subprocess.Popen[bytes], what: str, root: Path) -> None:
    """Tell how a running command gets on until it ends."""
    builds, start, shown = Builds(root), time.monotonic(), ""
    is_terminal = sys.stdout.isatty()
    while True:
        try:
            command.wait(ON_TERMINAL if is_terminal else ELSEWHERE)
            break
        except subprocess.TimeoutExpired:
            text = sentence(what, builds.count(), time.monotonic() - start)
        if is_terminal:
            print(f"\r{text:{len(shown)}}", end="", flush=True)
        else:
            print(text, flush=True)
        shown = text
    if is_terminal:
        print(f"\r{'':{len(shown)}}\r", end="", flush=True)


def until_stopped(main: Callable[[], None]) -> None:
    """Run a program's main; what Ctrl+C ends says so in one line."""
    try:
        main()
    except KeyboardInterrupt:
        under_it = "\n" if sys.stdout.isatty() else ""  # under the line that was rewritten
        print(f"{under_it}[setup] stopped; make goes on where it was", file=sys.stderr)
        sys.exit(130)


def watch(command: list[str], what: str, root: Path = ROOT, **options: Any) -> tuple[int, str]:
    """Run a command and tell how it gets on; return its code and what it said meanwhile."""
    with tempfile.TemporaryFile() as said:
        options |= {"stdin": subprocess.DEVNULL, "stdout": said, "stderr": subprocess.STDOUT}
        with subprocess.Popen(command, **options) as running:
            show(running, what, root)
        said.seek(0)
        return running.returncode, said.read().decode(errors="replace")
