"""Accelerate's further names: one launch for each number of ranks."""

import socket
import sys

import pytest

PROGRAM = "accelerate_names.py"


@pytest.fixture(scope="module", params=[1, 4], ids=lambda ranks: f"{ranks}-ranks")
def ranks(request):
    return request.param


def test_accelerate_names(ended, case):
    assert f"ok {case}" in ended.out.splitlines(), ended.out + ended.err


def test_all_ranks_leave_quietly(ended):
    assert (ended.code, ended.err) == (0, "")


NOTEBOOK = """
import sys
from norch_extras.accelerate import Accelerator, notebook_launcher

def main():
    def train(factor):
        accelerator = Accelerator(cpu=True)
        accelerator.wait_for_everyone()
        accelerator.print(accelerator.num_processes * factor, flush=True)

    notebook_launcher(train, (10,), num_processes=int(sys.argv[1]), use_port=sys.argv[2])

main()
"""


@pytest.mark.parametrize("count", [1, 2])
def test_a_notebook_starts_processes(command, script, count):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    ended = command([sys.executable, script(NOTEBOOK), count, port])
    assert (ended.code, ended.out) == (0, f"{10 * count}\n"), ended.err
