"""NCCL's transport on a stand-in for NCCL: see programs/nccl_double.py for what that shows."""

from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import norch_ddp as dist
from norch_cuda.devices import device
from norch_ddp.transports import nccl as transport_nccl

PROGRAM = "nccl.py"
PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="module", params=["1-cuda-sim", "2-cuda-sim", "3-cuda-sim"])
def ranks(request):
    return request.param


def test_nccl(ended, case):
    assert f"ok {case}" in ended.out.splitlines(), ended.out + ended.err


def test_all_ranks_leave_quietly(ended):
    assert (ended.code, ended.err) == (0, "")


@pytest.mark.gpu
@pytest.mark.parametrize("program", ["collectives.py", "data_parallel.py"])
def test_under_cupys_own_streams(launch, program):
    """Streams, events and memory are a GPU's, or those of `make gpu-fake`; NCCL is the stand-in."""
    if not device.is_available():
        pytest.skip("no CUDA device: make gpu-fake")
    path = PROGRAMS / program
    ended = launch(2, path, NORCH_TEST_DEVICE="cuda", seconds=300)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.count("ok ") == path.read_text().count("\ndef case_")


def test_a_rank_that_dies_ends_all(launch, script):
    path = script(
        "import os, sys\nsys.path.insert(0, sys.argv[1])\nimport nccl_double\n"
        "import norch_ddp as dist\nfrom norch_autograd import ones\n"
        "nccl_double.install()\ndist.init_process_group(timeout=60)\n"
        "x = ones(4, device='cuda-sim')\ndist.all_reduce(x)\n"
        "if dist.get_rank() == 1:\n    os.kill(os.getpid(), 9)\n"
        "dist.all_reduce(x)\nprint('never')\n"
    )
    ended = launch(2, path, PROGRAMS)
    assert ended.code != 0
    assert "never" not in ended.out


WAITING = """
import sys
sys.path.insert(0, sys.argv[1])
import nccl_double
import norch_ddp as dist
from norch_autograd import ones
nccl_double.install()
dist.init_process_group(timeout=float(sys.argv[2]))
x = ones(4, device="cuda-sim")
dist.all_reduce(x)
if dist.get_rank() == 0:
    nccl_double.failing.update({name: 6 for name in sys.argv[3:]})
    # Past the check that all ranks make the same call.
    request = dist.groups.process_group.current_group().transport_for("cuda-sim").all_reduce(
        x.array, "sum"
    )
    request.order()
    print("never")
dist.barrier()
"""


@pytest.mark.parametrize(
    ("seconds", "failing", "message"),
    [
        (1, [], "[all_reduce] waited 1 s for another rank"),
        (100, ["norch-nccl"], "another rank ended, or the network between them is gone"),
    ],
    ids=["time limit", "error of NCCL"],
)
def test_a_device_that_waits_for_ever_ends_all(launch, script, seconds, failing, message):
    ended = launch(2, script(WAITING), PROGRAMS, str(seconds), *failing)
    assert ended.code != 0
    assert message in ended.err
    assert "never" not in ended.out


@pytest.fixture
def cupy(monkeypatch):
    """A CuPy that sees a GPU; `available` says whether it found NCCL."""
    cupy, nccl = ModuleType("cupy_double"), SimpleNamespace(available=True)
    cupy.cuda = SimpleNamespace(nccl=nccl)
    monkeypatch.setattr(device, "gpu_library", lambda: cupy)
    monkeypatch.setattr(
        transport_nccl, "import_module", lambda name: {"cupy_double.cuda.nccl": nccl}[name]
    )
    return cupy


def test_a_gpu_is_found_by_its_name(cupy):
    gpu = transport_nccl.find_gpu("cuda:3", required=True)
    assert (gpu.name, gpu.number, gpu.cuda, gpu.nccl) == ("cuda:3", 3, cupy.cuda, cupy.cuda.nccl)
    assert dist.is_nccl_available()


@pytest.mark.parametrize("name", ["cpu", "cuda-sim"])
def test_other_devices_have_no_nccl(cupy, name):
    assert transport_nccl.find_gpu(name, required=True) is None


def test_missing_nccl_is_an_error_only_for_those_who_asked(cupy):
    cupy.cuda.nccl.available = False
    assert transport_nccl.find_gpu("cuda:0", required=False) is None
    assert not dist.is_nccl_available()
    with pytest.raises(RuntimeError, match=r"finds no NCCL .*: pip install nvidia-nccl-cu12"):
        transport_nccl.find_gpu("cuda:0", required=True)


def test_without_a_gpu_there_is_no_nccl():
    assert device.is_available() or not dist.is_nccl_available()


def test_a_dtype_that_this_cupy_cannot_name_is_refused():
    gpu = transport_nccl.Gpu("cuda:0", 0, None, SimpleNamespace(NCCL_FLOAT32=7))
    transport = transport_nccl.NcclTransport(SimpleNamespace(rank=0, size=2), gpu, 1.0, print)
    assert transport.travels_as(SimpleNamespace(name="float32")).name == "float32"
    with pytest.raises(TypeError, match="CuPy cannot send bfloat16: update it"):
        transport.travels_as(SimpleNamespace(name="bfloat16"))
