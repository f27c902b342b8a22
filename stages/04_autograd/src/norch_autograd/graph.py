"""The record: what every operation writes down so that blame can travel back.

A tensor that came out of a recorded operation points to its `Node` (node.py). Operations call
`plain`, `unary`, `binary` or `record` to wrap their result; engine.py walks what they wrote. Nodes
and a tensor's state can be had from here too, so that one line imports all an operation needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from norch_autograd import state
from norch_autograd.mode import mode
from norch_autograd.node import (
    ArrayNode as ArrayNode,
    Edge as Edge,
    Gradients as Gradients,
    Node as Node,
    announce,
    numbers,
    watchers,
)
from norch_autograd.packing import Packed, hooked
from norch_autograd.state import (
    TensorBase as TensorBase,
    array_of as array_of,
    plain as plain,
    raw as raw,
    wrap as wrap,
)

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor

_new = object.__new__


def edge_of(tensor: TensorBase | None) -> Edge | None:
    """Where the gradient of `tensor` goes: to its node, or to itself if it is a leaf."""
    if tensor is None or not tensor.tracked:
        return None
    if tensor.base is not None and tensor.base[0].node is not tensor.base[1]:
        tensor.refresh_view()  # type: ignore[attr-defined]  # the base was edited in place since
    return tensor.node or tensor


def keep(items: tuple[Any, ...], result: Any) -> list[Any]:
    """Note down values for backward: tensors with their versions; the result without its node.

    An item is an input tensor, the result's array, another array, or anything immutable. A node
    that kept its own output tensor would be a cycle, which only the cycle collector could free.
    """
    kept: list[Any] = []
    for item in items:
        if item is result:
            kept.append((None, item, item.version))
        elif isinstance(item, TensorBase):
            array = item.array
            kept.append((item, array, array.version))
        else:
            kept.append(item)
    return packed(kept) if hooked and mode.packers else kept


def packed(kept: list[Any]) -> list[Any]:
    """What was kept, under `saved_tensors_hooks`; leaves that want gradients stay as they are."""
    result: list[Any] = []
    for item in kept:
        if item.__class__ is not tuple:
            is_array = hasattr(item, "layout")
            result.append(Packed(plain(item), is_array=True) if is_array else item)
        elif item[0] is None:
            result.append(Packed(plain(item[1]), is_result=True))
        else:
            edge = edge_of(item[0])
            if edge is None or isinstance(edge, Node):
                result.append(Packed(item[0], edge))
            else:
                result.append(item)
    return result


def recorded(
    kind: type[Node],
    array: Any,
    edges: tuple[Edge | None, ...],
    kept: list[Any] | tuple[()] = (),
    context: Any = None,
) -> Tensor:
    """A result and, behind it, the node that remembers where it came from.

    What `Node(...)` and `wrap` do, written out: this runs once for every recorded operation, and a
    constructor would cost as much as adding 64 numbers.
    """
    node = _new(kind)
    node.edges = edges
    node.number = next(numbers)
    node.kept = kept
    node.context = context
    node.hooks = None
    if watchers:
        announce(node)
    tensor: Tensor = _new(state.tensor_class)
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
        return recorded(kind, array, (edge,), keep(saved, array) if saved else saved, context)
    return wrap(array, False, None)


def binary(
    kind: type[Node],
    array: Any,
    input: TensorBase,
    other: TensorBase,
    saved: tuple[Any, ...] = (),
    keep_input: bool = False,
    keep_other: bool = False,
) -> Tensor:
    """Wrap the result of an elementwise function of two tensors, which may have been broadcast.

    A node that keeps its operands alone, or one of them, says so instead of naming them in `saved`:
    noting them here takes half the time.
    """
    if not ((input.tracked or other.tracked) and mode.enabled):
        return wrap(array, False, None)
    x, y = input.array, other.array
    if x.alike(y):
        edges = (edge_of(input), edge_of(other))
    else:
        edges = (fitted(input, array), fitted(other, array))
    if not (keep_input or keep_other):
        return recorded(kind, array, edges, keep(saved, array) if saved else saved)
    kept: list[Any] = [
        (input, x, x.version) if keep_input else None,
        (other, y, y.version) if keep_other else None,
    ]
    return recorded(kind, array, edges, packed(kept) if hooked and mode.packers else kept)


def with_number(
    kind: type[Node], array: Any, input: TensorBase, saved: tuple[Any, ...] = ()
) -> Tensor:
    """Wrap the result of an elementwise function of a tensor and a number, whose edge is None."""
    if input.tracked and mode.enabled:
        kept = keep(saved, array) if saved else saved
        return recorded(kind, array, (edge_of(input), None), kept)
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
        return recorded(kind, array, tuple(map(edge_of, inputs)), keep(saved, array), context)
    return wrap(array, False, None)


def wanted(inputs: tuple[TensorBase | None, ...]) -> bool:
    """Whether an operation on `inputs` is to be recorded."""
    for tensor in inputs:
        if tensor is not None and tensor.tracked:
            return mode.enabled
    return False
