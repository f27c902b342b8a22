"""Derivatives by name, as in `torch.autograd`: re-exported from stage 4, `norch_autograd`."""

from norch_autograd.autograd import (
    Function as Function,
    backward as backward,
    composite as composite,
    enable_grad as enable_grad,
    functional as functional,
    grad as grad,
    gradcheck as gradcheck,
    gradgradcheck as gradgradcheck,
    inference_mode as inference_mode,
    is_composite_enabled as is_composite_enabled,
    no_grad as no_grad,
    queue_callback as queue_callback,
    set_grad_enabled as set_grad_enabled,
)
