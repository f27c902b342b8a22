"""Tensor parallelism, where PyTorch has it: re-exported from stage 6, `norch_ddp.parallel`."""

from norch_ddp.parallel import (
    ColwiseParallel as ColwiseParallel,
    RowwiseParallel as RowwiseParallel,
    parallelize_module as parallelize_module,
)
