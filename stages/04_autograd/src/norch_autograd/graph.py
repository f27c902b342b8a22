"""The record: what every operation writes down so that blame can travel back.

A tensor that came out of a recorded operation points to its `Node`; a node points to the nodes (or
leaf tensors) it was fed from, its *edges*, and to what its derivative needs, the *kept* values.
Operations call `plain`, `unary`, `binary` or `record` to wrap their result; engine.py walks what
they wrote. Nothing here computes a derivative.

`TensorBase` is a tensor's state, without a single operation. The operations must make real
`Tensor`s, whose class is written above them in tensors.py: it introduces itself through
`set_tensor_class`, once, at import.
"""

from __future__ import annotations

import itertools
import sys
from typing import TYPE_CHECKING, Any, TypeAlias

from norch_autograd.mode import mode

if TYPE_CHECKING:
    from norch_autograd.hooks import Hooks
    from norch_autograd.tensors import Tensor

Edge: TypeAlias = "Node | TensorBase"
Gradients: TypeAlias = "tuple[Tensor | None, ...]"

_new = object.__new__
_numbers = itertools.count()
_tensor_class: type[Any]


class Watcher:
    """Who wants to know what is written and what is walked: see anomaly.py and profiler.py."""

    def made(self, node: Node) -> None:
        """A node was written into the record."""

    def ran(self, node: Node, grad: Any, seconds: float, parts: Any) -> None:
        """A node was walked: it was given `grad`, took so long and answered `parts`."""

    def failed(self, node: Node, error: Exception) -> None:
        """A node raised an error while it was walked."""


watchers: list[Watcher] = []  # empty in ordinary times, so that asking costs nothing
hooked: list[object] = []  # open `saved_tensors_hooks` of any thread; which, says its mode


def set_tensor_class(cls: type[TensorBase]) -> None:
    """Say which class results have: `Tensor`, whatever subclass the inputs were. Called by
    tensors.py.
    """
    global _tensor_class
    _tensor_class = cls


class TensorBase:
    """A tensor's state. Hooks of a tensor with a node live there, where the pass finds them."""

    __slots__ = ("__weakref__", "array", "base", "hooks", "node", "stored_grad", "tracked")

    array: Any  # a stage 2 or stage 3 array
    tracked: bool  # whether gradients are wanted; the user's `requires_grad`
    stored_grad: Tensor | None  # what the user sees, and may assign, as `grad`
    node: Node | None
    hooks: Hooks | None
    base: (
        tuple[Tensor, Node | None] | None
    )  # of a view: whose storage it is, and that one's node then


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
    kept: tuple[Any, ...] | None  # see `keep`; None once freed
    context: Any  # plain values: dims, shapes
    hooks: Hooks | None

    def __init__(self, edges: tuple[Edge | None, ...], kept: tuple[Any, ...], context: Any) -> None:
        self.edges = edges
        self.number = next(_numbers)
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

    @property
    def next_functions(self) -> tuple[tuple[Edge | None, int], ...]:
        """The edges in PyTorch's form: pairs of a node and an output number, which here is always
        0.
        """
        return tuple((edge, 0) for edge in self.edges)

    def needs(self, i: int) -> bool:
        """Whether input `i` wants a gradient."""
        return self.edges[i] is not None

    def saved(self, i: int) -> Any:
        """The kept value `i`, connected to the graph; refuses one that was edited meanwhile."""
        if self.kept is None:
            raise RuntimeError(_FREED.format(self.name()))
        item = self.kept[i]
        if item.__class__ is not tuple:
            return item.value(self) if item.__class__ is Packed else item
        tensor, array, version = item
        if array.version != version:
            shape, now = list(array.shape), array.version
            raise RuntimeError(_EDITED.format(self.name(), shape, now, version))
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


class Packed:
    """A kept value that went through a pack hook."""

    __slots__ = ("content", "is_array", "is_result", "node", "unpack")

    def __init__(self, tensor: TensorBase, is_array: bool, is_result: bool) -> None:
        pack, self.unpack = mode.packers[-1]
        edge = edge_of(tensor)
        self.node = edge if isinstance(edge, Node) else None
        self.is_array, self.is_result = is_array, is_result
        found, mode.packers = mode.packers, ()  # a hook's own operations are not packed
        try:
            self.content = pack(tensor)
        finally:
            mode.packers = found

    def value(self, node: Node) -> Any:
        """What the hook gives back, in the place of what was kept."""
        array = self.unpack(self.content).array
        if self.is_array:
            return array
        history = node if self.is_result else self.node
        return wrap(array, history is not None, history)


def packed(items: tuple[Any, ...], result: Any) -> tuple[Any, ...]:
    """`keep` under `saved_tensors_hooks`."""
    kept: list[Any] = []
    for item in items:
        if isinstance(item, TensorBase):
            leaf = item.tracked and item.node is None
            one: Any = (
                (item, item.array, item.array.version) if leaf else Packed(item, False, False)
            )
            kept.append(one)
        elif item is result:
            kept.append(Packed(plain(item), False, True))
        else:
            kept.append(Packed(plain(item), True, False) if hasattr(item, "layout") else item)
    return tuple(kept)


def announce(node: Node) -> None:
    """Tell the watchers of a new node."""
    for watcher in watchers:
        watcher.made(node)


def wrap(array: Any, tracked: bool, node: Node | None) -> Tensor:
    """A `Tensor` around an array that exists already."""
    tensor: Tensor = _new(_tensor_class)
    tensor.array = array
    tensor.tracked = tracked
    tensor.stored_grad = None
    tensor.node = node
    tensor.hooks = None
    tensor.base = None
    return tensor


def plain(array: Any) -> Tensor:
    """The result of an operation that has no derivative."""
    return wrap(array, False, None)


def array_of(tensor: TensorBase, op: str = "") -> Any:
    """The array of a tensor; TypeError, in the name of the calling operation, for anything else."""
    try:
        return tensor.array
    except AttributeError:
        op = op or sys._getframe(1).f_code.co_name
        raise TypeError(
            f"[{op}] expected a Tensor, got {type(tensor).__name__}: tensor(...) makes one"
        ) from None


def raw(operand: Any) -> Any:
    """The array of a tensor; a number as it is."""
    return operand.array if isinstance(operand, TensorBase) else operand


def edge_of(tensor: TensorBase | None) -> Edge | None:
    """Where the gradient of `tensor` goes: to its node, or to itself if it is a leaf."""
    if tensor is None or not tensor.tracked:
        return None
    if tensor.base is not None and tensor.base[0].node is not tensor.base[1]:
        tensor.refresh_view()  # type: ignore[attr-defined]  # the base was edited in place since
    return tensor.node or tensor


def keep(items: tuple[Any, ...], result: Any) -> tuple[Any, ...]:
    """Note down values for backward: tensors with their versions; the result without its node.

    An item is an input tensor, the result's array, another array, or anything immutable. A node
    that kept its own output tensor would be a cycle, which only the cycle collector could free.
    """
    if hooked and mode.packers:
        return packed(items, result)
    kept: list[Any] = []
    for item in items:
        if isinstance(item, TensorBase):
            array = item.array
            kept.append((item, array, array.version))
        elif item is result:
            kept.append((None, item, item.version))
        else:
            kept.append(item)
    return tuple(kept)


def recorded(
    kind: type[Node],
    array: Any,
    edges: tuple[Edge | None, ...],
    saved: tuple[Any, ...] = (),
    context: Any = None,
) -> Tensor:
    """A result and, behind it, the node that remembers where it came from.

    What `Node(...)` and `wrap` do, written out: this runs once for every recorded operation, and a
    constructor would cost as much as adding 64 numbers.
    """
    node = _new(kind)
    node.edges = edges
    node.number = next(_numbers)
    node.kept = keep(saved, array) if saved else saved
    node.context = context
    node.hooks = None
    if watchers:
        announce(node)
    tensor: Tensor = _new(_tensor_class)
    tensor.array = array
    tensor.tracked = True
    tensor.stored_grad = None
    tensor.node = node
    tensor.hooks = None
    tensor.base = None
    return tensor


def unary(
    kind: type[Node],
    array: Any,
    input: TensorBase,
    saved: tuple[Any, ...] = (),
    context: Any = None,
) -> Tensor:
    """Wrap the result of a function of one tensor, recorded as `kind` if a gradient is wanted."""
    if input.tracked and mode.enabled:
        edge = input.node or input if input.base is None else edge_of(input)
        return recorded(kind, array, (edge,), saved, context)
    return wrap(array, False, None)


def binary(
    kind: type[Node],
    array: Any,
    input: TensorBase,
    other: TensorBase,
    saved: tuple[Any, ...] = (),
) -> Tensor:
    """Wrap the result of an elementwise function of two tensors, which may have been broadcast."""
    if (input.tracked or other.tracked) and mode.enabled:
        if input.array.alike(other.array):
            edges = (edge_of(input), edge_of(other))
        else:
            edges = (fitted(input, array), fitted(other, array))
        return recorded(kind, array, edges, saved)
    return wrap(array, False, None)


def with_number(
    kind: type[Node], array: Any, input: TensorBase, saved: tuple[Any, ...] = ()
) -> Tensor:
    """Wrap the result of an elementwise function of a tensor and a number, whose edge is None."""
    if input.tracked and mode.enabled:
        return recorded(kind, array, (edge_of(input), None), saved)
    return wrap(array, False, None)


class Fit(Node):
    """Undoes broadcasting and promotion of an operand: sums over the copies, casts back."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        """The gradient in the operand's shape and dtype."""
        shape, dtype = self.context
        return (grad.sum_to_size(shape).to(dtype),)


def fitted(operand: TensorBase | None, result: Any) -> Edge | None:
    """The edge of an operand; by way of a `Fit` if the result has another shape or dtype."""
    edge = edge_of(operand)
    if edge is None or operand is None:
        return None
    x = operand.array
    return edge if x.alike(result) else Fit((edge,), (), (x.shape, x.dtype))


def record(
    kind: type[Node],
    array: Any,
    inputs: tuple[TensorBase | None, ...],
    saved: tuple[Any, ...] = (),
    context: Any = None,
) -> Tensor:
    """Wrap the result of a function of any number of tensors (None: an operand left out)."""
    if wanted(inputs):
        return recorded(kind, array, tuple(map(edge_of, inputs)), saved, context)
    return wrap(array, False, None)


def wanted(inputs: tuple[TensorBase | None, ...]) -> bool:
    """Whether an operation on `inputs` is to be recorded."""
    for tensor in inputs:
        if tensor is not None and tensor.tracked:
            return mode.enabled
    return False
