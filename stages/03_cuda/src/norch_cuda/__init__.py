"""Stage 3: the operations of stage 2 as CUDA C++ kernels, on a GPU or on its simulator.

`ops_for("cuda-sim")` runs anywhere g++ does; `ops_for("cuda")` needs a GPU and CuPy. The kernels
are the .cu files of csrc/; nothing here falls back from one device to another.
"""

from norch_cuda import lessons as lessons
from norch_cuda.array import CudaArray as CudaArray
from norch_cuda.devices import (
    device_count as device_count,
    is_available as is_available,
    ops_for as ops_for,
)
from norch_cuda.kernels import load_kernel as load_kernel
from norch_cuda.operations import Operations as Operations
from norch_cuda.simulator_options import simulator as simulator

__version__ = "0.1.0"
