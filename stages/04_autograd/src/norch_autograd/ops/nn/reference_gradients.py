"""The derivative of a fused operation whose gradient has no formula in tensor operations here.

A fused kernel returns a gradient without recording how it came about. Where that gradient is to be
differentiated itself, or inside `composite()`, the reference runs on the same inputs and the engine
walks it backward.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from norch_autograd.engine.accumulate import CaptureGrad
from norch_autograd.engine.engine import run
from norch_autograd.graph.grad_mode import enable_grad, is_grad_enabled
from norch_autograd.graph.multi_output import OutputGrads
from norch_autograd.graph.node import Gradients
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor
from norch_autograd.graph.views import edge_of
from norch_autograd.ops.shape.view import View

Inputs = Sequence["Tensor | None"]


def reference_gradients(
    reference: Callable[..., Any], inputs: Inputs, grad: Tensor | OutputGrads
) -> Gradients:
    """The gradient of each input of `reference(*inputs)`, recorded if the pass is; None where none
    is wanted. `grad` belongs to the one result, or is the labelled gradients of several.
    """
    recorded = is_grad_enabled()
    with enable_grad():
        seen = tuple(None if tensor is None else _fresh_view(tensor) for tensor in inputs)
        results = reference(*seen)
    pairs: list[tuple[Any, Any]] = [(results, grad)]
    if isinstance(grad, OutputGrads):
        pairs = [(results[i], one) for i, one in grad.grads.items()]
    edges = [edge_of(tensor) for tensor in seen]
    roots = [(edge, one) for edge, one in ((edge_of(r), g) for r, g in pairs) if edge is not None]
    captured = CaptureGrad({edge for edge in edges if edge is not None})
    run(
        [edge for edge, _ in roots],
        [one for _, one in roots],
        captured,
        retain_graph=recorded,
        create_graph=recorded,
        targets=captured.targets,
    )
    return tuple(None if edge is None else captured.found.get(edge) for edge in edges)


def _fresh_view(tensor: Tensor) -> Tensor:
    """The same elements behind a node of their own: one input may have been made from another, and
    only what reaches it through the reference is its gradient here.
    """
    return unary(View, tensor.array, tensor, (), tensor.array.shape)
