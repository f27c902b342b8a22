"""Gradients as two thin matrices: re-exported from stage 6, `norch_ddp.data_parallel`."""

from norch_ddp.data_parallel.comm_hooks import (
    PowerSGDState as PowerSGDState,
    powerSGD_hook as powerSGD_hook,
)
