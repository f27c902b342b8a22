"""Training in mixed precision: autocast (of stage 4) and the GradScaler.

`norch.amp` re-exports these names.
"""

# fmt: off
# ruff: noqa: I001
from norch_autograd import (
    autocast as autocast, get_autocast_dtype as get_autocast_dtype,
    is_autocast_enabled as is_autocast_enabled,
)
from norch_nn.amp.autocast_mode import custom_bwd as custom_bwd, custom_fwd as custom_fwd
from norch_nn.amp.grad_scaler import GradScaler as GradScaler
