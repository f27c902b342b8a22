"""The CPU's array, memory and switches: re-exported from stage 2, `norch_cpu_ops`."""

from norch_cpu_ops import (
    Array as Array,
    blas as blas,
    empty_cache as empty_cache,
    get_num_threads as get_num_threads,
    instruction_set as instruction_set,
    instruction_sets as instruction_sets,
    memory_stats as memory_stats,
    ops as ops,
    set_blas_enabled as set_blas_enabled,
    set_cache_limit as set_cache_limit,
    set_direct_enabled as set_direct_enabled,
    set_instruction_set as set_instruction_set,
    set_num_threads as set_num_threads,
    set_winograd_enabled as set_winograd_enabled,
)
