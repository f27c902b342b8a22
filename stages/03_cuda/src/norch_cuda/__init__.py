"""Stage 3: the operations of stage 2 as CUDA C++ kernels, on a GPU or on its simulator.

`ops_for("cuda-sim")` runs anywhere g++ does; `ops_for("cuda")` needs a GPU and CuPy. The kernels
are the .cu files of csrc/; nothing here falls back from one device to another.
"""
# An index: several names a line.
# fmt: off
# ruff: noqa: I001

from norch_cuda import lessons as lessons
from norch_cuda.arrays.array import CudaArray as CudaArray
from norch_cuda.devices.device import (
    current_device as current_device, device_count as device_count,
    get_device_name as get_device_name, is_available as is_available,
    is_bf16_supported as is_bf16_supported, ops_for as ops_for, set_device as set_device,
)
from norch_cuda.devices.dlpack import from_dlpack as from_dlpack
from norch_cuda.devices.graphs import (
    CUDAGraph as CUDAGraph, graph as graph, graph_pool_handle as graph_pool_handle,
    is_current_stream_capturing as is_current_stream_capturing,
)
from norch_cuda.devices.kernels import load_kernel as load_kernel
from norch_cuda.devices.memory import (
    empty_cache as empty_cache, max_memory_allocated as max_memory_allocated,
    memory_allocated as memory_allocated, memory_reserved as memory_reserved,
    memory_stats as memory_stats, reset_peak_memory_stats as reset_peak_memory_stats,
)
from norch_cuda.devices.streams import (
    current_stream as current_stream, default_stream as default_stream, Event as Event,
    Stream as Stream, stream as stream, synchronize as synchronize,
)
from norch_cuda.launch.blas import preferred_blas_library as preferred_blas_library
from norch_cuda.launch.determinism import (
    is_determinism_required as is_determinism_required, require_determinism as require_determinism,
)
from norch_cuda.operations import Operations as Operations
from norch_cuda.profiling.profile import profile as profile
from norch_cuda.runtime.backend import OutOfMemoryError as OutOfMemoryError
from norch_cuda.runtime.simulator_options import simulator as simulator
