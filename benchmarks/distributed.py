"""The rows of two processes: collectives beside mpi4py's raw calls, a DDP step beside one alone.

norch and MPI are asked in turns in the same two processes, torch's gloo in two of its own where
torch is installed. Each process has one thread; `ranks.py` is what they run.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence

from benchmarks.processes import ROOT, environment
from benchmarks.ranks import COLLECTIVES, SIZES
from benchmarks.row import Row

COLLECTIVE = {"1 KB": 2.5, "64 KB": 3.0, "1 MB": 3.0, "64 MB": 1.05}
"""How many times as long as MPI's raw call a collective may take."""

STEP = 1.05
GROUP = "distributed"
PATIENCE = 300.0

NAMES = [
    *(f"{op} {size}, 2 processes, beside MPI" for size in SIZES for op in COLLECTIVES),
    *(f"{model} step, 2 processes, beside no messages" for model in ("MLP", "CNN", "GPT")),
]


def measure(names: Sequence[str], frameworks: Sequence[str], rounds: int) -> Iterator[Row]:
    """Yield the rows of these names: one launch a library measures all."""
    wanted = [name for name in NAMES if name in names]
    if not wanted:
        return
    found: dict[str, dict[str, list[float]]] = {}
    absent: dict[str, str] = {}
    for library in ("norch", "torch"):
        if library in frameworks:
            times, reason = launch(library, rounds)
            for key, seconds in times.items():
                found.setdefault(key, {}).update(seconds)
            if reason:
                absent[library] = f"failed: {reason}"
    for name in wanted:
        key, _, rest = name.partition(",")
        gate = COLLECTIVE[key.split(" ", 1)[1]] if "MPI" in rest else STEP
        beside = "mpi4py" if "MPI" in rest else "norch alone"
        row = Row(name, GROUP, 1, gate, beside=beside)
        row.times, row.absent = found.get(key, {}), absent
        yield row


def launch(library: str, rounds: int) -> tuple[dict[str, dict[str, list[float]]], str]:
    """Run the two ranks; return seconds by row and library, and why there are none."""
    ranks = ["-m", "benchmarks.ranks", library, str(rounds)]
    launcher = ["-m", "norch.distributed.run", "--nproc_per_node", "2"]
    if library == "norch":
        started = [start([*launcher, *ranks])]
    else:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free.getsockname()[1])}
        place |= {"WORLD_SIZE": "2", "GLOO_SOCKET_IFNAME": "lo"}
        started = [start(ranks, RANK=str(rank), **place) for rank in range(2)]
    try:
        ended = [process.communicate(timeout=PATIENCE) for process in started]
    finally:
        for process in started:
            process.kill()
    lines = [line for out, _ in ended for line in out.splitlines() if line.startswith("{")]
    if lines:
        return json.loads(lines[0]), ""
    words = [line for _, errors in ended for line in errors.splitlines()]
    return {}, words[-1] if words else "no answer"


def start(words: list[str], **names: str) -> subprocess.Popen[str]:
    """Start Python in the root of the repository."""
    return subprocess.Popen(
        [sys.executable, *words],
        cwd=ROOT,
        env={**environment(1), **names},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
