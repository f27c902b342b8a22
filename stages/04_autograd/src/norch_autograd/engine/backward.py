"""`backward`: one pass from some outputs into the leaves' `.grad`.

`walk` is the pass itself, which autograd/grad.py calls too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from norch_autograd.engine.accumulate import AccumulateGrad
from norch_autograd.engine.callbacks import backward_pass
from norch_autograd.engine.capture import as_list, tensors_by_edge
from norch_autograd.engine.engine import run
from norch_autograd.graph.node import Edge
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.graph.views import edge_of


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
    only = None if inputs is None else tensors_by_edge(inputs)  # door: capture.py
    targets = None if only is None else set(only)
    walk(tensors, grad_tensors, AccumulateGrad(only), targets, retain_graph, create_graph)


def walk(
    outputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None,
    accumulator: AccumulateGrad,
    targets: set[Edge] | None,
    retain_graph: bool | None,
    create_graph: bool,
) -> None:
    """One pass, from outputs into an accumulator, which takes everything back if the pass fails."""
    roots, grads = starting_points(outputs, grad_outputs)
    retain_graph = create_graph if retain_graph is None else retain_graph
    try:
        with backward_pass():  # door: callbacks.py
            run(roots, grads, accumulator, retain_graph, create_graph, targets)
    except BaseException:
        accumulator.undo()
        raise


def starting_points(outputs: Any, grads: Any) -> tuple[list[Edge], list[Tensor]]:
    """Where the pass starts and with which gradients: 1 for an output of one element."""
    outputs = as_list(outputs)  # door: capture.py
    given: list[Any] = [None] * len(outputs) if grads is None else [*as_list(grads)]
    if len(given) != len(outputs):
        raise RuntimeError(f"[backward] got {len(outputs)} tensors and {len(given)} gradients")
    roots: list[Edge] = []
    for i, output in enumerate(outputs):
        x = array_of(output, "backward")
        edge = edge_of(output)  # door: views.py
        if edge is None:
            raise RuntimeError(
                f"[backward] element {i} of tensors does not require grad and has no grad_fn"
            )
        if given[i] is None and x.numel != 1:
            raise RuntimeError(
                "[backward] grad can be implicitly created only for scalar outputs, not for shape "
                f"{x.shape}; pass the gradient, or reduce with sum() or mean() first"
            )
        start = given[i] if given[i] is not None else plain(x.ops.ones(x.shape, x.dtype))
        if array_of(start, "backward").shape != x.shape:
            raise RuntimeError(
                f"[backward] mismatch in shape: grad_output[{i}] has shape {start.array.shape} "
                f"and output[{i}] has a shape of {x.shape}"
            )
        roots.append(edge)
        given[i] = start
    return roots, given
