"""What a program asks of derivatives: `grad`, the proof, checkpoints, operations of its own."""
# An index: several names a line.
# fmt: off
# ruff: noqa: I001

from norch_autograd.autograd import function as function
from norch_autograd.autograd.anomaly import (
    detect_anomaly as detect_anomaly, set_detect_anomaly as set_detect_anomaly,
)
from norch_autograd.autograd.checkpoint import (
    checkpoint as checkpoint, checkpoint_sequential as checkpoint_sequential,
)
from norch_autograd.autograd.function import Function as Function
from norch_autograd.autograd.grad import grad as grad
from norch_autograd.autograd.gradcheck import gradcheck as gradcheck, gradgradcheck as gradgradcheck
from norch_autograd.engine.backward import backward as backward, queue_callback as queue_callback
from norch_autograd.graph.composite import (
    composite as composite, is_composite_enabled as is_composite_enabled,
)
from norch_autograd.graph.grad_mode import (
    enable_grad as enable_grad, inference_mode as inference_mode, no_grad as no_grad,
    set_grad_enabled as set_grad_enabled,
)
from norch_autograd.graph.saved_tensors import saved_tensors_hooks as saved_tensors_hooks
