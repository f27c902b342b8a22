"""The engine: one backward pass over the record.

Newest node first: whatever uses a node is newer, so all of its gradient has arrived when its turn
comes, and it runs once. Gradients are never changed in place here: two tensors may share one. A
recorded or `composite` pass calls each node's `backward` with tensors, any other its `kernel`.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from norch_autograd.engine.accumulate import AccumulateGrad
from norch_autograd.engine.hooked import backward_with_hooks, nodes_leading_to, show_gradient
from norch_autograd.graph.hooks import watchers
from norch_autograd.graph.node import Edge, Node
from norch_autograd.graph.tensor_base import Tensor
from norch_autograd.types.core import in_core
from norch_autograd.types.modes import mode

_number = attrgetter("number")


def plan(roots: Sequence[Edge]) -> tuple[list[Node], dict[int, list[Tensor]]]:
    """The nodes behind `roots`, newest first; and which leaves are complete after which node."""
    stack = [root for root in roots if isinstance(root, Node)]
    seen = set(stack)
    last_use: dict[Tensor, int] = {}
    complete: dict[int, list[Tensor]] = {}
    # ex 4.4 begin
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
    # ex 4.4 end


class BackwardPass:
    """The mode of a pass: recorded, else on arrays unless `composite`; never with autocast."""

    def __init__(self, recorded: bool) -> None:
        self._recorded = recorded

    def __enter__(self) -> bool:
        self._found = mode.enabled, mode.on_arrays, mode.autocast
        mode.enabled, mode.autocast = self._recorded, None
        mode.on_arrays = on_arrays = not (self._recorded or mode.composite)
        return on_arrays

    def __exit__(self, *_: object) -> None:
        mode.enabled, mode.on_arrays, mode.autocast = self._found


@in_core
def run(
    roots: Sequence[Edge],
    grads: Sequence[Tensor],
    accumulator: AccumulateGrad,
    retain_graph: bool,
    create_graph: bool,
    targets: set[Edge] | None = None,
) -> None:
    """Carry `grads` back from `roots`; what is complete of a leaf or target, to `accumulator`."""
    order, complete = plan(roots)
    running = None if targets is None else nodes_leading_to(targets, order)  # door: hooked.py
    arrived: dict[Edge, Any] = {}
    with BackwardPass(create_graph) as on_arrays:
        for root, given in zip(roots, grads, strict=True):
            start: Any = given.array if on_arrays else given
            arrived[root] = arrived[root] + start if root in arrived else start
        for node in order:
            grad = arrived.pop(node, None)
            if grad is not None:
                runs = running is None or node in running
                if node.hooks is not None or targets is not None:  # door: hooked.py
                    grad = show_gradient(node, grad, accumulator, runs, targets)
                if runs:
                    backward = node.kernel if on_arrays else node.backward
                    if watchers or node.hooks is not None:  # door: hooked.py, hooks.py
                        parts: Any = backward_with_hooks(node, backward, grad)
                    else:
                        parts = backward(grad)
                    # ex 4.5 begin
                    for edge, part in zip(node.edges, parts):  # noqa: B905 - strict costs 0.1 us
                        if edge is not None and part is not None:
                            held = arrived.get(edge)
                            arrived[edge] = part if held is None else held + part
                    # ex 4.5 end
                    grad = parts = part = held = None  # let go what is no longer needed
                    if node.kept and not retain_graph:
                        node.kept = None
            if node.number in complete:
                for leaf in complete[node.number]:
                    if leaf in arrived:
                        accumulator(leaf, arrived.pop(leaf))
        for root in list(arrived):  # roots that are leaves
            accumulator(root, arrived.pop(root))
