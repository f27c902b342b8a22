"""What DDP takes beside a module: one launch for each number of ranks."""

import pytest

PROGRAM = "ddp_options.py"


@pytest.fixture(scope="module", params=[1, 2, 4], ids=lambda ranks: f"{ranks}-ranks")
def ranks(request):
    return request.param


def test_ddp_option(ended, case):
    assert f"ok {case}" in ended.out.splitlines(), ended.out + ended.err


def test_all_ranks_leave_quietly(ended):
    assert (ended.code, ended.err) == (0, "")
