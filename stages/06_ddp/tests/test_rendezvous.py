"""Ranks that no launcher started: they meet at an address, and end together."""

import os
import socket
import subprocess
import sys

import pytest

from norch_ddp.launch import rendezvous

WORK = """
import multiprocessing, os, sys
import norch_autograd as norch
import norch_ddp as dist
from norch_ddp.launch.spawn import spawn

def work(rank, size, method, text):
    dist.init_process_group("gloo", method, rank=rank, world_size=size, timeout=300)
    total = norch.ones(3) * rank
    dist.all_reduce(total)
    assert total.tolist() == [sum(range(size))] * 3
    if rank == 1:
        exec(text)
    dist.barrier()
    if rank == 0:
        left = {"PMI_FD", "PMI_RANK", "PMI_SIZE"} & set(os.environ)  # what it starts is no rank
        print("passed", dist.get_world_size(), *left, flush=True)
    dist.destroy_process_group()

if __name__ == "__main__":
    how, method, text = sys.argv[1:]
    if how == "spawn":
        spawn(work, args=(3, method, text), nprocs=3)
    else:
        multiprocessing.set_start_method(how)
        start = multiprocessing.Process
        ranks = [start(target=work, args=(rank, 3, method, text)) for rank in range(3)]
        for rank in ranks:
            rank.start()
        for rank in ranks:
            rank.join()
        print(*(rank.exitcode for rank in ranks))
"""


@pytest.fixture
def port():
    """A port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def test_spawned_functions_become_a_group(command, script, port):
    path = script(WORK)
    ended = command([sys.executable, path, "spawn", f"tcp://127.0.0.1:{port}", "pass"])
    assert (ended.code, ended.out) == (0, "passed 3\n"), ended.err


def test_forked_processes_become_a_group_at_the_address_of_the_environment(command, script, port):
    place = {"MASTER_ADDR": "localhost", "MASTER_PORT": str(port)}
    ended = command([sys.executable, script(WORK), "fork", "env://", "pass"], **place)
    assert (ended.code, ended.out) == (0, "passed 3\n0 0 0\n"), ended.err


def test_a_spawned_rank_that_raises_ends_the_others(command, script, port):
    path = script(WORK)
    ended = command([sys.executable, path, "spawn", f"tcp://127.0.0.1:{port}", "1 / 0"])
    assert ended.code == 1 and "passed" not in ended.out
    assert "process 1 raised" in ended.err and "ZeroDivisionError" in ended.err


@pytest.mark.parametrize(
    ("text", "codes", "message"),
    [
        ("1 / 0", "1 1 1", "rank 1: ended: this rank's script is over"),
        ("os._exit(0)", "1 0 1", "rank 1 of 3 has gone without a word"),
        ("os.kill(os.getpid(), 9)", "1 -9 1", "rank 1 of 3 has gone without a word"),
    ],
)
def test_one_that_goes_ends_the_others(command, script, port, text, codes, message):
    ended = command([sys.executable, script(WORK), "fork", f"tcp://127.0.0.1:{port}", text])
    assert ended.out == f"{codes}\n"
    assert message in ended.err


def by_hand(script, size, *numbers, timeout=300, **names):
    """Start ranks as a person would in terminals; return how each ended."""
    begin = f"dist.init_process_group(timeout={timeout})"
    path = script(f"import norch_ddp as dist\n{begin}\ndist.barrier()")
    started = [
        subprocess.Popen(
            [sys.executable, path],
            env={**os.environ, "RANK": str(rank), "WORLD_SIZE": str(size), **names},
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in numbers
    ]
    return [(process.communicate(timeout=600)[1], process.returncode) for process in started]


def test_ranks_started_by_hand_meet_in_any_order(script, port):
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    assert by_hand(script, 2, 1, 0, **place) == [("", 0)] * 2


@pytest.mark.parametrize(
    ("numbers", "timeout", "message"),
    [
        ((0, 1), 5, "rank 2 of 3 did not come within 5 s"),
        ((1,), 1, "nobody answered at 127.0.0.1:"),
        ((0, 1, 1), 20, "rank 1 of 3 came where each of 3 must come once"),
    ],
)
def test_a_world_that_does_not_meet_says_who_is_missing(script, port, numbers, timeout, message):
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    found = by_hand(script, 3, *numbers, timeout=timeout, **place)
    assert [code for _, code in found] == [1] * len(numbers)
    # One that comes late finds nobody any more.
    assert any(message in error for error, _ in found), found


def test_a_port_in_use_is_named(port):
    with (
        socket.create_server(("127.0.0.1", port)),
        pytest.raises(RuntimeError, match=f"rank 0 cannot open port {port}.*another MASTER_PORT"),
    ):
        rendezvous.join(0, 2, "127.0.0.1", [port], 1.0)


@pytest.mark.parametrize(
    ("method", "place"),
    [
        ("tcp://a:80", ("a", [80])),
        ("tcp://[::1]:80?x=1", ("::1", [80])),
        (None, ("b", [5])),
        ("env://", ("b", [5])),
    ],
)
def test_where_ranks_meet(monkeypatch, method, place):
    monkeypatch.setenv("MASTER_ADDR", "b")
    monkeypatch.setenv("MASTER_PORT", "5")
    assert rendezvous.meeting_place(method) == place


@pytest.mark.parametrize("method", ["tcp://a", "tcp://:5", "file://x", "a:5", None])
def test_no_address_is_refused(monkeypatch, method):
    monkeypatch.setenv("MASTER_ADDR", "b")
    monkeypatch.delenv("MASTER_PORT", raising=False)
    with pytest.raises(ValueError, match="ranks meet at "):
        rendezvous.meeting_place(method)
