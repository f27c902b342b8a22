"""Hooks: functions of the user's that see, or replace, a gradient on its way; and watchers, anomaly
mode and the profiler, who are told of every node.

`Hooks` holds those of one node or leaf; `PublicNode` is what a program may ask of `tensor.grad_fn`.
The engine's hooked.py calls them. The record and the engine look into `watchers` once for each
node; in ordinary times it is empty.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from time import perf_counter
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from norch_autograd.graph.operands import raw, wrap_array
from norch_autograd.graph.tensor_base import Tensor
from norch_autograd.types.modes import mode

_metadata: WeakKeyDictionary[PublicNode, dict[Any, Any]] = WeakKeyDictionary()


class Hooks:
    """What a node or a leaf tensor has been asked to call."""

    __slots__ = ("accumulated", "after", "arriving", "before", "retained")

    def __init__(self) -> None:
        self.arriving: list[Callable[..., Any]] = []  # each may return another gradient
        self.accumulated: list[Callable[..., Any]] = []  # of leaves, once .grad is written
        self.before: list[Callable[..., Any]] = []  # of nodes: the outputs' gradients, in a tuple
        self.after: list[Callable[..., Any]] = []  # of nodes: the inputs' gradients, the outputs'
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
            if not replaced.array.alike(grad.array):
                raise RuntimeError(
                    f"[register_hook] a hook has changed the gradient's shape or dtype: it was "
                    f"{grad.array.shape} of {grad.array.dtype}, the hook returned "
                    f"{replaced.array.shape} of {replaced.array.dtype}"
                )
            grad = replaced
        return grad

    def run_accumulated(self, leaf: Tensor) -> None:
        """Tell that a leaf's `.grad` is written."""
        for hook in list(self.accumulated):
            hook(leaf)

    def run_before(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        """Show the gradients of a node's outputs to the hooks before it."""
        for hook in list(self.before):
            replaced = hook(grads)
            if replaced is not None:
                grads = replaced if isinstance(replaced, tuple) else (replaced,)
        return grads

    def around(self, backward: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """A node's `backward`, with the hooks after it."""
        return lambda grad: self.run_after(backward(grad), grad)

    def run_after(self, parts: Any, grad: Any) -> Any:
        """Show what a node answers to the hooks after it; they are given tensors."""
        outputs = (wrap_array(grad),)
        for hook in list(self.after):
            replaced = hook(tuple(map(wrap_array, parts)), outputs)
            if replaced is not None:
                kind = replaced if isinstance(replaced, tuple) else (replaced,)
                parts = [raw(part) if mode.on_arrays else part for part in kind]
        return parts


class RemovableHandle:
    """What registering a hook returns: `remove()` takes the hook back; works as a context manager
    too.
    """

    __slots__ = ("_hook", "_hooks")

    def __init__(self, hooks: list[Callable[..., Any]], hook: Callable[..., Any]) -> None:
        self._hooks = hooks
        self._hook = hook
        hooks.append(hook)

    def remove(self) -> None:
        """Take a gradient hook back; a second time does nothing."""
        for i, hook in enumerate(self._hooks):
            if hook is self._hook:
                del self._hooks[i]
                return

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def hooks_of(owner: Any) -> Hooks:
    """The hooks of a leaf or a node, made when first asked for."""
    if owner.hooks is None:
        owner.hooks = Hooks()
    return owner.hooks  # type: ignore[no-any-return]


def register_hook(input: Tensor, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
    """Call `hook(grad)` when the gradient of `input` is complete; what it returns, if anything,
    replaces it.

    >>> x = norch.ones(2, requires_grad=True)
    >>> handle = x.register_hook(lambda grad: grad * 10)
    >>> x.sum().backward()
    >>> x.grad
    tensor([10., 10.])
    """
    if not input._requires_grad:
        raise RuntimeError(
            "[register_hook] cannot register a hook on a tensor that doesn't require gradient"
        )
    return RemovableHandle(hooks_of(input.node or input).arriving, hook)


def register_post_accumulate_grad_hook(
    input: Tensor, hook: Callable[[Tensor], None]
) -> RemovableHandle:
    """Call `hook(input)` as soon as a backward pass has written the leaf's `.grad`.

    >>> x = norch.ones(2, requires_grad=True)
    >>> handle = x.register_post_accumulate_grad_hook(lambda leaf: print(leaf.grad))
    >>> x.sum().backward()
    tensor([1., 1.])
    """
    if not input._requires_grad or input.node is not None:
        raise RuntimeError(
            "[register_post_accumulate_grad_hook] post accumulate grad hooks cannot be registered "
            "on non-leaf tensors, nor on tensors that don't require gradient"
        )
    return RemovableHandle(hooks_of(input).accumulated, hook)


def retain_grad(input: Tensor) -> None:
    """Let a tensor that is no leaf keep its gradient in `.grad` too.

    >>> x = norch.ones(2, requires_grad=True)
    >>> y = x * 2
    >>> y.retain_grad()
    >>> y.sum().backward()
    >>> y.grad
    tensor([1., 1.])
    """
    if not input._requires_grad:
        raise RuntimeError(
            "[retain_grad] can't retain_grad on a tensor that has requires_grad=False"
        )
    if input.node is not None:
        hooks_of(input.node).retained = weakref.ref(input)


def retains_grad(input: Tensor) -> bool:
    """Whether `retain_grad` was called on a tensor that is no leaf."""
    node = input.node
    return node is not None and node.hooks is not None and node.hooks.retained is not None


class LeafNode:
    """PyTorch's node for a leaf, AccumulateGrad by name. The engine needs none: this one is made
    for whoever asks `next_functions`.
    """

    __slots__ = ("variable",)
    next_functions = ()

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable

    def name(self) -> str:
        """PyTorch's name for the node of a leaf."""
        return "AccumulateGrad"

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook((), (grad,))` once the leaf's `.grad` is written."""
        leaf = hooks_of(self.variable).accumulated
        return RemovableHandle(leaf, lambda tensor: hook((), (tensor._grad,)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LeafNode) and other.variable is self.variable

    def __hash__(self) -> int:
        return hash(self.variable)


LeafNode.__name__ = LeafNode.__qualname__ = "AccumulateGrad"  # what scripts look for


class PublicNode:
    """What a program may ask of `tensor.grad_fn`: its name, where it leads, and hooks."""

    __slots__ = ()
    public_name: ClassVar[str] = ""  # PyTorch's, where it is not the class's and "Backward0"

    def name(self) -> str:
        """PyTorch's name for the node, as tensors print it.

        >>> (norch.ones(2, requires_grad=True) * 2).grad_fn.name()
        'MulBackward0'
        """
        return self.public_name or f"{type(self).__name__}Backward0"

    def __repr__(self) -> str:
        return f"<{self.name()} number {self.number}>"  # type: ignore[attr-defined]

    def __call__(self, *grads: Any) -> tuple[Any, ...]:
        """The gradients of the node's inputs, outside any pass."""
        return tuple(self.backward(*grads))  # type: ignore[attr-defined]

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """The edges in PyTorch's form: pairs of a node and an output number, here always 0."""
        edges = self.edges  # type: ignore[attr-defined]
        return tuple((LeafNode(edge) if isinstance(edge, Tensor) else edge, 0) for edge in edges)

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary on a node, for whoever looks at graphs."""
        return _metadata.setdefault(self, {})

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(grad_outputs)` before the node runs; what it returns replaces them."""
        return RemovableHandle(hooks_of(self).before, hook)

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(grad_inputs, grad_outputs)` after the node has run; what it returns replaces
        the gradients of the inputs.
        """
        return RemovableHandle(hooks_of(self).after, hook)


class Watcher:
    """Who looks on while nodes are recorded and run; a subclass takes what it wants to know."""

    def on_record(self, node: Any) -> None:
        """A node was recorded."""

    def on_backward(self, node: Any, grad: Any, seconds: float, grads: Any) -> None:
        """A node was walked: it was given `grad`, took so long and returned `grads`."""

    def on_error(self, node: Any, error: Exception) -> None:
        """A node raised an error while it was walked."""


watchers: list[Watcher] = []


def announce(node: Any) -> None:
    """Tell the watchers of a node that was just recorded."""
    for watcher in watchers:
        watcher.on_record(node)


def run_watched(node: Any, backward: Any, grad: Any) -> Any:
    """Run a graph node's `backward(grad)`, and tell the watchers what came of it."""
    start = perf_counter()
    try:
        grads = backward(grad)
    except Exception as error:
        for watcher in watchers:
            watcher.on_error(node, error)
        raise
    seconds = perf_counter() - start
    for watcher in watchers:
        watcher.on_backward(node, grad, seconds, grads)
    return grads
