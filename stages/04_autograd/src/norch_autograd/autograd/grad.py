"""`grad`: the derivatives of outputs with respect to inputs, returned and written nowhere."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

from norch_autograd.engine.accumulate import CaptureGrad
from norch_autograd.engine.backward import as_list, target_of, targets_of, walk
from norch_autograd.graph.node import Edge
from norch_autograd.graph.tensor_base import Tensor, plain
from norch_autograd.ops.shape.join import stack


def grad(
    outputs: Tensor | Iterable[Tensor],
    inputs: Tensor | Iterable[Tensor],
    grad_outputs: Tensor | Iterable[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The derivatives of `outputs` with respect to `inputs`; no `.grad` is touched.

    `is_grads_batched`: the first dimension of each of `grad_outputs` counts passes, and so does
    that of each result. Of an input that played no part the derivative is None with `allow_unused`,
    zeros with `materialize_grads`, else RuntimeError.

    >>> x = norch.tensor(3., requires_grad=True)
    >>> (first,) = norch.autograd.grad(x**3, x, create_graph=True)
    >>> (second,) = norch.autograd.grad(first, x)
    >>> first.item(), second.item()
    (27.0, 18.0)
    """
    if not only_inputs:
        text = "[grad] only_inputs=False does nothing: backward() fills the .grad of others"
        warnings.warn(text, FutureWarning, stacklevel=2)
    if materialize_grads and allow_unused is False:
        raise ValueError("[grad] materialize_grads makes zeros of what allow_unused=False refuses")
    outputs, wanted = as_list(outputs), targets_of(inputs)
    if is_grads_batched:
        options = (create_graph, True, allow_unused, False, materialize_grads)
        return _run_batch(outputs, wanted, grad_outputs, retain_graph, options)
    if not wanted:
        raise RuntimeError("[grad] 'inputs' cannot be empty: name what to differentiate by")
    targets = [target_of(tensor) for tensor in wanted]
    captured = CaptureGrad(set(targets))
    walk(outputs, grad_outputs, captured, captured.targets, retain_graph, create_graph)
    found = captured.found
    if materialize_grads:
        return tuple(_or_zeros(found.get(e), t) for e, t in zip(targets, wanted, strict=True))
    if not allow_unused:
        _check_used(targets, found)
    return tuple(found.get(target) for target in targets)


def _run_batch(
    outputs: Any, inputs: Any, grads: Any, retain_graph: bool | None, options: tuple[Any, ...]
) -> tuple[Tensor | None, ...]:
    """`grad` of a batch: one pass for each slice of the gradients, the results stacked."""
    batches = [] if grads is None else as_list(grads)
    sizes = {None if g is None or not g.array.ndim else g.array.shape[0] for g in batches}
    size = sizes.pop() if len(sizes) == 1 else None
    if not size:
        raise ValueError(
            "[grad] is_grads_batched needs grad_outputs whose first dimension is the same number "
            "of passes, at least one"
        )
    passes = [
        grad(outputs, inputs, [g[k] for g in batches], k < size - 1 or retain_graph, *options)
        for k in range(size)
    ]
    return tuple(None if many[0] is None else stack(many) for many in zip(*passes, strict=True))


def _check_used(targets: list[Edge], found: dict[Edge, Tensor]) -> None:
    """RuntimeError unless every input of `grad` played a part in the outputs."""
    for i, target in enumerate(targets):
        if target not in found:
            raise RuntimeError(
                f"[grad] the differentiated tensor at index {i} appears to not have been used in "
                "the graph; set allow_unused=True if this is the desired behavior"
            )


def _or_zeros(grad: Tensor | None, like: Tensor) -> Tensor:
    """What `autograd.grad` found; zeros for an input that played no part in the outputs."""
    return plain(like.array.ops.zeros(like.array.shape, like.array.dtype)) if grad is None else grad
