"""PyTorch's older place of mixed precision: re-exported from stage 5, `norch_nn.amp`."""

from norch_extras.legacy.amp_cuda import (
    GradScaler as GradScaler,
    autocast as autocast,
    custom_bwd as custom_bwd,
    custom_fwd as custom_fwd,
)
