"""The process group of a process alone, of a plain mpiexec, and everything init refuses."""

import re
import shutil
import sys
import sysconfig
from datetime import timedelta

import pytest

import norch_ddp as dist
from norch_autograd import ones, zeros


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """No launcher's names in the environment; no group left behind."""
    for name in ("RANK", "WORLD_SIZE", "PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"):
        monkeypatch.delenv(name, raising=False)
    if dist.is_initialized():  # by an example of some docstring
        dist.destroy_process_group()
    yield
    if dist.is_initialized():
        dist.destroy_process_group()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((), {}),
        ((0, 1), {}),
        ((-1, -1), {}),
        ((None, 1), {}),
        ((0, 1), {"timeout": 5}),
        (("mpi",), {}),
        (("gloo",), {"rank": 0, "world_size": 1}),
        (("nccl", "env://", timedelta(seconds=5), 1, 0), {}),
    ],
)
def test_a_process_alone_is_rank_0_of_1(arguments, named):
    """PyTorch's order of arguments; two numbers alone are the rank and the world's size."""
    assert not dist.is_initialized()
    dist.init_process_group(*arguments, **named)
    assert (dist.get_rank(), dist.get_world_size()) == (0, 1)
    assert dist.is_initialized()


@pytest.mark.parametrize(
    ("asked", "told"),
    [(None, "mpi"), ("gloo", "gloo"), ("NCCL", "nccl"), ("cpu:gloo,cuda:nccl",) * 2],
)
def test_the_backend_is_told_as_it_was_asked_for(asked, told):
    dist.init_process_group(asked)
    assert dist.get_backend() == told


def test_collectives_of_a_process_alone():
    dist.init_process_group()
    tensor = ones(2, 3).T
    dist.all_reduce(tensor, dist.ReduceOp.MEAN)
    dist.broadcast(tensor, 0)
    out = [zeros(3, 2)]
    dist.all_gather(out, tensor)
    assert out[0].tolist() == ones(3, 2).tolist()


def test_a_process_alone_gets_no_messages():
    dist.init_process_group()
    for call in (dist.recv, dist.irecv):
        with pytest.raises(ValueError, match=r"\[recv\] a group of one process .* nobody"):
            call(zeros(1))


def test_alone_needs_no_mpi(command):
    text = (
        "import sys, norch_ddp as dist; dist.init_process_group(); dist.barrier();"
        "sys.exit('mpi4py' in sys.modules)"
    )
    assert command([sys.executable, "-c", text]).code == 0


def test_a_plain_mpiexec_works_and_one_failing_rank_ends_all(command, script):
    mpiexec = shutil.which("mpiexec", path=sysconfig.get_path("scripts")) or "mpiexec"
    text = (
        "import sys, norch_ddp as dist\ndist.init_process_group()\nprint(dist.get_world_size())\n"
        "if dist.get_rank() == 1 and len(sys.argv) > 1:\n    1 / 0\n"
        "if len(sys.argv) > 1:\n    dist.barrier()\n"
    )
    path = script(text)
    ended = command([mpiexec, "-n", "2", sys.executable, path])
    assert (ended.code, ended.out.replace("\n", "")) == (0, "22")  # lines may mix here
    ended = command([mpiexec, "-n", "2", sys.executable, path, "fail"])
    assert ended.code == 1
    assert "ZeroDivisionError" in ended.err


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((1, 4), RuntimeError, "was started alone: start the script with python -m norch"),
        ((0, 4), RuntimeError, "world_size 4 was given"),
        (("cpu:gloo,cuda:ncl",), ValueError, "backend 'cpu:gloo,cuda:ncl' is unknown"),
        (("",), ValueError, "backend '' is unknown"),
        (("ncl",), ValueError, "backend 'ncl' is unknown: use one of 'mpi', 'gloo', 'nccl'"),
        ((0, 1, 0), ValueError, "timeout 0.0 s must be positive"),
        (
            ("gloo", "file://a"),
            ValueError,
            "init_method 'file://a': ranks meet at tcp://host:port",
        ),
    ],
)
def test_init_refuses(arguments, error, message):
    with pytest.raises(error, match=message):
        dist.init_process_group(*arguments)
    assert not dist.is_initialized()


def test_names_of_a_launcher_that_did_not_start_us_are_noticed(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(
        RuntimeError, match="world_size 2 was given, but this process was started alone"
    ):
        dist.init_process_group()


def test_a_rank_that_contradicts_mpi_is_refused(launch, script):
    ended = launch(
        2, script("import norch_ddp as dist; dist.init_process_group(0, 2); dist.barrier()")
    )
    assert ended.code == 1
    assert "rank 0 was given, but MPI says rank 1" in ended.err


def test_init_twice_is_refused():
    dist.init_process_group()
    with pytest.raises(RuntimeError, match=r"call destroy_process_group\(\) first"):
        dist.init_process_group()


@pytest.mark.parametrize("call", [dist.get_rank, dist.get_world_size, dist.barrier])
def test_without_a_group_the_error_says_what_to_call(call):
    with pytest.raises(RuntimeError, match=r"call init_process_group\(\) first"):
        call()


def test_missing_mpi4py_is_named(monkeypatch):
    monkeypatch.setenv("PMI_RANK", "0")
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(ModuleNotFoundError, match="pip install mpi4py mpich"):
        dist.init_process_group()


def test_a_rank_that_never_answers_ends_in_an_error(launch, script):
    text = (
        "import time, norch_ddp as dist\ndist.init_process_group(timeout=0.5)\n"
        "if dist.get_rank() == 0:\n    time.sleep(600)\ndist.barrier()\n"
    )
    ended = launch(2, script(text))
    assert ended.code == 1
    silent = (
        r"\[barrier\] waited \d+ s for another rank: no sign of life from rank 0 "
        r"\(did not answer, or waits elsewhere\)\. Every rank"
    )
    assert re.search(silent, ended.err), ended.err


def test_a_rank_that_heard_of_an_end_leaves_too(launch, script):
    text = (
        "import norch_ddp as dist\ndist.init_process_group()\n"
        "if dist.get_rank() == 0:\n"
        "    try:\n        dist.monitored_barrier(timeout=300)\n"
        "    except RuntimeError as error:\n        print('caught', 'is over' in str(error))\n"
    )
    ended = launch(2, script(text))
    assert (ended.code, ended.out) == (0, "caught True\n"), ended


def test_the_first_large_all_reduce_keeps_the_time_limit(launch, script):
    text = (
        "import os, time, norch_autograd as norch, norch_ddp as dist\n"
        "from norch_ddp.groups.process_group import current_group\n"
        "dist.init_process_group(timeout=0.5)\n"
        "if dist.get_rank() == 0:\n"
        "    try:\n"
        "        current_group().transport.all_reduce(norch.zeros(1 << 18).array, 'sum')\n"
        "    except RuntimeError as error:\n"
        "        print(str(error)[:24], flush=True)\n"
        "        os._exit(1)\n"
        "time.sleep(900)\n"
    )
    assert re.fullmatch(r"\[all_reduce\] waited \d+ s ?\n", launch(2, script(text)).out)


def test_ranks_that_wait_for_different_messages_are_told_so(launch, script):
    text = (
        "import norch_autograd as norch, norch_ddp as dist\n"
        "dist.init_process_group(timeout=0.5)\n"
        "dist.recv(norch.zeros(1), src=1 - dist.get_rank())\n"
    )
    ended = launch(2, script(text))
    assert ended.code == 1
    assert "all wait at the same time, so their sends and receives do not fit" in ended.err


def test_importing_starts_nothing(command):
    text = "import sys, norch_ddp\nprint(*{'mpi4py', 'numpy', 'cupy'} & set(sys.modules))"
    assert command([sys.executable, "-c", text]) == (0, "\n", "")
