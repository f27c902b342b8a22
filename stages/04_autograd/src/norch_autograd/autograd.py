"""What PyTorch keeps in `torch.autograd`, by name."""

from norch_autograd import (
    function as function,
    functional as functional,
    profiler as profiler,
    saved,
)
from norch_autograd.anomaly import (
    detect_anomaly as detect_anomaly,
    set_detect_anomaly as set_detect_anomaly,
)
from norch_autograd.backward import backward as backward, grad as grad
from norch_autograd.callbacks import queue_callback as queue_callback
from norch_autograd.check import gradcheck as gradcheck, gradgradcheck as gradgradcheck
from norch_autograd.draw import draw_graph as draw_graph
from norch_autograd.function import Function as Function
from norch_autograd.mode import (
    composite as composite,
    enable_grad as enable_grad,
    inference_mode as inference_mode,
    is_composite_enabled as is_composite_enabled,
    no_grad as no_grad,
    set_grad_enabled as set_grad_enabled,
)
from norch_autograd.profiler import profile as profile
from norch_autograd.saved import saved_tensors_hooks as saved_tensors_hooks
from norch_autograd.variable import Variable as Variable

graph = saved
