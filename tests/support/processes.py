"""Which processes run, for the tests that look for one left behind.

Linux tells it in /proc, also where no `ps` is installed; elsewhere `ps` is asked.
"""

import subprocess
import time
from pathlib import Path

PROC = Path("/proc")


def ps(*options):
    """What `ps` prints, without its head."""
    return subprocess.run(["ps", *options], capture_output=True, text=True, check=False).stdout


def alive(pid):
    """Whether a process runs; one that ended and that nobody has waited for yet does not."""
    if not (PROC / "self").exists():
        state = ps("-o", "stat=", "-p", str(pid)).strip()
    else:
        try:
            state = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            state = ""
    return state != "" and not state.startswith("Z")


def gone(pids):
    """Wait until none of the processes runs; the limit only ends a wait for one that stays."""
    end = time.monotonic() + 600
    while any(map(alive, pids)) and time.monotonic() < end:
        time.sleep(0.02)
    return not any(map(alive, pids))


def command_lines():
    """The command lines of all processes."""
    if not (PROC / "self").exists():
        return ps("-eo", "args=").splitlines()
    found = []
    for path in PROC.glob("[0-9]*/cmdline"):
        try:
            found.append(path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found
