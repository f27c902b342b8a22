"""The programs of ranks: one launch for each number of ranks, one test for each of its cases.

What a program shows stands at its top. "2-cuda-sim" is two ranks whose tensors, or buckets, a
stand-in for NCCL carries: see programs/nccl_double.py.
"""

import pytest
from rank_programs import start_program

SLOW_8 = pytest.param(8, marks=pytest.mark.slow)
LONG_4, LONG_3_SIM = (pytest.param(n, marks=pytest.mark.long) for n in (4, "3-cuda-sim"))


@pytest.fixture(scope="class")
def ended(request, ranks):
    return start_program(ranks, request.path, request.cls.PROGRAM)


class RankProgram:
    """The tests of one PROGRAM, on each of RANKS."""

    def test_case(self, ended, case):
        assert f"ok {case}" in ended.out.splitlines(), ended.out + ended.err

    def test_all_ranks_leave_quietly(self, ended):
        assert (ended.code, ended.err) == (0, "")


class TestCollectives(RankProgram):
    PROGRAM = "collectives.py"
    RANKS = (1, 2, 3, LONG_4, "1-cuda-sim", "2-cuda-sim", LONG_3_SIM)


class TestNames(RankProgram):
    PROGRAM = "names.py"
    RANKS = (1, 4)


class TestDataParallel(RankProgram):
    PROGRAM = "data_parallel.py"
    RANKS = (1, 2, 4, "2-cuda-sim")


class TestDdpOptions(RankProgram):
    PROGRAM = "ddp_options.py"
    RANKS = (1, 2, 4)


class TestModelParallel(RankProgram):
    PROGRAM = "model_parallel.py"
    RANKS = (2, 4, SLOW_8)


class TestSharding(RankProgram):
    PROGRAM = "sharding.py"
    RANKS = (2, 4, SLOW_8)


class TestFullySharded(RankProgram):
    PROGRAM = "fully_sharded.py"
    RANKS = (2, 4)


class TestPairs(RankProgram):
    PROGRAM = "pairs.py"
    RANKS = (2, LONG_4)


class TestCuts(RankProgram):
    PROGRAM = "cuts.py"
    RANKS = (2, 4)
