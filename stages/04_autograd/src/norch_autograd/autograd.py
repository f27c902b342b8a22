"""What PyTorch keeps in `torch.autograd`, by name."""

from norch_autograd.backward import backward as backward
from norch_autograd.backward import grad as grad
from norch_autograd.callbacks import queue_callback as queue_callback
from norch_autograd.check import gradcheck as gradcheck
from norch_autograd.check import gradgradcheck as gradgradcheck
from norch_autograd.function import Function as Function
from norch_autograd.mode import enable_grad as enable_grad
from norch_autograd.mode import inference_mode as inference_mode
from norch_autograd.mode import no_grad as no_grad
from norch_autograd.mode import set_grad_enabled as set_grad_enabled
