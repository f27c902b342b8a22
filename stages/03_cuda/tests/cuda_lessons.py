"""Small kernels to run and to break, for the tests of the simulator."""

import numpy as np
import pytest

import norch_cuda
from norch_cuda.runtime.simulator_options import simulator

ORDERS = ["forward", "reversed"]
SIM = norch_cuda.ops_for("cuda-sim")


def array(values, dtype=np.float32):
    return SIM.from_buffer(np.asarray(values, dtype=dtype))


def floats(n=64):
    return array(np.arange(n))


def kernel(body, parameters="const T* x, T* out", element="float32"):
    """The kernel `lesson` with this body, which begins on line 2."""
    text = f'extern "C" __global__ void lesson({parameters}) {{\n{body}\n}}\n'
    return norch_cuda.load_kernel(text, "lesson", element=element)


def message(body, *, grid=1, block=64, check=False, order="forward", arrays=None):
    """The error this kernel ends with."""
    lesson = kernel(body)
    with simulator(order=order, check=check), pytest.raises(RuntimeError) as caught:
        lesson(grid, block, *(arrays or (floats(), floats())))
    return str(caught.value)


MIRROR = """    __shared__ T tile[64];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];"""
MIRROR_WITHOUT_BARRIER = MIRROR.replace("    __syncthreads();\n", "")
