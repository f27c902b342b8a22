"""Recording on and off: re-exported from stage 4, `norch_autograd`."""

from norch_autograd import (
    enable_grad as enable_grad,
    inference_mode as inference_mode,
    no_grad as no_grad,
    set_grad_enabled as set_grad_enabled,
)
