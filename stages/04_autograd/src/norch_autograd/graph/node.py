"""The node: one recorded operation, with the way to where its inputs came from and what it kept.

record.py writes nodes, the engine walks them. Nothing here computes a derivative: every operation's
own node does, beside its function in ops/.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, ClassVar, TypeAlias

from norch_autograd.graph.hooks import Hooks, PublicNode, announce, watchers
from norch_autograd.graph.operands import freeze
from norch_autograd.graph.saved_tensors import Packed, edited_error, freed_error
from norch_autograd.graph.tensor_base import Tensor, plain, wrap
from norch_autograd.types.core import in_core
from norch_autograd.types.modes import mode

Edge: TypeAlias = "Node | Tensor"
Gradients: TypeAlias = "tuple[Tensor | None, ...]"

numbers = itertools.count()


class NodeType(type):
    """Gives every class of nodes empty `__slots__`: a node has what NodeState has, and no dict."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> NodeType:
        """Make the class."""
        return super().__new__(cls, name, bases, {"__slots__": (), **body})


@in_core
class NodeState:
    """What a node holds, and how it reads what it kept."""

    __slots__ = ("__weakref__", "context", "edges", "hooks", "kept", "number")

    on_arrays: ClassVar[bool] = False  # `backward` is as true of arrays
    edges: tuple[Edge | None, ...]  # where each input came from; None: it wants no gradient
    number: int  # creation number: whatever uses a node is newer than it
    kept: Sequence[Any] | None  # see `keep` in record.py; None once freed
    context: Any  # plain values: dims, shapes; frozen
    hooks: Hooks | None  # door: hooks.py

    def __init__(self, edges: tuple[Edge | None, ...], kept: Sequence[Any], context: Any) -> None:
        self.edges = edges
        self.number = next(numbers)
        self.kept = kept
        self.context = freeze(context)  # here alone: what is not recorded is not frozen
        self.hooks = None
        if watchers:  # door: hooks.py
            announce(self)

    def needs(self, i: int) -> bool:
        """Whether input `i` wants a gradient."""
        return self.edges[i] is not None

    def saved(self, i: int) -> Any:
        """The kept value `i` as `backward` reads it: a tensor, connected to the graph. Nodes
        that say `on_arrays` read arrays in a pass on arrays.
        """
        value = self.saved_array(i)
        item = self.kept[i]  # type: ignore[index]  # `saved_array` has found it
        if item is value or (self.on_arrays and mode.on_arrays):
            return value
        if item.__class__ is Packed:  # door: saved_tensors.py
            return item.connect(value, self)
        tensor = item[0]
        if tensor is None:
            return wrap(value, True, self)
        return tensor if tensor.array is value else plain(value)  # .data was replaced

    def saved_array(self, i: int) -> Any:
        """The kept value `i` as `kernel` reads it: an array, if it was a tensor."""
        if self.kept is None:
            raise freed_error(self)  # door: saved_tensors.py
        item = self.kept[i]
        if item.__class__ is not tuple:
            return item.array() if item.__class__ is Packed else item  # door: saved_tensors.py
        _, array, version = item
        if array.version != version:
            raise edited_error(self, array, version)  # door: saved_tensors.py
        return array


# door: hooks.py. `PublicNode` is what a program may ask of `tensor.grad_fn`.
class Node(PublicNode, NodeState, metaclass=NodeType):
    """One recorded operation. A subclass says how the gradient of its output becomes the gradients
    of its inputs, one each, None where none is wanted.

    `backward(grad)` says it in Tensor operations, which give second derivatives: the reference.
    `kernel(grad)` may say the same on arrays, by a fused routine; the engine takes it when nobody
    records the pass. Neither may change `grad`, which others may hold too.
    """

    def __init_subclass__(cls) -> None:
        """Nodes `on_arrays` have their `backward` as `kernel` too."""
        if cls.on_arrays and "kernel" not in vars(cls):
            cls.kernel = cls.backward  # type: ignore[method-assign]

    def backward(self, grad: Any) -> Gradients:
        """The gradient of each input, given the output's."""
        raise NotImplementedError(f"[backward] {self.name()} has no derivative")

    def kernel(self, grad: Any) -> Any:
        """The same on arrays. Without a routine of its own: `backward`, around the arrays."""
        found = self.backward(wrap(grad, False, None))
        return [None if part is None else part.array for part in found]


@in_core
def attach_node(
    kind: type[Node],
    array: Any,
    edges: tuple[Edge | None, ...],
    kept: list[Any] | tuple[()] = (),
    context: Any = None,
) -> Tensor:
    """A result and, behind it, the node that remembers where it came from."""
    return wrap(array, True, kind(edges, kept, context))
