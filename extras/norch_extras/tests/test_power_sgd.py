"""PowerSGD between real processes: one launch for each number of ranks, one test a case."""

import pytest

PROGRAM = "power_sgd.py"


@pytest.fixture(scope="module", params=[1, 2, 3], ids=lambda ranks: f"{ranks}-ranks")
def ranks(request):
    return request.param


def test_power_sgd(ended, case):
    assert f"ok {case}" in ended.out.splitlines(), ended.out + ended.err


def test_all_ranks_leave_quietly(ended):
    assert (ended.code, ended.err) == (0, "")
