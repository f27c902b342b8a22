"""Re-exported from stage 4, `norch_autograd.backends.cudnn`."""

from norch_extras.backends.cudnn import (
    allow_tf32 as allow_tf32,
    benchmark as benchmark,
    deterministic as deterministic,
    enabled as enabled,
    is_available as is_available,
    version as version,
)
