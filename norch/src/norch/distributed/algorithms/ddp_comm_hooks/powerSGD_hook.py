"""Gradients as two thin matrices: re-exported from stage 6, `norch_ddp.comm_hooks`."""

from norch_ddp.comm_hooks import (
    PowerSGDState as PowerSGDState,
    powerSGD_hook as powerSGD_hook,
)
