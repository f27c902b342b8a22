"""What PyTorch keeps in `torch.autograd.graph`: nodes, and hooks on what they keep."""

from __future__ import annotations

from norch_autograd.graph.node import Node as Node
from norch_autograd.graph.saved_tensors import (
    disable_saved_tensors_hooks as disable_saved_tensors_hooks,
    saved_tensors_hooks as saved_tensors_hooks,
)
from norch_autograd.ops.dtype.convert import cpu, detach, to


class save_on_cpu(saved_tensors_hooks):
    """Keep values in the CPU's memory, and bring each back to its device when it is needed.

    >>> x = norch.tensor([2.], requires_grad=True)
    >>> with norch.autograd.graph.save_on_cpu():
    ...     y = (x * 1).exp()
    >>> y.backward()
    >>> x.grad
    tensor([7.3891])
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(
            lambda tensor: (tensor.device, cpu(detach(tensor))),
            lambda kept: to(kept[1], kept[0]),
        )
