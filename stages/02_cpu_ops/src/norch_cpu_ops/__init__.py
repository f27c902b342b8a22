"""What happens to elements: a C++ array, its kernels, threads and allocator.

`Array` owns memory, `ops` holds the operations, this module the dtypes and the engine's switches.
Where an element lives is decided in `norch_strides`; nothing here knows about gradients.
"""

from norch_cpu_ops import gil as gil, ops as ops
from norch_cpu_ops._cpu import (
    Array as Array,
    DType as DType,
    DTypeError as DTypeError,
    bfloat16 as bfloat16,
    blas as blas,
    bool_ as bool_,
    empty_cache as empty_cache,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    from_dlpack as from_dlpack,
    get_num_threads as get_num_threads,
    instruction_set as instruction_set,
    instruction_sets as instruction_sets,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    memory_stats as memory_stats,
    promote_types as promote_types,
    run_compiled as run_compiled,
    set_blas_enabled as set_blas_enabled,
    set_cache_limit as set_cache_limit,
    set_direct_enabled as set_direct_enabled,
    set_instruction_set as set_instruction_set,
    set_num_threads as set_num_threads,
    set_winograd_enabled as set_winograd_enabled,
    uint8 as uint8,
)
from norch_cpu_ops.ops import OPERATIONS as OPERATIONS

# An array knows the operations of its device: a.ops.add(a, b) works for every kind of array.
Array.ops = ops
