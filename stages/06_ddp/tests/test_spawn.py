"""spawn: a function in several processes, and what becomes of the others when one fails."""

import sys

import pytest

from norch_ddp.spawn import spawn

PROGRAM = """
import sys, time
from pathlib import Path
from norch_ddp.spawn import spawn

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


def test_every_process_gets_its_number(command, script, tmp_path):
    ended = command([sys.executable, script(PROGRAM), str(tmp_path), "-1"])
    assert (ended.code, ended.out) == (0, "all done\n"), ended.err
    assert all((tmp_path / str(rank)).read_text() == "done" for rank in range(3))


def test_one_that_fails_ends_the_others_with_its_traceback(command, script, tmp_path):
    ended = command([sys.executable, script(PROGRAM), str(tmp_path), "1"])
    assert ended.code == 1 and "ValueError: planted" in ended.err
    assert "[spawn] process 1 ended with exit code 1" in ended.err
    assert not (tmp_path / "0").exists()


def test_no_process_and_a_number_that_is_none():
    assert spawn(print, nprocs=0) is None
    with pytest.raises(ValueError, match=r"\[spawn\] nprocs must be a whole number, .* not -1"):
        spawn(print, nprocs=-1)
