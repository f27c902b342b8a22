"""Two processes, in norch over MPI and in PyTorch over gloo: the same numbers on both ranks."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "two_processes.py"
ROWS = re.findall(r"^def row_(\w+)", PROGRAM.read_text(), re.MULTILINE)
HALVES = ("hooks",)  # PyTorch adds them up in two bytes, norch in four


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What each library gives: both run at the same time."""
    folder = tmp_path_factory.mktemp("two_processes")
    started = {}
    ports = free_ports(4)
    for library in ("norch", "torch"):
        names = {
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(ports.pop()),
            "NORCH_TEST_STORE_PORT": str(ports.pop()),
            "PYTHONPATH": os.pathsep.join(sys.path),
            "NORCH_TEST_FOLDER": str(folder),
            "NORCH_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
        }
        started[library] = subprocess.Popen(
            [sys.executable, PROGRAM, library, folder],
            env={**os.environ, **names},
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    try:
        for library, process in started.items():
            error = process.communicate(timeout=300)[1]
            assert process.returncode == 0, f"{library}: {error[-3000:]}"
    finally:
        for process in started.values():
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)  # and its ranks
                process.wait()
    return {
        library: [json.loads((folder / f"{library}-{rank}.json").read_text()) for rank in range(2)]
        for library in started
    }


def free_ports(count):
    """Numbers that differ: each is held until all are known."""
    with ExitStack() as held:
        servers = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [server.getsockname()[1] for server in servers]


def agree(ours, theirs, tolerance):
    if isinstance(theirs, list):
        assert isinstance(ours, list) and len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            agree(one, other, tolerance)
    elif isinstance(theirs, float):
        assert abs(ours - theirs) <= tolerance * max(1.0, abs(theirs)), (ours, theirs)
    else:
        assert ours == theirs


@pytest.mark.parametrize("row", ROWS)
def test_two_processes(found, row):
    for ours, theirs in zip(found["norch"], found["torch"], strict=True):
        agree(ours[row], theirs[row], 0.02 if row in HALVES else 1e-9)


def test_there_are_rows():
    assert len(ROWS) > 12
