"""Hooks: functions of the user's that see, or replace, a gradient on its way."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from norch_autograd.graph import Node, TensorBase
    from norch_autograd.tensors import Tensor


class Hooks:
    """What a node or a leaf tensor has been asked to call."""

    __slots__ = ("accumulated", "arriving", "retained")

    def __init__(self) -> None:
        self.arriving: list[Callable[[Any], Any]] = []  # each may return another gradient
        self.accumulated: list[Callable[[Any], Any]] = []  # of leaves, once .grad is written
        self.retained: weakref.ref[Any] | None = None  # the tensor whose .grad is wanted too

    def run(self, grad: Tensor) -> Tensor:
        """Show an arriving gradient to every hook in turn."""
        for hook in list(self.arriving):
            replaced = hook(grad)
            if replaced is None:
                continue
            if not hasattr(replaced, "array"):
                raise TypeError(
                    f"[register_hook] a hook must return a Tensor or None, got "
                    f"{type(replaced).__name__}"
                )
            grad = replaced
        return grad


class RemovableHandle:
    """What registering a hook returns: `remove()` takes the hook back; works as a context manager
    too.
    """

    __slots__ = ("_hook", "_hooks")

    def __init__(self, hooks: list[Callable[[Any], Any]], hook: Callable[[Any], Any]) -> None:
        self._hooks = hooks
        self._hook = hook
        hooks.append(hook)

    def remove(self) -> None:
        """Take the hook back; a second time does nothing."""
        for i, hook in enumerate(self._hooks):
            if hook is self._hook:
                del self._hooks[i]
                return

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def hooks_of(owner: TensorBase | Node) -> Hooks:
    """The hooks of a leaf or a node, made when first asked for."""
    if owner.hooks is None:
        owner.hooks = Hooks()
    return owner.hooks


def register_hook(input: Tensor, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
    """Call `hook(grad)` when the gradient of `input` is complete; what it returns, if anything,
    replaces it.

    >>> import norch_autograd as norch
    >>> x = norch.ones(2, requires_grad=True)
    >>> handle = x.register_hook(lambda grad: grad * 10)
    >>> x.sum().backward()
    >>> x.grad
    tensor([10., 10.])
    """
    if not input.tracked:
        raise RuntimeError(
            "[register_hook] cannot register a hook on a tensor that doesn't require gradient"
        )
    return RemovableHandle(hooks_of(input.node or input).arriving, hook)


def register_post_accumulate_grad_hook(
    input: Tensor, hook: Callable[[Tensor], None]
) -> RemovableHandle:
    """Call `hook(input)` as soon as a backward pass has written the leaf's `.grad`.

    >>> import norch_autograd as norch
    >>> x = norch.ones(2, requires_grad=True)
    >>> handle = x.register_post_accumulate_grad_hook(lambda leaf: print(leaf.grad))
    >>> x.sum().backward()
    tensor([1., 1.])
    """
    if not input.tracked or input.node is not None:
        raise RuntimeError(
            "[register_post_accumulate_grad_hook] post accumulate grad hooks cannot be registered "
            "on non-leaf tensors, nor on tensors that don't require gradient"
        )
    return RemovableHandle(hooks_of(input).accumulated, hook)


def retain_grad(input: Tensor) -> None:
    """Let a tensor that is no leaf keep its gradient in `.grad` too.

    >>> import norch_autograd as norch
    >>> x = norch.ones(2, requires_grad=True)
    >>> y = x * 2
    >>> y.retain_grad()
    >>> y.sum().backward()
    >>> y.grad
    tensor([1., 1.])
    """
    if not input.tracked:
        raise RuntimeError(
            "[retain_grad] can't retain_grad on a tensor that has requires_grad=False"
        )
    if input.node is not None:
        hooks_of(input.node).retained = weakref.ref(input)


def retains_grad(input: Tensor) -> bool:
    """Whether `retain_grad` was called on a tensor that is no leaf."""
    node = input.node
    return node is not None and node.hooks is not None and node.hooks.retained is not None
