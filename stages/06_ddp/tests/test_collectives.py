"""Collectives between real processes: one launch for each number of ranks, one test a case.

"2-cuda-sim" is two ranks whose tensors a stand-in for NCCL carries: see programs/nccl_double.py.
"""

import pytest

PROGRAM = "collectives.py"


@pytest.fixture(
    scope="module",
    params=[1, 2, 3, 4, "1-cuda-sim", "2-cuda-sim", "3-cuda-sim"],
    ids=lambda ranks: f"{ranks}-ranks",
)
def ranks(request):
    return request.param


def test_collective(ended, case):
    assert f"ok {case}" in ended.out.splitlines(), ended.out + ended.err


def test_all_ranks_leave_quietly(ended):
    assert (ended.code, ended.err) == (0, "")
