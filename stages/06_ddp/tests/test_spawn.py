"""spawn: a function in several processes, and what becomes of the others when one fails."""

import os
import signal
import sys

import pytest

from norch_ddp.launch.spawn import ProcessExitedException, spawn, start_processes

PROGRAM = """
import sys, time
from pathlib import Path
from norch_ddp.launch.spawn import spawn

def work(rank, folder, failing):
    if rank == failing:
        raise ValueError("planted")
    if failing >= 0:
        time.sleep(600)
    Path(folder, str(rank)).write_text("done")

if __name__ == "__main__":
    spawn(work, args=(sys.argv[1], int(sys.argv[2])), nprocs=3)
    print("all done")
"""


def _kill(rank):
    os.kill(os.getpid(), signal.SIGKILL)


def _nothing(rank):
    pass


def test_every_process_gets_its_number(command, script, tmp_path):
    ended = command([sys.executable, script(PROGRAM), str(tmp_path), "-1"])
    assert (ended.code, ended.out) == (0, "all done\n"), ended.err
    assert all((tmp_path / str(rank)).read_text() == "done" for rank in range(3))


def test_one_that_fails_ends_the_others_with_its_traceback(command, script, tmp_path):
    ended = command([sys.executable, script(PROGRAM), str(tmp_path), "1"])
    assert ended.code == 1 and "ValueError: planted" in ended.err
    assert "ProcessRaisedException: [spawn] process 1 raised" in ended.err
    assert not (tmp_path / "0").exists()


def test_one_that_is_killed_is_named_with_its_signal():
    with pytest.raises(ProcessExitedException) as error:
        start_processes(_kill, nprocs=1, start_method="fork")
    assert (error.value.error_index, error.value.exit_code) == (0, -signal.SIGKILL)
    assert error.value.signal_name == "SIGKILL"


def test_without_join_the_context_waits():
    context = start_processes(_nothing, nprocs=2, join=False, start_method="fork")
    assert len(set(context.pids())) == 2
    while not context.join(timeout=0.2):
        pass
    assert [process.exitcode for process in context.processes] == [0, 0]


def test_no_process_and_a_number_that_is_none():
    assert spawn(print, nprocs=0) is None
    with pytest.raises(ValueError, match=r"\[spawn\] nprocs must be a whole number, .* not -1"):
        spawn(print, nprocs=-1)
