"""The engine: one backward pass over the record of graph.py.

Newest node first: whatever uses a node was created after it, so all blame for a node has arrived
when its turn comes, and each node runs once. No recursion, no set whose order could matter.
Gradients are never changed in place here, because two tensors may share one. A pass that fails
leaves every `.grad` as it was (backward.py).

A recorded pass (`create_graph`) runs on tensors. Any other runs on bare arrays: nodes that cannot
take them, hooks and whoever watches are given tensors around them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

from norch_autograd.mode import BackwardPass, autocast_off, mode
from norch_autograd.node import ArrayNode, Edge, Node, watchers
from norch_autograd.outputs import Parts
from norch_autograd.state import TensorBase, plain, raw

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor

Sink: TypeAlias = "Callable[[Edge, dict[Edge, Any]], None]"  # takes it out of the dict
_number = attrgetter("number")


def plan(roots: Sequence[Edge]) -> tuple[list[Node], dict[int, list[TensorBase]]]:
    """The nodes behind `roots`, newest first; and which leaves are complete after which node."""
    stack = list(dict.fromkeys(root for root in roots if isinstance(root, Node)))
    seen = set(stack)
    last_use: dict[TensorBase, int] = {}
    complete: dict[int, list[TensorBase]] = {}
    # ex 4.4 begin
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                oldest = last_use.get(edge)
                if oldest is None or node.number < oldest:
                    last_use[edge] = node.number
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
    # ex 4.4 end


def leading_to(targets: set[Edge], order: list[Node]) -> list[Node]:
    """The nodes of `order` from which a target can be reached: the others need not run."""
    useful = set(targets)
    running = []
    for node in reversed(order):  # oldest first: a node's edges are decided before it
        if not useful.isdisjoint(node.edges):
            useful.add(node)
            running.append(node)
    return running[::-1]


def run(
    roots: Sequence[Edge],
    grads: Sequence[Tensor],
    sink: Sink,
    *,
    retain_graph: bool,
    create_graph: bool,
    targets: set[Edge] | None = None,
) -> None:
    """Carry `grads` back from `roots`; every complete gradient of a leaf or target is handed to
    `sink`: in a dict, so that whoever takes it out may be the only one to hold it.
    """
    if mode.autocast is not None:  # a backward runs in the dtypes of its forward
        with autocast_off():
            run(
                roots,
                grads,
                sink,
                retain_graph=retain_graph,
                create_graph=create_graph,
                targets=targets,
            )
        return
    order, complete = plan(roots)
    running = None if targets is None else set(leading_to(targets, order))
    arrived: dict[Edge, Any] = {}
    with BackwardPass(create_graph):
        for root, given in zip(roots, grads, strict=True):
            start: Any = raw(given) if mode.on_arrays else given
            arrived[root] = arrived[root] + start if root in arrived else start
        for node in order:
            grad = arrived.pop(node, None)
            if grad is not None:
                if node.hooks is not None or targets is not None:
                    grad = shown(node, grad, sink, targets)
                if running is None or node in running:
                    if watchers:
                        parts: Any = watched(node, grad)
                    elif isinstance(node, ArrayNode):
                        parts = node.backward(grad)
                    else:
                        parts = ask(node, grad)
                    # ex 4.5 begin
                    for edge, part in zip(node.edges, parts):  # noqa: B905 - strict costs 0.1 us
                        if edge is not None and part is not None:
                            held = arrived.get(edge)
                            arrived[edge] = part if held is None else held + part
                    # ex 4.5 end
                    grad = parts = part = held = None  # only `arrived` holds gradients now
                    if node.kept and not retain_graph:
                        node.kept = None
            if node.number in complete:
                for leaf in complete[node.number]:
                    if leaf in arrived:
                        sink(leaf, arrived)
        for root in list(arrived):  # roots that are leaves
            sink(root, arrived)


def as_tensor(grad: Any) -> Any:
    """A gradient on its way, as a tensor if it is an array."""
    if isinstance(grad, Parts):
        return Parts({i: as_tensor(part) for i, part in grad.grads.items()})
    return grad if isinstance(grad, TensorBase) else plain(grad)


def ask(node: Node, grad: Any) -> Any:
    """What a node answers; in a pass on arrays, one that wants a tensor is given a tensor."""
    if not mode.on_arrays or isinstance(node, ArrayNode):
        return node.backward(grad)
    return [None if part is None else part.array for part in node.backward(as_tensor(grad))]


def watched(node: Node, grad: Any) -> Any:
    """`node.backward(grad)`, told to the watchers."""
    start = perf_counter()
    try:
        parts = ask(node, grad)
    except Exception as error:
        for watcher in watchers:
            watcher.failed(node, error)
        raise
    seconds = perf_counter() - start
    for watcher in watchers:
        watcher.ran(node, grad, seconds, parts)
    return parts


def shown(node: Node, grad: Any, sink: Sink, targets: set[Edge] | None) -> Any:
    """Show a node's whole gradient to its hooks, and to `sink` if it is asked for."""
    if node.hooks is not None:
        grad = node.hooks.run(as_tensor(grad))
        if node.hooks.retained is not None and targets is None:
            sink(node, {node: grad})
    if targets is not None and node in targets:
        sink(node, {node: grad})
    return raw(grad) if mode.on_arrays else grad
