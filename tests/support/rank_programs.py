"""Starting the programs of ranks, always with a time limit, for tests of stage 6 and extras."""

import itertools
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

SECONDS = 600  # ends only a hang: programs that wait for nothing take two or three, alone


def program(path, name):
    """The file that tests at `path` name as their PROGRAM, in `programs/` beside it."""
    return Path(path).parent / "programs" / name


class Ended(NamedTuple):
    """How a program ended."""

    code: int
    out: str
    err: str


LAUNCHERS = re.compile(
    r".*(MPI|PMI)|(SLURM|TORCHELASTIC|MASTER|LOCAL|GROUP|ROLE)_"
    r"|(RANK|WORLD_SIZE|NORCH_NUM_THREADS)$"
)
"""Names by which launchers tell a process its place."""


def environment(**names):
    """The environment without what an outer launcher or the caller's shell may have set."""
    kept = {name: value for name, value in os.environ.items() if not LAUNCHERS.match(name)}
    found = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**kept, "PYTHONPATH": os.pathsep.join(found), **names}  # the first has their cases.py


_numbers = itertools.count(64 * os.getpid())


def free_port():
    """A free port that nobody takes meanwhile: neither the system for a program that connects, to
    which it gives higher ones, nor another process of the tests, which begins elsewhere.
    """
    while True:
        port = 20_000 + next(_numbers) % 12_000
        with suppress(OSError), socket.create_server(("", port)):
            return port


def run_command(command, seconds=SECONDS, input="", **names):
    """Run a command in a session of its own; when time is up, end all of it and fail."""
    process = subprocess.Popen(
        [str(part) for part in command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(**names),
        start_new_session=True,
    )
    try:
        out, err = process.communicate(input, timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        pytest.fail(f"still running after {seconds} s: {command}\n{out}\n{err}")
    return Ended(process.returncode, out, err)


def start(ranks, script, *args, **options):
    """Run `script` under the launcher."""
    head = [sys.executable, "-m", "norch_ddp.run", "--nproc_per_node", ranks]
    return run_command([*head, script, *args], **options)


@pytest.fixture
def launch():
    """Give the test `launch(ranks, script, *args, seconds=..., NAME=...)`."""
    return start


@pytest.fixture
def command():
    """Give the test `command([program, *args], seconds=..., NAME=...)`."""
    return run_command


@pytest.fixture
def script(tmp_path):
    """Give the test `script(text)`, which writes a program to a file of its own."""

    def write(text):
        path = tmp_path / "program.py"
        path.write_text(text)
        return path

    return write


def start_program(ranks, path, name):
    """Run all cases of a PROGRAM in one launch; "2-cuda-sim" is two ranks, by NCCL."""
    number, _, device = str(ranks).partition("-")
    return start(number, program(path, name), NORCH_TEST_DEVICE=device)


@pytest.fixture(scope="module")
def ended(request, ranks):
    """How the module's PROGRAM ended."""
    return start_program(ranks, request.path, request.module.PROGRAM)


def pytest_generate_tests(metafunc):
    """A test that asks for `case` runs once for each `case_` function of its PROGRAM.

    The PROGRAM is its class's, which says RANKS too, or its module's.
    """
    tests = metafunc.cls or metafunc.module
    if hasattr(metafunc.cls, "RANKS"):
        metafunc.parametrize("ranks", tests.RANKS, scope="class", ids=lambda n: f"{n}-ranks")
    if "case" in metafunc.fixturenames:
        text = program(metafunc.module.__file__, tests.PROGRAM).read_text()
        metafunc.parametrize("case", re.findall(r"^def case_(\w+)", text, re.MULTILINE))
