"""DistributedDataParallel between real processes: one launch for each number of ranks.

"2-cuda-sim" is two ranks whose buckets a stand-in for NCCL carries: see programs/nccl_double.py.
"""

import pytest

PROGRAM = "data_parallel.py"


@pytest.fixture(scope="module", params=[1, 2, 4, "2-cuda-sim"], ids=lambda ranks: f"{ranks}-ranks")
def ranks(request):
    return request.param


def test_data_parallel(ended, case):
    assert f"ok {case}" in ended.out.splitlines(), ended.out + ended.err


def test_all_ranks_leave_quietly(ended):
    assert (ended.code, ended.err) == (0, "")
