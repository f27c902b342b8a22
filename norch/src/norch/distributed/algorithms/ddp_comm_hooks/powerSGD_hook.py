"""Gradients as two thin matrices: re-exported from stage 6, `norch_ddp.algorithms`."""

from norch_ddp.algorithms.comm_hooks import (
    PowerSGDState as PowerSGDState,
    powerSGD_hook as powerSGD_hook,
)
