"""What a pass does for nodes that somebody watches: hooks, `retain_grad`, gradients asked for.

The engine comes here for a node with hooks, for every node of a pass that was asked for certain
gradients (`grad`, `backward(inputs=...)`), and while anomaly mode or the profiler is on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from norch_autograd.engine.accumulate import AccumulateGrad, check_grad
from norch_autograd.graph.hooks import Hooks, run_watched, watchers
from norch_autograd.graph.multi_output import OutputGrads, tensors_of
from norch_autograd.graph.node import Edge, Node
from norch_autograd.graph.operands import raw
from norch_autograd.graph.tensor_base import Tensor
from norch_autograd.types.modes import mode


def nodes_leading_to(targets: set[Edge], order: list[Node]) -> set[Node]:
    """The nodes of `order` from which a target can be reached: the others need not run."""
    useful = set(targets)
    running = set()
    # ex 4.16 begin
    for node in reversed(order):  # oldest first: a node's edges are decided before it
        if not useful.isdisjoint(node.edges):
            useful.add(node)
            running.add(node)
    return running
    # ex 4.16 end


def backward_with_hooks(node: Node, backward: Callable[[Any], Any], grad: Any) -> Any:
    """`backward(grad)`, the node's own, then the hooks after it, told to the watchers."""
    if node.hooks is not None and node.hooks.after:
        backward = node.hooks.around(backward)
    return run_watched(node, backward, grad) if watchers else backward(grad)


def show_gradient(
    node: Node, grad: Any, accumulator: AccumulateGrad, runs: bool, targets: set[Edge] | None
) -> Any:
    """Show a node's whole gradient to its hooks, and to `accumulator` if it is asked for."""
    wanted = targets is not None and node in targets
    if wanted and runs and accumulator.takes_before_hooks:
        accumulator(node, grad)
        wanted = False
    hooks = node.hooks
    if hooks is not None and (runs or wanted):
        grad = tensors_of(grad)
        if not isinstance(grad, OutputGrads):
            grad = hooks.run(grad)
        if hooks.retained is not None and not wanted:
            _retain(accumulator, node, grad)
        if runs:
            grad = _run_prehooks(hooks, grad)
    if wanted:
        accumulator(node, grad)
    return raw(grad) if mode.on_arrays else grad


def _retain(accumulator: AccumulateGrad, node: Node, grad: Tensor) -> None:
    """Add a gradient to the `.grad` of the tensor whose `retain_grad` was called, if it lives."""
    tensor = node.hooks.retained() if node.hooks and node.hooks.retained else None
    if tensor is not None and tensor._requires_grad:
        accumulator.write(tensor, check_grad(tensor, grad))


def _run_prehooks(hooks: Hooks, grad: Any) -> Any:
    """Show the gradients of a node's outputs to the hooks before it: a tuple, as in PyTorch."""
    if not hooks.before:
        return grad
    if not isinstance(grad, OutputGrads):
        return hooks.run_before((grad,))[0]
    grads = hooks.run_before(tuple(grad.grads.get(i) for i in range(max(grad.grads) + 1)))
    return OutputGrads({i: part for i, part in enumerate(grads) if part is not None})
