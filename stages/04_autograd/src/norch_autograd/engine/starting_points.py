"""Where a backward pass starts and with which gradients: what `backward` was given, checked."""

from __future__ import annotations

from collections.abc import Sequence

from norch_autograd.engine.capture import listed
from norch_autograd.graph.node import Edge
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.graph.views import edge_of


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
