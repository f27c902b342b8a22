"""The engine: one backward pass over the record of graph.py.

Newest node first: whatever uses a node was created after it, so all blame for a node has arrived
when its turn comes, and each node runs once. No recursion, no set whose order could matter.
Gradients are never changed in place here, because two tensors may share one. A pass that fails
leaves every `.grad` as it was (backward.py).

A recorded pass (`create_graph`) runs on tensors. Any other runs on bare arrays: nodes that cannot
take them, hooks and whoever watches are given tensors around them.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from time import perf_counter
from typing import TYPE_CHECKING, Any

from norch_autograd.mode import BackwardPass, autocast_off, mode
from norch_autograd.node import ArrayNode, Edge, Node, watchers
from norch_autograd.outputs import Parts
from norch_autograd.sinks import Sink, as_tensor
from norch_autograd.state import TensorBase, raw

if TYPE_CHECKING:
    from norch_autograd.hooks import Hooks
    from norch_autograd.tensors import Tensor

_number = attrgetter("number")


def plan(roots: Sequence[Edge]) -> tuple[list[Node], dict[int, list[TensorBase]]]:
    """The nodes behind `roots`, newest first; and which leaves are complete after which node."""
    stack = [root for root in roots if isinstance(root, Node)]
    seen = set(stack)
    last_use: dict[TensorBase, int] = {}
    complete: dict[int, list[TensorBase]] = {}
    # ex 4.4 begin
    raise NotImplementedError("exercise 4.4 is yours to write")
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
                runs = running is None or node in running
                if node.hooks is not None or targets is not None:
                    grad = shown(node, grad, sink, runs, targets)
                if runs:
                    if watchers:
                        parts: Any = watched(node, grad)
                    elif node.hooks is None and isinstance(node, ArrayNode):
                        parts = node.backward(grad)
                    else:
                        parts = ask(node, grad)
                    # ex 4.5 begin
                    raise NotImplementedError("exercise 4.5 is yours to write")
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


def wrapped(grad: Any) -> Any:
    """What a node that wants tensors is given."""
    if isinstance(grad, Parts):
        return Parts({i: as_tensor(part) for i, part in grad.grads.items()})
    return as_tensor(grad)


def ask(node: Node, grad: Any) -> Any:
    """What a node answers; in a pass on arrays, one that wants a tensor is given a tensor."""
    if not mode.on_arrays or isinstance(node, ArrayNode):
        parts: Any = node.backward(grad)
    else:
        parts = [None if part is None else raw(part) for part in node.backward(wrapped(grad))]
    if node.hooks is not None and node.hooks.after:
        parts = node.hooks.run_after(parts, grad)
    return parts


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


def shown(node: Node, grad: Any, sink: Sink, runs: bool, targets: set[Edge] | None) -> Any:
    """Show a node's whole gradient to its hooks, and to `sink` if it is asked for."""
    wanted = targets is not None and node in targets
    if wanted and runs and sink.takes_before_hooks:
        sink(node, {node: grad})
        wanted = False
    hooks = node.hooks
    if hooks is not None and (runs or wanted):
        grad = wrapped(grad) if isinstance(grad, Parts) else hooks.run(as_tensor(grad))
        if hooks.retained is not None and not wanted:
            sink.retain(node, grad)
        if runs:
            grad = shown_before(hooks, grad)
    if wanted:
        sink(node, {node: grad})
    return raw(grad) if mode.on_arrays else grad


def shown_before(hooks: Hooks, grad: Any) -> Any:
    """Show the gradients of a node's outputs to the hooks before it: a tuple, as in PyTorch."""
    if not hooks.before:
        return grad
    if not isinstance(grad, Parts):
        return hooks.run_before((grad,))[0]
    grads = hooks.run_before(tuple(grad.grads.get(i) for i in range(max(grad.grads) + 1)))
    return Parts({i: part for i, part in enumerate(grads) if part is not None})
