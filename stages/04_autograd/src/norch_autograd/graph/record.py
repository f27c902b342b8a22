"""The record: what every operation writes down so that a gradient can travel back.

An operation wraps its result with `plain`, `unary`, `record` or, if its operands may be broadcast,
`binary` (broadcast.py); the engine walks the nodes that they wrote.
"""

from __future__ import annotations

from typing import Any

from norch_autograd.graph.node import Node, attach_node
from norch_autograd.graph.saved_tensors import pack_saved, packing
from norch_autograd.graph.tensor_base import Tensor, wrap
from norch_autograd.graph.views import edge_of
from norch_autograd.types.core import in_core
from norch_autograd.types.modes import mode


@in_core
def keep(items: tuple[Any, ...], result: Any) -> list[Any]:
    """Note down values for backward: tensors with their versions; the result without its node.

    A node that kept its own output tensor would be a cycle, for the cycle collector alone to free.
    """
    kept: list[Any] = []
    for item in items:
        if item is result:
            kept.append((None, item, item.version))
        elif isinstance(item, Tensor):
            kept.append((item, item.array, item.array.version))
        else:
            kept.append(item)
    if packing and mode.packers:  # door: saved_tensors, views
        return pack_saved(kept, edge_of)  # door: saved_tensors, views
    return kept


@in_core
def unary(
    kind: type[Node],
    array: Any,
    input: Tensor,
    saved: tuple[Any, ...] = (),
    context: Any = None,
) -> Tensor:
    """Wrap the result of a function of one tensor, recorded as `kind` if a gradient is wanted."""
    if input._requires_grad and mode.enabled:
        edges = (edge_of(input),)  # door: views.py
        return attach_node(kind, array, edges, keep(saved, array) if saved else saved, context)
    return wrap(array, False, None)


@in_core
def record(
    kind: type[Node],
    array: Any,
    inputs: tuple[Tensor | None, ...],
    saved: tuple[Any, ...] = (),
    context: Any = None,
) -> Tensor:
    """Wrap the result of a function of any number of tensors (None: an operand left out)."""
    if should_record(inputs):
        edges = tuple(map(edge_of, inputs))  # door: views.py
        return attach_node(kind, array, edges, keep(saved, array), context)
    return wrap(array, False, None)


def should_record(inputs: tuple[Tensor | None, ...]) -> bool:
    """Whether an operation on `inputs` is to be recorded."""
    for tensor in inputs:
        if tensor is not None and tensor._requires_grad:
            return mode.enabled
    return False
