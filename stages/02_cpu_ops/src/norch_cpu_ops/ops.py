"""Every operation on `Array`, by name, grouped as in the C++ sources; `OPERATIONS` lists them.

The functions are C++ (`csrc/bindings`); this file only says which of them are public.
"""

from norch_cpu_ops._cpu import (
    adam_step as adam_step,
    arange as arange,
    bernoulli as bernoulli,
    cast as cast,
    cat as cat,
    clone as clone,
    contiguous as contiguous,
    copy_ as copy_,
    cross_entropy as cross_entropy,
    cross_entropy_backward as cross_entropy_backward,
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
    log_softmax as log_softmax,
    logsumexp as logsumexp,
    matmul as matmul,
    normal as normal,
    ones as ones,
    randint as randint,
    randperm as randperm,
    scatter_add as scatter_add,
    sgd_step as sgd_step,
    share_buffer as share_buffer,
    softmax as softmax,
    to_cpu as to_cpu,
    uniform as uniform,
    zeros as zeros,
)

OPERATIONS: tuple[str, ...] = (
    "adam_step", "arange", "bernoulli", "cast", "cat", "clone", "contiguous", "copy_",
    "cross_entropy", "cross_entropy_backward", "empty", "fill_", "from_buffer", "from_cpu",
    "from_list", "full", "gather", "index_add", "index_select", "linear", "log_softmax",
    "logsumexp", "matmul", "normal", "ones", "randint", "randperm", "scatter_add", "sgd_step",
    "share_buffer", "softmax", "to_cpu", "uniform", "zeros",
)  # fmt: skip
