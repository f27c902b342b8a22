"""The fixture `device`, which a conftest.py imports: the simulator, and a GPU."""

import pytest

import norch_cuda


@pytest.fixture(params=["cuda-sim", pytest.param("cuda", marks=pytest.mark.gpu)])
def device(request):
    """The simulator, and a GPU if there is one."""
    if request.param == "cuda" and not norch_cuda.is_available():
        pytest.skip("no CUDA GPU with CuPy on this machine")
    return request.param
