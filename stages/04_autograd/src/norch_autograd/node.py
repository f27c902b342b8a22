"""The node: one recorded operation, with the way to where its inputs came from and what it kept.

A node points to the nodes (or leaf tensors) it was fed from, its *edges*, and to what its
derivative needs, the *kept* values. graph.py writes nodes, engine.py walks them. Nothing here
computes a derivative: every operation's own node does, beside its function in ops/.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakKeyDictionary

from norch_autograd.hooks import AccumulateGrad, Hooks, RemovableHandle, hooks_of
from norch_autograd.mode import mode
from norch_autograd.packing import Packed
from norch_autograd.state import TensorBase, wrap

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor

Edge: TypeAlias = "Node | TensorBase"
Gradients: TypeAlias = "tuple[Tensor | None, ...]"

numbers = itertools.count()
_metadata: WeakKeyDictionary[Node, dict[Any, Any]] = WeakKeyDictionary()


class Watcher:
    """Who wants to know what is written and what is walked: see anomaly.py and profiler.py."""

    def made(self, node: Node) -> None:
        """A node was written into the record."""

    def ran(self, node: Node, grad: Any, seconds: float, parts: Any) -> None:
        """A node was walked: it was given `grad`, took so long and answered `parts`."""

    def failed(self, node: Node, error: Exception) -> None:
        """A node raised an error while it was walked."""


watchers: list[Watcher] = []  # empty in ordinary times, so that asking costs nothing


def announce(node: Node) -> None:
    """Tell the watchers of a new node."""
    for watcher in watchers:
        watcher.made(node)


class Node:
    """One recorded operation. A subclass says how the blame for its output is shared by its inputs.

    `backward(grad)` returns one gradient for each input (None where none is wanted), written in
    Tensor operations: recorded themselves, they give second derivatives. It must not change `grad`,
    which others may hold too. Elementwise nodes answer in the result's shape: `Fit` brings that
    back to the operand's.
    """

    __slots__ = ("__weakref__", "context", "edges", "hooks", "kept", "number")

    edges: tuple[Edge | None, ...]  # where each input came from; None: it wants no gradient
    number: int  # creation number: whatever uses a node is newer than it
    kept: Sequence[Any] | None  # see `keep` in graph.py; None once freed
    context: Any  # plain values: dims, shapes
    hooks: Hooks | None

    def __init__(self, edges: tuple[Edge | None, ...], kept: Sequence[Any], context: Any) -> None:
        self.edges = edges
        self.number = next(numbers)
        self.kept = kept
        self.context = context
        self.hooks = None
        if watchers:
            announce(self)

    def backward(self, grad: Any) -> Gradients:
        """The gradient of each input, given the output's."""
        raise NotImplementedError(f"[backward] {self.name()} has no derivative")

    def name(self) -> str:
        """PyTorch's name for the node, as tensors print it.

        >>> import norch_autograd as norch
        >>> (norch.ones(2, requires_grad=True) * 2).grad_fn.name()
        'MulBackward0'
        """
        return f"{type(self).__name__}Backward0"

    def __repr__(self) -> str:
        return f"<{self.name()} number {self.number}>"

    def __call__(self, *grads: Any) -> Gradients:
        """What the node answers to a gradient, outside any pass."""
        return tuple(self.backward(*grads))

    @property
    def next_functions(self) -> tuple[tuple[Node | AccumulateGrad | None, int], ...]:
        """The edges in PyTorch's form: pairs of a node and an output number, which here is always
        0.
        """
        return tuple(
            (AccumulateGrad(edge) if isinstance(edge, TensorBase) else edge, 0)
            for edge in self.edges
        )

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary for whoever looks at graphs."""
        return _metadata.setdefault(self, {})

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(grad_outputs)` before the node runs; what it returns replaces them."""
        return RemovableHandle(hooks_of(self).before, hook)

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(grad_inputs, grad_outputs)` after the node has run; what it returns replaces
        the gradients of the inputs.
        """
        return RemovableHandle(hooks_of(self).after, hook)

    def needs(self, i: int) -> bool:
        """Whether input `i` wants a gradient."""
        return self.edges[i] is not None

    def saved(self, i: int) -> Any:
        """The kept value `i`, connected to the graph; refuses one that was edited meanwhile."""
        if self.kept is None:
            raise RuntimeError(_FREED.format(self.name()))
        item = self.kept[i]
        on_arrays = isinstance(self, ArrayNode) and mode.on_arrays
        if item.__class__ is not tuple:
            return item.value(self, on_arrays) if item.__class__ is Packed else item
        tensor, array, version = item
        if array.version != version:
            shape, now = list(array.shape), array.version
            raise RuntimeError(_EDITED.format(self.name(), shape, now, version))
        if on_arrays:
            return array
        if tensor is None:
            return wrap(array, True, self)
        return tensor if tensor.array is array else wrap(array, False, None)  # .data was replaced


_FREED = (
    "[backward] the graph was already walked backward and what {} had kept is freed; "
    "pass retain_graph=True to the first backward if you need a second one"
)
_EDITED = (
    "[backward] one of the variables needed for gradient computation has been modified by an "
    "inplace operation: a value of shape {1} kept by {0} is at version {2}, expected version {3}; "
    "use the out-of-place form, or edit a clone"
)


class ArrayNode(Node):
    """A node whose `backward` is as true of arrays as of tensors: it is written in operators
    (+ - * / and minus), which both have, or in kernels.

    In a pass that nobody records it is given arrays, `saved` returns arrays, and `mode.on_arrays`
    says so; no tensor is made only to be unwrapped again. In a recorded pass the same lines run on
    tensors, which note down the second derivative.
    """

    __slots__ = ()
