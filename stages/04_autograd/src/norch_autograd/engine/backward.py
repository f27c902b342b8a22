"""`backward`: one pass from some outputs into the leaves' `.grad`.

`walk` is the pass itself, which autograd/grad.py calls too; a pass that fails changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from norch_autograd.engine import engine
from norch_autograd.engine.accumulate import AccumulateGrad, Accumulator
from norch_autograd.engine.callbacks import backward_pass
from norch_autograd.engine.capture import listed, target_of, targets_of
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
    only: dict[Edge, Tensor] | None = None
    if inputs is not None:
        only = {target_of(tensor): tensor for tensor in targets_of(inputs)}
        if not only:
            raise RuntimeError("[backward] 'inputs' argument to backward cannot be empty")
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
    try:
        with backward_pass():
            engine.run(
                roots,
                grads,
                accumulator,
                retain_graph=create_graph if retain_graph is None else retain_graph,
                create_graph=create_graph,
                targets=targets,
            )
    except BaseException:
        accumulator.undo()
        raise


def starting_points(
    outputs: Sequence[Tensor], grads: Tensor | Sequence[Tensor | None] | None
) -> tuple[list[Edge], list[Tensor]]:
    """Where the pass starts and with which gradients: 1 for an output of one element."""
    given = [None] * len(outputs) if grads is None else listed(grads)
    if len(given) != len(outputs):
        raise RuntimeError(f"[backward] got {len(outputs)} tensors and {len(given)} gradients")
    roots: list[Edge] = []
    starts: list[Tensor] = []
    for i, output in enumerate(outputs):
        array_of(output, "backward")
        edge = edge_of(output)
        if edge is None:
            raise RuntimeError(
                f"[backward] element {i} of tensors does not require grad and has no grad_fn"
            )
        roots.append(edge)
        starts.append(_first_gradient(output, given[i], i))
    return roots, starts


def _first_gradient(output: Tensor, start: Tensor | None, i: int) -> Tensor:
    """The gradient an output starts with."""
    x = output.array
    if start is not None:
        if array_of(start, "backward").shape != x.shape:
            raise RuntimeError(
                f"[backward] mismatch in shape: grad_output[{i}] has shape {start.array.shape} "
                f"and output[{i}] has a shape of {x.shape}"
            )
        return start
    if x.numel != 1:
        raise RuntimeError(
            "[backward] grad can be implicitly created only for scalar outputs, "
            f"not for shape {x.shape}; pass the gradient, or reduce with sum() or mean() first"
        )
    return plain(x.ops.ones(x.shape, x.dtype))
