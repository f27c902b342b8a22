"""Nodes with several outputs, such as `split`: each output has a small node of its own, which hands
its gradient on with a label; the node behind them receives all labels at once.
"""

from __future__ import annotations

from typing import Any

from norch_autograd.graph.node import Node, attach_node
from norch_autograd.graph.operands import raw, wrap_array
from norch_autograd.graph.record import keep, should_record
from norch_autograd.graph.tensor_base import Tensor, plain
from norch_autograd.graph.views import edge_of


class OutputGrads:
    """Gradients of some of a node's several outputs, on their way to it; the engine adds them."""

    __slots__ = ("grads",)

    def __init__(self, grads: dict[int, Any]) -> None:
        self.grads = grads

    def __add__(self, other: OutputGrads) -> OutputGrads:
        for i, grad in other.grads.items():  # twice only where `saved_output` was used again
            self.grads[i] = self.grads[i] + grad if i in self.grads else grad
        return self


def tensors_of(grad: Any) -> Any:
    """The gradient of a graph node, or of each output of a multi-output one, as tensors."""
    if isinstance(grad, OutputGrads):
        return OutputGrads({i: wrap_array(part) for i, part in grad.grads.items()})
    return wrap_array(grad)


class MultiOutputNode(Node):
    """A node whose `backward` and `kernel` are given `OutputGrads`."""

    def kernel(self, grad: Any) -> Any:
        """`backward`, around the arrays."""
        return [raw(found) for found in self.backward(tensors_of(grad))]

    def saved_output(self, i: int) -> Tensor:
        """Output `i`, which was kept at place `i`, connected to this node as its output is."""
        return attach_node(Output, self.saved_array(i), (self,), (), i)


class Output(Node):
    """One of the outputs of a node that has several: passes its gradient on, labelled."""

    on_arrays = True

    def backward(self, grad: Tensor) -> tuple[Any, ...]:
        """The gradient, labelled with the number of the output."""
        return (OutputGrads({self.context: grad}),)

    def name(self) -> str:
        """The name of the node whose output it is."""
        return self.edges[0].name() if isinstance(self.edges[0], Node) else super().name()


def record_many(
    kind: type[Node],
    arrays: list[Any],
    inputs: tuple[Tensor | None, ...],
    saved: tuple[Any, ...] = (),
    context: Any = None,
) -> list[Tensor]:
    """Wrap several results of one function; `kind` receives their gradients as `OutputGrads`."""
    if not should_record(inputs):
        return list(map(plain, arrays))
    kept = keep(saved, arrays)  # no single result that could be among the items
    parent = kind(tuple(map(edge_of, inputs)), kept, context)
    edges = (parent,)
    return [attach_node(Output, array, edges, (), i) for i, array in enumerate(arrays)]
