"""Gradients of tensors that somebody named: `grad`, and `backward(inputs=...)`.

`CaptureGrad` is the accumulator that collects them; the rest reads what was given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from norch_autograd.engine.accumulate import AccumulateGrad
from norch_autograd.graph.node import Edge, Node
from norch_autograd.graph.operands import wrap_array
from norch_autograd.graph.tensor_base import Tensor
from norch_autograd.graph.views import edge_of


class CaptureGrad(AccumulateGrad):
    """The accumulator of `grad`: notes the gradients of `targets`, and writes no leaf's `.grad`."""

    takes_before_hooks = True

    def __init__(self, targets: set[Edge]) -> None:
        super().__init__()
        self.found: dict[Edge, Tensor] = {}
        self.targets = targets

    def __call__(self, edge: Edge, arrived: dict[Edge, Any]) -> None:
        """Note a complete gradient, if it was asked for."""
        grad = wrap_array(arrived.pop(edge))
        if edge not in self.targets:
            return
        if not isinstance(edge, Node) and edge.hooks is not None:
            grad = edge.hooks.run(grad)
        self.found[edge] = grad


def tensors_by_edge(inputs: Any) -> dict[Edge, Tensor]:
    """The tensors of `backward(inputs=...)`, each under the edge that its gradient arrives at."""
    only = {target_of(tensor): tensor for tensor in targets_of(inputs)}
    if not only:
        raise RuntimeError("[backward] 'inputs' argument to backward cannot be empty")
    return only


def target_of(tensor: Tensor) -> Edge:
    """The edge whose gradient is a tensor's gradient."""
    edge = edge_of(tensor)
    if edge is None:
        raise RuntimeError("[grad] one of the differentiated tensors does not require grad")
    return edge


def targets_of(inputs: Any) -> list[Any]:
    """What to differentiate by, as a list."""
    found = as_list(inputs)
    for tensor in found:
        if not isinstance(tensor, Tensor):
            given = type(tensor).__name__
            raise RuntimeError(f"[grad] expected tensors to differentiate by, got {given}")
    return found


def as_list(tensors: Any) -> list[Any]:
    """One tensor or several, as a list."""
    if isinstance(tensors, Tensor):
        return [tensors]
    if isinstance(tensors, list):
        return tensors
    if not isinstance(tensors, Sequence) or isinstance(tensors, str):
        given = type(tensors).__name__
        raise TypeError(f"[backward] expected a Tensor or a sequence of them, got {given}")
    return list(tensors)
