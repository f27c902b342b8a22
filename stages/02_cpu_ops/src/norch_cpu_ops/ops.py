"""Every operation on `Array`, by name, grouped as in the C++ sources; `OPERATIONS` lists them.

The functions are C++ (`csrc/bindings`); this file only says which of them are public.
"""

from norch_cpu_ops._cpu import (
    arange as arange,
    cast as cast,
    cat as cat,
    clone as clone,
    contiguous as contiguous,
    copy_ as copy_,
    empty as empty,
    fill_ as fill_,
    from_buffer as from_buffer,
    from_cpu as from_cpu,
    from_list as from_list,
    full as full,
    gather as gather,
    index_add as index_add,
    index_select as index_select,
    linear as linear,
    matmul as matmul,
    ones as ones,
    scatter_add as scatter_add,
    share_buffer as share_buffer,
    to_cpu as to_cpu,
    zeros as zeros,
)

OPERATIONS: tuple[str, ...] = (
    "arange", "cast", "cat", "clone", "contiguous", "copy_", "empty", "fill_", "from_buffer",
    "from_cpu", "from_list", "full", "gather", "index_add", "index_select", "linear", "matmul",
    "ones", "scatter_add", "share_buffer", "to_cpu", "zeros",
)  # fmt: skip
