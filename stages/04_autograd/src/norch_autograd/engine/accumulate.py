"""Where a pass delivers complete gradients: into `.grad`, or to whoever called `grad`.

Each pass has an accumulator of its own; a pass that fails takes back what it has written. A leaf
never keeps the very array that arrived: it is copied. Only the C++ core, which can tell that nobody
else holds it, saves the copy.
"""

from __future__ import annotations

from typing import Any

from norch_autograd.graph.broadcast import copy_of, sum_to_shape
from norch_autograd.graph.node import Edge, Node
from norch_autograd.graph.operands import wrap_array
from norch_autograd.graph.tensor_base import Tensor
from norch_autograd.types.modes import mode


class AccumulateGrad:
    """Adds each gradient to the `.grad` of its leaf, or of the tensors in `only` alone."""

    takes_before_hooks = False  # of a node that runs too, the gradient as it arrives

    def __init__(self, only: dict[Edge, Tensor] | None = None) -> None:
        self._only = only
        self._before: list[tuple[Tensor, Tensor | None, Any]] = []

    def __call__(self, edge: Edge, arrived: Any) -> None:
        """Add the complete gradient of `edge`, which has arrived there, where it belongs."""
        grad = wrap_array(arrived)
        tensor: Any = edge if self._only is None else self._only.get(edge)
        if tensor is None or not tensor._requires_grad:  # not asked for, or detached since
            return
        hooks = edge.hooks if edge is tensor else None
        if hooks is not None:  # door: hooks.py
            grad = hooks.run(grad)
        self.write(tensor, check_grad(tensor, grad))
        if hooks is not None:
            hooks.run_accumulated(tensor)

    def write(self, tensor: Tensor, grad: Tensor) -> None:
        """Add to a tensor's `.grad`."""
        before, held = tensor._grad, None
        if before is None:
            tensor._grad = copy_of(grad)  # door: broadcast.py
        elif mode.enabled or tensor.node is not None:  # no leaf: a new one, as in PyTorch
            tensor._grad = before + grad
        else:  # in its own storage, which others may look at
            held = before.array.ops.clone(before.array)
            held.ops.add_(before.array, grad.array)
        self._before.append((tensor, before, held))

    def undo(self) -> None:
        """Put every `.grad` back, and what it held: the pass has failed."""
        for tensor, grad, held in reversed(self._before):
            tensor._grad = grad
            if grad is not None and held is not None:
                held.ops.copy_(grad.array, held)


class CaptureGrad(AccumulateGrad):
    """The accumulator of `grad`: notes the gradients of `targets`, and writes no leaf's `.grad`."""

    takes_before_hooks = True

    def __init__(self, targets: set[Edge]) -> None:
        super().__init__()
        self.found: dict[Edge, Tensor] = {}
        self.targets = targets

    def __call__(self, edge: Edge, arrived: Any) -> None:
        """Note the complete gradient of `edge`, if it was asked for."""
        grad = wrap_array(arrived)
        if edge not in self.targets:
            return
        if not isinstance(edge, Node) and edge.hooks is not None:
            grad = edge.hooks.run(grad)
        self.found[edge] = grad


def check_grad(tensor: Tensor, grad: Tensor) -> Tensor:
    """A gradient that fits the tensor it arrived for in shape and dtype, or an error."""
    x = tensor.array
    if grad.array.alike(x):
        return grad
    if (found := grad.array.shape) != x.shape:
        raise RuntimeError(
            f"[backward] a gradient of shape {found} arrived for a tensor of shape {x.shape}"
        )
    return sum_to_shape(grad, x.shape, x.dtype)  # door: broadcast.py
