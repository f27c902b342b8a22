"""Chapter 6: two commands for notebooks, so that a cell runs as a script in several processes.

`%%ranks 4` starts the cell's text four times, as a terminal would, and prints the lines sorted by
rank. `%%every_rank NAME` keeps its text for the beginning of all later scripts; the name says which
text a cell replaces when it is run again.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

LONGEST = 300  # seconds; ends only a hang


def teach(notebook: object) -> list[str]:
    """Register the two commands; return the list that always holds the latest cell's lines."""
    beginnings: dict[str, str] = {}
    said: list[str] = []

    def every_rank(name: str, program: str) -> None:
        beginnings[name] = program

    def ranks(counts: str, program: str) -> None:
        script = "\n".join([*beginnings.values(), program])
        said[:] = [line for count in counts.split() for line in by_rank(start(count, script))]
        print("\n".join(said))

    notebook.register_magic_function(every_rank, "cell")
    notebook.register_magic_function(ranks, "cell")
    return said


def start(count: str, program: str) -> list[str]:
    """Run a script in `count` processes; return the lines that they printed."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "script.py")
        script.write_text(program, encoding="utf-8")
        launcher = [sys.executable, "-m", "norch.distributed.run", "--nproc_per_node", count]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        run = subprocess.Popen([*launcher, script], start_new_session=True, **pipes)
        try:
            said, _ = run.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            raise
    if run.returncode:
        raise RuntimeError(said)
    return said.splitlines()


def by_rank(lines: list[str]) -> list[str]:
    """Sort lines by the rank that they begin with; those of one rank keep their order."""
    return sorted(lines, key=lambda line: int((re.match(r"rank (\d+)", line) or [0, -1])[1]))
