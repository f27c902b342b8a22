"""The complete programs that chapter 3 shows: each runs to its end and nothing is wrong with it.

Those that are exercises stand beside them: test_program_exercises.py runs these.
"""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "programs"
PRINTED = {
    "twice": "0 2 4 6 8 10 12 14 16 18 \n",
    "saxpy": "10000 numbers, 256 threads, 0 wrong\n",
    "mirror": "7 6 5 4 3 2 1 0\n15 14 13 12 11 10 9 8\n23 22 21 20 19 18 17 16\n",
    "sum": "22500\n",
    "running_sum": "the last is 1000, 0 wrong\n",
    "votes": "500 500 0 0\n",
    "matmul": "50 x 50, 0 wrong\n",
    "softmax": "each row adds up to 1: yes\n",
    "transpose": "40 x 70, 0 wrong\n",
}


def test_all_of_them_are_listed():
    programs = {path for path in FOLDER.glob("*.cu") if "// ex 3." not in path.read_text("utf-8")}
    assert {path.stem for path in programs} == set(PRINTED)


@pytest.mark.parametrize("name", PRINTED)
def test_a_program_runs_and_nothing_is_found(name):
    words = ["run", str(FOLDER / f"{name}.cu"), "--check", "--async"]
    done = subprocess.run(
        [sys.executable, "-m", "norch_cuda", *words], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, PRINTED[name]), done.stderr
    assert done.stderr == "========= ERROR SUMMARY: 0 errors\n"
