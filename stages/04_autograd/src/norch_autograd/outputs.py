"""Nodes with several outputs, such as `split`: each output has a small node of its own, which hands
its gradient on with a label; the node behind them receives all labels at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from norch_autograd.graph import ArrayNode, Node, TensorBase, edge_of, keep, plain, wanted, wrap

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor


class Parts:
    """Gradients of some of a node's several outputs, on their way to it; the engine adds them."""

    __slots__ = ("grads",)

    def __init__(self, grads: dict[int, Tensor]) -> None:
        self.grads = grads

    def __add__(self, other: Parts) -> Parts:
        self.grads.update(other.grads)  # each output reports once, and only here
        return self


class Output(ArrayNode):
    """One of the outputs of a node that has several: passes its gradient on, labelled."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> tuple[Any, ...]:
        """The gradient, labelled with the number of the output."""
        return (Parts({self.context: grad}),)

    def name(self) -> str:
        """The name of the node whose output it is."""
        return self.edges[0].name() if isinstance(self.edges[0], Node) else super().name()


def record_many(
    kind: type[Node],
    arrays: list[Any],
    inputs: tuple[TensorBase | None, ...],
    saved: tuple[Any, ...] = (),
    context: Any = None,
) -> list[Tensor]:
    """Wrap several results of one function; `kind.backward` receives their gradients as `Parts`."""
    if not wanted(inputs):
        return [plain(array) for array in arrays]
    kept = keep(saved, arrays)  # no single result that could be among the items
    parent = kind(tuple(map(edge_of, inputs)), kept, context)
    return [wrap(a, True, Output((parent,), (), i)) for i, a in enumerate(arrays)]
