"""Asking for gradients: `backward` writes them into the leaves' `.grad`, `grad` returns them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from norch_autograd import engine
from norch_autograd.callbacks import backward_pass
from norch_autograd.graph import Edge, TensorBase, array_of, edge_of, plain
from norch_autograd.ops.join import stack
from norch_autograd.sinks import Accumulate, Collect, Sink

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor


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

    >>> import norch_autograd as norch
    >>> x = norch.tensor(3., requires_grad=True)
    >>> norch.autograd.backward(x * x)
    >>> x.grad
    tensor(6.)
    """
    only: dict[Edge, Tensor] | None = None
    if inputs is not None:
        only = {_target(tensor): tensor for tensor in _targets(inputs)}
        if not only:
            raise RuntimeError("[backward] 'inputs' argument to backward cannot be empty")
    targets = None if only is None else set(only)
    _walk(tensors, grad_tensors, Accumulate(only), targets, retain_graph, create_graph)


def _walk(
    outputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None,
    sink: Sink,
    targets: set[Edge] | None,
    retain_graph: bool | None,
    create_graph: bool,
) -> None:
    """One pass, from outputs into a sink, which takes everything back if the pass fails."""
    roots, grads = starting_points(_listed(outputs), grad_outputs)
    try:
        with backward_pass():
            engine.run(
                roots,
                grads,
                sink,
                retain_graph=create_graph if retain_graph is None else retain_graph,
                create_graph=create_graph,
                targets=targets,
            )
    except BaseException:
        sink.undo()
        raise


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
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

    >>> import norch_autograd as norch
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
    if is_grads_batched:
        options = (create_graph, True, allow_unused, False, materialize_grads)
        return _batched(outputs, inputs, grad_outputs, retain_graph, options)
    wanted = _targets(inputs)
    if not wanted:
        raise RuntimeError("[grad] 'inputs' cannot be empty: name what to differentiate by")
    targets = [_target(tensor) for tensor in wanted]
    sink = Collect(set(targets))
    _walk(outputs, grad_outputs, sink, sink.targets, retain_graph, create_graph)
    found = sink.found
    if materialize_grads:
        return tuple(_or_zeros(found.get(e), t) for e, t in zip(targets, wanted, strict=True))
    if not allow_unused:
        _check_used(targets, found)
    return tuple(found.get(target) for target in targets)


def _batched(
    outputs: Any, inputs: Any, grads: Any, retain_graph: bool | None, options: tuple[Any, ...]
) -> tuple[Tensor | None, ...]:
    """One pass for each slice of the gradients; the results of each input stacked."""
    batches = [] if grads is None else _listed(grads)
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
    """Every input must have played a part."""
    for i, target in enumerate(targets):
        if target not in found:
            raise RuntimeError(
                f"[grad] the differentiated tensor at index {i} appears to not have been used in "
                "the graph; set allow_unused=True if this is the desired behavior"
            )


def starting_points(
    outputs: Sequence[Tensor], grads: Tensor | Sequence[Tensor | None] | None
) -> tuple[list[Edge], list[Tensor]]:
    """Where the pass starts and with which gradients: 1 for an output of one element."""
    given = [None] * len(outputs) if grads is None else _listed(grads)
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
        starts.append(_start(output, given[i], i))
    return roots, starts


def _start(output: Tensor, start: Tensor | None, i: int) -> Tensor:
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


def _target(tensor: Tensor) -> Edge:
    """The edge whose gradient is a tensor's gradient."""
    edge = edge_of(tensor)
    if edge is None:
        raise RuntimeError("[grad] one of the differentiated tensors does not require grad")
    return edge


def _targets(inputs: Any) -> list[Any]:
    """What to differentiate by, as a list."""
    listed = _listed(inputs)
    for tensor in listed:
        if not isinstance(tensor, TensorBase):
            given = type(tensor).__name__
            raise RuntimeError(f"[grad] expected tensors to differentiate by, got {given}")
    return listed


def _or_zeros(grad: Tensor | None, like: Tensor) -> Tensor:
    """A gradient that may be missing, as zeros."""
    return plain(like.array.ops.zeros(like.array.shape, like.array.dtype)) if grad is None else grad


def _listed(tensors: Any) -> list[Any]:
    """One tensor or several, as a list."""
    if isinstance(tensors, TensorBase):
        return [tensors]
    if not isinstance(tensors, Sequence) or isinstance(tensors, str):
        given = type(tensors).__name__
        raise TypeError(f"[backward] expected a Tensor or a sequence of them, got {given}")
    return list(tensors)
