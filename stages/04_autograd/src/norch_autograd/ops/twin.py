"""Second derivatives of fused operations: by way of the twin, the same function of basic ones.

A fused kernel returns a gradient without having recorded how it came about. When that gradient
itself is to be differentiated, the twin runs on the same inputs and the engine walks it backward,
recording.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from norch_autograd.engine import run
from norch_autograd.graph import Gradients, edge_of, unary
from norch_autograd.ops.shape import View
from norch_autograd.sinks import Collect

if TYPE_CHECKING:
    from norch_autograd.outputs import Parts
    from norch_autograd.tensors import Tensor

Inputs = Sequence["Tensor | None"]


def twin_gradients(twin: Callable[..., Any], inputs: Inputs, grad: Tensor | Parts) -> Gradients:
    """The gradient of each input of `twin(*inputs)`, recorded; None where none is wanted.

    `grad` belongs to the one result, or is the labelled gradients of several (outputs.py).
    """
    seen = tuple(None if tensor is None else _seen_anew(tensor) for tensor in inputs)
    results = twin(*seen)
    if isinstance(results, tuple):
        pairs = [(results[i], part) for i, part in grad.grads.items()]  # type: ignore[union-attr]
    else:
        pairs = [(results, grad)]
    edges = [edge_of(tensor) for tensor in seen]
    roots = [(edge, part) for edge, part in ((edge_of(r), p) for r, p in pairs) if edge is not None]
    sink = Collect({edge for edge in edges if edge is not None})
    run(
        [edge for edge, _ in roots],
        [part for _, part in roots],
        sink,
        retain_graph=True,
        create_graph=True,
        targets=sink.targets,
    )
    return tuple(None if edge is None else sink.found.get(edge) for edge in edges)


def _seen_anew(tensor: Tensor) -> Tensor:
    """The same elements behind a node of their own: one input may have been made from another, and
    only what reaches it through the twin is its gradient here.
    """
    return unary(View, tensor.array, tensor, (), tensor.array.shape)
