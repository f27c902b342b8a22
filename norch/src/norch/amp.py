"""Mixed precision: re-exported from stage 5, `norch_nn.amp`."""

from norch_nn.amp import (
    GradScaler as GradScaler,
    autocast as autocast,
    custom_bwd as custom_bwd,
    custom_fwd as custom_fwd,
    get_autocast_dtype as get_autocast_dtype,
    is_autocast_enabled as is_autocast_enabled,
)
