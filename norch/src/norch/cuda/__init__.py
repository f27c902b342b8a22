"""The GPU and its simulator: re-exported from stage 3, `norch_cuda`.

The seeds are stage 4's: one generator gives every device its numbers.
"""

from norch.cuda import amp as amp
from norch_autograd import (
    get_rng_state as get_rng_state,
    initial_seed as initial_seed,
    manual_seed as manual_seed,
    manual_seed as manual_seed_all,  # noqa: F401 - one generator, so both are one
    set_rng_state as set_rng_state,
)
from norch_cuda import (
    CudaArray as CudaArray,
    CUDAGraph as CUDAGraph,
    Event as Event,
    Operations as Operations,
    OutOfMemoryError as OutOfMemoryError,
    Stream as Stream,
    current_device as current_device,
    current_stream as current_stream,
    default_stream as default_stream,
    device_count as device_count,
    empty_cache as empty_cache,
    get_device_name as get_device_name,
    graph as graph,
    graph_pool_handle as graph_pool_handle,
    is_available as is_available,
    is_bf16_supported as is_bf16_supported,
    is_current_stream_capturing as is_current_stream_capturing,
    is_determinism_required as is_determinism_required,
    lessons as lessons,
    load_kernel as load_kernel,
    max_memory_allocated as max_memory_allocated,
    memory_allocated as memory_allocated,
    memory_reserved as memory_reserved,
    memory_stats as memory_stats,
    ops_for as ops_for,
    profile as profile,
    require_determinism as require_determinism,
    reset_peak_memory_stats as reset_peak_memory_stats,
    set_device as set_device,
    simulator as simulator,
    stream as stream,
    synchronize as synchronize,
)
from norch_extras.graphed import make_graphed_callables as make_graphed_callables
