"""What PyTorch keeps in `torch.autograd.graph`, by name."""

from norch_autograd.graph.node import Node as Node
from norch_autograd.graph.saved_tensors import (
    disable_saved_tensors_hooks as disable_saved_tensors_hooks,
    save_on_cpu as save_on_cpu,
    saved_tensors_hooks as saved_tensors_hooks,
)
