"""The GPU and its simulator: re-exported from stage 3, `norch_cuda`."""

from norch.cuda import amp as amp
from norch_cuda import (
    CudaArray as CudaArray,
    Operations as Operations,
    device_count as device_count,
    is_available as is_available,
    load_kernel as load_kernel,
    ops_for as ops_for,
    simulator as simulator,
)
