"""Moving and casting the tensors of a module, all of them or none.

Called by Module's `to`, `cpu`, `cuda`, `float` and `double`. The Tensor objects stay the same, so
an optimizer that holds them goes on working; only their data is exchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from norch_autograd import Tensor, empty, memory_format, preserve_format
from norch_autograd.types.memory_format import RANKS


def conversion_to(
    *args: Any, memory_format: memory_format = preserve_format, **kwargs: Any
) -> Callable[[Tensor], Tensor]:
    """Turn the arguments of a module's `to` into a function of one of its tensors.

    Integers keep their dtype, and `memory_format` is for tensors that have as many dimensions.
    """
    # An empty tensor goes first: a wrong device or dtype raises before any parameter is touched.
    probe = empty(0).to(*args, **kwargs)
    if not probe.is_floating_point():
        raise TypeError(f"[Module.to] a floating-point dtype is expected, not {probe.dtype}")

    def move(tensor: Tensor) -> Tensor:
        if not tensor.is_floating_point():
            return tensor.to(probe.device)
        fits = RANKS.get(memory_format, tensor.ndim) == tensor.ndim
        order = memory_format if fits else preserve_format
        return tensor.to(*args, memory_format=order, **kwargs)

    return move


def convert(
    tensors: Iterable[Tensor], fn: Callable[[Tensor], Tensor], uncast: Collection[int] = ()
) -> None:
    """Apply `fn` to a module's tensors and gradients; exchange the data once all have succeeded.

    Those whose `id` is in `uncast` are moved alone.
    """
    pairs = []
    for tensor in tensors:
        grad = None if tensor.grad is None else fn(tensor.grad.detach())
        data = fn(tensor.detach())
        if id(tensor) in uncast and data.dtype is not tensor.dtype:
            data = tensor.detach().to(data.device)
        pairs.append((tensor, data, grad))
    for tensor, data, grad in pairs:
        take_over(tensor, data)
        if grad is not None:
            tensor.grad = grad


def take_over(tensor: Tensor, other: Tensor) -> None:
    """Let a module's `tensor` use the storage of `other`; a gradient of another kind is dropped."""
    tensor.grad = None
    tensor.data = other.detach()
