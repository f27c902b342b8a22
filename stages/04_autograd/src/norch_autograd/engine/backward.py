"""`backward`: one pass from some outputs into the leaves' `.grad`.

`walk` is the pass itself, which autograd/grad.py calls too; a pass that fails changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from norch_autograd.engine.accumulate import AccumulateGrad, Accumulator
from norch_autograd.engine.callbacks import backward_pass
from norch_autograd.engine.capture import listed, named_tensors
from norch_autograd.engine.engine import run
from norch_autograd.engine.starting_points import starting_points
from norch_autograd.graph.node import Edge
from norch_autograd.graph.tensor_base import Tensor


def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensor | Sequence[Tensor] | None = None,
) -> None:
    """Add to every leaf's `.grad` the derivative of `tensors`, weighted by `grad_tensors`.

    `retain_graph` keeps what the nodes have kept, for another pass; `create_graph` records the pass
    itself, for second derivatives. Raises RuntimeError for a tensor of several elements without a
    gradient.

    >>> x = norch.tensor(3., requires_grad=True)
    >>> norch.autograd.backward(x * x)
    >>> x.grad
    tensor(6.)
    """
    only = None if inputs is None else named_tensors(inputs)
    targets = None if only is None else set(only)
    walk(tensors, grad_tensors, AccumulateGrad(only), targets, retain_graph, create_graph)


def walk(
    outputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None,
    accumulator: Accumulator,
    targets: set[Edge] | None,
    retain_graph: bool | None,
    create_graph: bool,
) -> None:
    """One pass, from outputs into an accumulator, which takes everything back if the pass fails."""
    roots, grads = starting_points(listed(outputs), grad_outputs)
    retain_graph = create_graph if retain_graph is None else retain_graph
    try:
        with backward_pass():
            run(roots, grads, accumulator, retain_graph, create_graph, targets)
    except BaseException:
        accumulator.undo()
        raise
