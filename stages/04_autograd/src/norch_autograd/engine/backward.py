"""`backward`: one pass from some outputs into the leaves' `.grad`.

`walk` is the pass itself, which autograd/grad.py calls too. Hooks inside it may queue callbacks
(stage 6 waits for its messages there): they run once, after the last gradient has been written, and
only if the pass did not fail; a callback that raises makes the pass fail.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from norch_autograd.engine.accumulate import AccumulateGrad
from norch_autograd.engine.engine import run
from norch_autograd.graph.node import Edge
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.graph.views import edge_of


def backward(
    tensors: Tensor | Iterable[Tensor],
    grad_tensors: Tensor | Iterable[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensor | Iterable[Tensor] | None = None,
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
    only = None if inputs is None else tensors_by_edge(inputs)
    targets = None if only is None else set(only)
    walk(tensors, grad_tensors, AccumulateGrad(only), targets, retain_graph, create_graph)


def walk(
    outputs: Tensor | Iterable[Tensor],
    grad_outputs: Tensor | Iterable[Tensor | None] | None,
    accumulator: AccumulateGrad,
    targets: set[Edge] | None,
    retain_graph: bool | None,
    create_graph: bool,
) -> None:
    """One pass, from outputs into an accumulator, which takes everything back if the pass fails."""
    roots, grads = starting_points(outputs, grad_outputs)
    retain_graph = create_graph if retain_graph is None else retain_graph
    try:
        with backward_pass():
            run(roots, grads, accumulator, retain_graph, create_graph, targets)
    except BaseException:
        accumulator.undo()
        raise


def starting_points(outputs: Any, grads: Any) -> tuple[list[Edge], list[Tensor]]:
    """Where the pass starts and with which gradients: 1 for an output of one element."""
    outputs = as_list(outputs)
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


def tensors_by_edge(inputs: Any) -> dict[Edge, Tensor]:
    """The tensors of `backward(inputs=...)`, each under the edge that its gradient arrives at."""
    only = {target_of(tensor): tensor for tensor in targets_of(inputs)}
    if not only:
        raise RuntimeError("[backward] 'inputs' argument to backward cannot be empty")
    return only


def target_of(tensor: Tensor) -> Edge:
    """The edge of the graph at which a tensor's gradient arrives; refuses one that wants none."""
    edge = edge_of(tensor)  # door: views.py
    if edge is None:
        raise RuntimeError("[grad] one of the differentiated tensors does not require grad")
    return edge


def targets_of(inputs: Any) -> list[Any]:
    """The inputs a backward pass is asked for, as a list; refuses what is no tensor."""
    found = as_list(inputs)
    for tensor in found:
        if not isinstance(tensor, Tensor):
            given = type(tensor).__name__
            raise RuntimeError(f"[grad] expected tensors to differentiate by, got {given}")
    return found


def as_list(tensors: Any) -> list[Any]:
    """The tensors that a pass was given, one or several, as a list."""
    if isinstance(tensors, Tensor):
        return [tensors]
    if not isinstance(tensors, Iterable):
        given = type(tensors).__name__
        raise TypeError(f"[backward] expected a Tensor or several, got {given}")
    return list(tensors)


class _Running(threading.local):
    """The passes that this thread is in, outermost first; each is the list of its callbacks."""

    def __init__(self) -> None:
        self.passes: list[list[Callable[[], None]]] = []


_running = _Running()


class backward_pass:
    """Around a pass: at its end, unless it failed, run what was queued inside."""

    __slots__ = ("_passes",)

    def __enter__(self) -> None:
        self._passes = _running.passes
        self._passes.append([])

    def __exit__(self, failed: type[BaseException] | None, *_: object) -> None:
        try:
            if failed is None:
                for callback in self._passes[-1]:
                    callback()
        finally:
            self._passes.pop()


def queue_callback(callback: Callable[[], None]) -> None:
    """Call `callback()` at the end of the backward that is running; for use in hooks.

    >>> x = norch.ones(2, requires_grad=True)
    >>> hook = lambda leaf: norch.autograd.queue_callback(lambda: print("all written"))
    >>> handle = x.register_post_accumulate_grad_hook(hook)
    >>> x.sum().backward()
    all written
    """
    if not _running.passes:
        raise RuntimeError("[queue_callback] no backward is running: call it from a gradient hook")
    _running.passes[-1].append(callback)
