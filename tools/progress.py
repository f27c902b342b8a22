"""One line that tells how a long command gets on: how much is compiled, how long it takes still.

setup_env.py and the programs beside it run installers through `watch`, which keeps what they say
for the case that they fail. Installers swallow the compiler's words, so the files that ninja keeps
in a package's build folder tell what is compiled. Plain ASCII: one line rewritten on a
terminal, a line every ten seconds elsewhere. It changes nothing in those folders.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LOGS = "stages/*/build/*/.ninja_log"
# The link of a module names its objects: `build _cpu.so: RULE a.o b.o | ...`.
LINK = re.compile(r"^build \S+\.so: \S+ ([^|\n]*)", re.MULTILINE)
ON_TERMINAL, ELSEWHERE = 0.5, 10.0  # seconds between two looks at a running command


class Count(NamedTuple):
    """What was compiled since the command began."""

    done: int
    total: int  # objects known to be needed; of edited files only ninja knows how many
    seconds_left: float | None


def read_log(text: str) -> dict[str, tuple[int, str]]:
    """Return each output of a .ninja_log: the millisecond of its end, and its whole entry."""
    entries = {}
    for line in text.splitlines():
        fields = line.split("\t")  # start, end, time of the file, output, hash of the command
        if len(fields) == 5:
            entries[fields[3]] = (int(fields[1]), line)
    return entries


def objects(build: str) -> set[str]:
    """Return the objects from which the module of a build.ninja is linked."""
    names = (name for inputs in LINK.findall(build) for name in inputs.split())
    return {name for name in names if name.endswith(".o")}


def weight(name: str) -> float:
    """Return about how long an object compiles beside the others: kernels are the heavy ones."""
    return 4.0 if "kernels/" in name else 1.0


class Build:
    """One build folder, compared with what it was when the command began."""

    def __init__(self, folder: Path, is_new: bool) -> None:
        self.folder = folder
        self.before = {} if is_new else read_log(text_of(folder / ".ninja_log"))

    def count(self) -> Count:
        """Count what was compiled since then, and what is known to be missing."""
        wanted = objects(text_of(self.folder / "build.ninja"))
        now = read_log(text_of(self.folder / ".ninja_log"))
        done = {name for name in wanted & now.keys() if now[name] != self.before.get(name)}
        missing = wanted - self.before.keys() - done
        left = None
        if done and missing:
            spent = max(now[name][0] for name in done) / 1000  # ninja counts from its own start
            left = spent * sum(map(weight, missing)) / sum(map(weight, done))
        return Count(len(done), len(done | missing), left)


class Builds:
    """All build folders of the repository, and those that come while the command runs."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.known = {log: Build(log.parent, is_new=False) for log in root.glob(LOGS)}

    def count(self) -> Count:
        """Add up what all of them have compiled; the slowest says how long it takes still."""
        for log in self.root.glob(LOGS):
            self.known.setdefault(log, Build(log.parent, is_new=True))
        counts = [build.count() for build in self.known.values()]
        left = [count.seconds_left for count in counts if count.seconds_left is not None]
        # A folder in which nothing was compiled yet may not be built at all.
        working = [count for count in counts if count.done]
        done, total = sum(c.done for c in working), sum(c.total for c in working)
        return Count(done, total, max(left, default=None))


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


def watch(command: list[str], what: str, root: Path = ROOT, **options: Any) -> int:
    """Run a command, tell how it gets on, print what it said if it fails; return its code."""
    with tempfile.TemporaryFile() as said:
        with subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT, **options) as running:
            show(running, what, root)
        if running.returncode:
            said.seek(0)
            print(said.read().decode(errors="replace"), end="", flush=True)
    return running.returncode
