"""Where a pass delivers complete gradients: into `.grad`.

backward.py makes an accumulator for each pass, the engine hands it the gradients; should the pass
fail, it takes back what it has written. capture.py has the other kind.
"""

from __future__ import annotations

from sys import getrefcount
from typing import Any

from norch_autograd.graph.broadcast import copied, sum_to_shape
from norch_autograd.graph.node import Edge
from norch_autograd.graph.operands import wrapped_array
from norch_autograd.graph.tensor_base import Tensor
from norch_autograd.types.modes import mode


class Accumulator:
    """What all accumulators do: write `.grad`, and remember how it was."""

    takes_before_hooks = False  # of a node that runs too, the gradient as it arrives

    def __init__(self) -> None:
        self._before: list[tuple[Tensor, Tensor | None, Any]] = []

    def __call__(self, edge: Edge, arrived: dict[Edge, Any]) -> None:
        """Take the complete gradient of `edge` out of `arrived`."""
        raise NotImplementedError

    def write(self, tensor: Tensor, grad: Tensor, alone: bool) -> None:
        """Add to a tensor's `.grad`; `alone`: nobody else holds `grad`."""
        before = tensor._grad
        if before is None:
            self._before.append((tensor, None, None))
            tensor._grad = grad if alone and not mode.enabled else copied(grad)
        elif mode.enabled:
            self._before.append((tensor, before, None))
            tensor._grad = before + grad
        else:  # in its own storage, which others may look at
            ops = before.array.ops
            self._before.append((tensor, before, ops.clone(before.array)))
            ops.add_(before.array, grad.array)

    def undo(self) -> None:
        """Put every `.grad` back, and what it held."""
        for tensor, grad, held in reversed(self._before):
            tensor._grad = grad
            if grad is not None and held is not None:
                held.ops.copy_(grad.array, held)


class AccumulateGrad(Accumulator):
    """The accumulator of `backward`: adds to the `.grad` of every leaf, or of those in `only`."""

    def __init__(self, only: dict[Edge, Tensor] | None) -> None:
        super().__init__()
        self._only = only

    def __call__(self, edge: Edge, arrived: dict[Edge, Any]) -> None:
        """Add a complete gradient to the `.grad` of the tensor it is for."""
        grad = wrapped_array(arrived.pop(edge))
        tensor: Any = edge if self._only is None else self._only.get(edge)
        if tensor is None or not tensor._requires_grad:  # not asked for, or detached since
            return
        hooks = edge.hooks if edge is tensor else None
        if hooks is not None:  # door: hooks.py
            grad = hooks.run(grad)
        grad = checked(tensor, grad)
        alone = getrefcount(grad) == 2 and grad.array.is_unshared  # 2: `grad` and the question
        self.write(tensor, grad, alone)
        if hooks is not None:
            for hook in list(hooks.accumulated):
                hook(tensor)


def checked(tensor: Tensor, grad: Tensor) -> Tensor:
    """`grad`, checked against the tensor it is for."""
    x, g = tensor.array, grad.array
    if g.alike(x):
        return grad
    if g.shape != x.shape:
        raise RuntimeError(
            f"[backward] a gradient of shape {g.shape} arrived for a tensor of shape {x.shape}"
        )
    return sum_to_shape(grad, x.shape, x.dtype)  # door: broadcast.py
