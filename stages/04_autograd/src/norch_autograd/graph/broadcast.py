"""Two operands in the record: broadcasting and promotion, and their way back.

Broadcasting copies an operand, so on the way back the gradients of the copies are summed; promotion
casts it, so they are cast back. `SumToShape` does both. Its own derivative is the way there again,
`Expanded`: the two are each other's backward.
"""

from __future__ import annotations

from typing import Any

import norch_strides as strides
from norch_autograd.graph.node import Edge, Gradients, Node, attach_node
from norch_autograd.graph.record import keep, unary
from norch_autograd.graph.tensor_base import Tensor, array_of, wrap
from norch_autograd.graph.views import edge_of
from norch_autograd.types.core import in_core
from norch_autograd.types.modes import mode
from norch_cpu_ops import DType


@in_core
def binary(
    kind: type[Node],
    array: Any,
    input: Tensor,
    other: Tensor,
    saved: tuple[Any, ...] = (),
) -> Tensor:
    """Wrap the result of an elementwise function of two tensors, which may have been broadcast."""
    if not ((input._requires_grad or other._requires_grad) and mode.enabled):
        return wrap(array, False, None)
    if input.array.alike(other.array):
        edges = (edge_of(input), edge_of(other))
    else:
        edges = (summing_edge(input, array), summing_edge(other, array))
    return attach_node(kind, array, edges, keep(saved, array) if saved else saved)


@in_core
def binary_with_number(
    kind: type[Node], array: Any, input: Tensor, saved: tuple[Any, ...] = ()
) -> Tensor:
    """Wrap the result of an elementwise function of a tensor and a number, whose edge is None."""
    if input._requires_grad and mode.enabled:
        kept = keep(saved, array) if saved else saved
        return attach_node(kind, array, (edge_of(input), None), kept)
    return wrap(array, False, None)


def summing_edge(operand: Tensor | None, result: Any) -> Edge | None:
    """Where an operand's gradient goes: by way of a `SumToShape`, if shape or dtype differ."""
    edge = edge_of(operand)
    if edge is None or operand is None:
        return None
    x = operand.array
    return edge if x.alike(result) else SumToShape((edge,), (), (x.shape, x.dtype))


def unbroadcast(array: Any, wanted: tuple[int, ...]) -> Any:
    """Sum an array over whatever broadcasting from the shape `wanted` has added."""
    shape = array.shape
    if shape == wanted:
        return array
    # ex 4.3 begin
    extra = len(shape) - len(wanted)
    dims = tuple(k for k in range(len(shape)) if k < extra or wanted[k - extra] != shape[k])
    return array.ops.sum(array, dims, True).view(strides.contiguous(wanted))
    # ex 4.3 end


class SumToShape(Node):
    """Sums the gradient over the copies of a broadcast operand, and casts it back."""

    def backward(self, grad: Tensor) -> Gradients:
        """The gradient in the operand's shape and dtype."""
        return (sum_to_shape(grad, *self.context),)

    def kernel(self, grad: Any) -> Any:
        """The same, of arrays."""
        shape, dtype = self.context
        found = unbroadcast(grad, shape)
        return (found if found.dtype is dtype else found.ops.cast(found, dtype),)


class Expanded(Node):
    """Copies the gradient of a sum to every summand, and casts it."""

    public_name = "SumBackward1"

    def backward(self, grad: Tensor) -> Gradients:
        """The gradient in the shape and dtype that was summed."""
        return (expand_to(grad, *self.context),)


def sum_to_shape(input: Tensor, shape: tuple[int, ...], dtype: DType | None = None) -> Tensor:
    """`input` summed over what broadcasting from `shape` has added, in `dtype`."""
    x = array_of(input)
    out = unbroadcast(x, shape)
    if dtype is not None and out.dtype is not dtype:
        out = out.ops.cast(out, dtype)
    return input if out is x else unary(Expanded, out, input, (), (x.shape, x.dtype))


def expand_to(input: Tensor, shape: tuple[int, ...], dtype: DType) -> Tensor:
    """`input` broadcast to `shape`, in `dtype`, and recorded: the way back of `sum_to_shape`."""
    x = array_of(input)
    out = x if x.dtype is dtype else x.ops.cast(x, dtype)
    out = out.view(strides.broadcast_to(out.layout, shape))
    return unary(SumToShape, out, input, (), (x.shape, x.dtype))


class Clone(Node):
    """A copy's gradient is the original's."""

    on_arrays = True

    def backward(self, grad: Tensor) -> Gradients:
        """The same gradient."""
        return (grad,)


def copy_of(input: Tensor) -> Tensor:
    """A copy with storage of its own, in the graph as a `Clone` node."""
    x = array_of(input)
    return unary(Clone, x.ops.clone(x), input)
