"""Every test of this stage runs on the simulator in both thread orders, and on a GPU if any.

`make gpu-check` on a machine with a GPU runs exactly these tests, none skipped, no network.
"""

import sys
from pathlib import Path

import pytest

import norch_cuda

sys.path.insert(0, str(Path(__file__).parent))  # cuda_cases and cuda_comparison

ON_SIMULATOR = {
    "cuda-sim-forward": {"order": "forward"},
    "cuda-sim-reversed": {"order": "reversed"},
}


@pytest.fixture(params=[*ON_SIMULATOR, pytest.param("cuda", marks=pytest.mark.gpu)])
def ops(request):
    """The operations of a device."""
    if request.param == "cuda":
        if not norch_cuda.is_available():
            pytest.skip("no CUDA GPU with CuPy on this machine")
        yield norch_cuda.ops_for("cuda")
        return
    with norch_cuda.simulator(**ON_SIMULATOR[request.param]):
        yield norch_cuda.ops_for("cuda-sim")


@pytest.fixture
def checked_ops():
    """The operations of the simulator, with every memory access checked."""
    with norch_cuda.simulator(check=True):
        yield norch_cuda.ops_for("cuda-sim")
