"""Tensor, pipeline and context parallelism on 2, 4, (slow) 8 ranks: programs/model_parallel.py."""

import pytest

PROGRAM = "model_parallel.py"


@pytest.fixture(
    scope="module",
    params=[2, 4, pytest.param(8, marks=pytest.mark.slow)],
    ids=lambda ranks: f"{ranks}-ranks",
)
def ranks(request):
    return request.param


def test_model_parallel(ended, case):
    assert f"ok {case}" in ended.out.splitlines(), ended.out + ended.err


def test_all_ranks_leave_quietly(ended):
    assert (ended.code, ended.err) == (0, "")
