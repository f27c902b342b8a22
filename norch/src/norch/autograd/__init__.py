"""Derivatives by name, as in `torch.autograd`: re-exported from stage 4, `norch_autograd`."""

from norch_autograd.autograd import (
    Function as Function,
    backward as backward,
    composite as composite,
    detect_anomaly as detect_anomaly,
    enable_grad as enable_grad,
    function as function,
    grad as grad,
    gradcheck as gradcheck,
    gradgradcheck as gradgradcheck,
    graph as graph,
    inference_mode as inference_mode,
    is_composite_enabled as is_composite_enabled,
    no_grad as no_grad,
    queue_callback as queue_callback,
    saved_tensors_hooks as saved_tensors_hooks,
    set_detect_anomaly as set_detect_anomaly,
    set_grad_enabled as set_grad_enabled,
)
from norch_extras.autograd import (
    draw_graph as draw_graph,
    functional as functional,
    profile as profile,
    profiler as profiler,
)
from norch_extras.legacy.variable import Variable as Variable
