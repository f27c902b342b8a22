"""`make_graphed_callables`: layers whose forward and backward are replayed CUDA graphs.

The page book/library/cuda.md names it. The graphs are stage 3's; here a pair of them becomes one
step that autograd records.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import norch_cuda
from norch_autograd import Tensor, zeros_like
from norch_autograd.autograd import Function, grad
from norch_cuda.runtime.capture import GraphPool
from norch_nn.core.module import Module

Tensors = tuple[Tensor, ...]
Gradients = tuple[Tensor | None, ...]


def make_graphed_callables(
    callables: Any,
    sample_args: Any,
    num_warmup_iters: int = 3,
    allow_unused_input: bool = False,
    pool: GraphPool | None = None,
) -> Any:
    """`callables` (one or a tuple), each with its forward and backward captured as CUDA graphs.

    `sample_args` are the tensors of one call, or a tuple of them for each: later calls take others
    of the same shapes, dtypes and `requires_grad`. The same tensors come back from every call, with
    new elements. A module is changed in place, and graphed only in the mode it was captured in.
    `pool` is another graph's memory to share, else each pair of graphs has its own.

    >>> x = norch.ones(3, 2, device="cuda-sim")
    >>> layer = make_graphed_callables(nn.Linear(2, 1).to("cuda-sim"), (x,))
    >>> layer(x * 2).shape
    norch.Size([3, 1])
    """
    if not isinstance(callables, tuple):
        return _capture(callables, sample_args, num_warmup_iters, allow_unused_input, pool)
    if len(callables) != len(sample_args):
        raise ValueError(
            f"[make_graphed_callables] {len(callables)} callables but {len(sample_args)} tuples of "
            "sample_args: expected one for each"
        )
    pairs = zip(callables, sample_args, strict=True)
    return tuple(_capture(f, args, num_warmup_iters, allow_unused_input, pool) for f, args in pairs)


def _capture(
    function: Any, args: Tensors, warmups: int, allow_unused: bool, pool: GraphPool | None
) -> Any:
    """Return one callable whose calls replay its CUDA graphs; a module is changed in place."""
    if not isinstance(args, tuple) or not all(isinstance(a, Tensor) for a in args) or not args:
        raise TypeError("[make_graphed_callables] sample_args: expected a tuple of tensors")
    if not isinstance(function, Module):
        return _Pair(function, args, (), warmups, allow_unused, pool)
    if any(function._hooks_of(k) for k in ("forward", "forward_pre", "backward", "backward_pre")):
        raise RuntimeError(
            "[make_graphed_callables] the module has hooks, which a replay would not call: "
            "register them afterwards"
        )
    pair = _Pair(function, args, tuple(function.parameters()), warmups, allow_unused, pool)
    mode, plain = function.training, function.forward

    def forward(*given: Any) -> Any:
        return (pair if function.training is mode else plain)(*given)

    function.forward = forward  # type: ignore[method-assign]  # of this one module
    return function


class _Pair:
    """The CUDA graphs of one callable, and the tensors they read and write."""

    def __init__(
        self,
        function: Callable[..., Any],
        args: Tensors,
        params: Tensors,
        warmups: int,
        allow_unused: bool,
        pool: GraphPool | None,
    ) -> None:
        self._args, self._inputs = args, (*args, *params)
        self._learning = tuple(t for t in self._inputs if t.requires_grad)
        self._allow_unused = allow_unused
        for _ in range(warmups):
            outputs = _as_list(function(*args))
            self._derive(outputs, _gradients_like(outputs))
        device = str(args[0].device)
        self._forward = norch_cuda.CUDAGraph(device=device)
        self._backward = norch_cuda.CUDAGraph(device=device)
        with norch_cuda.graph(self._forward, pool):
            outputs = function(*args)
        self._is_single = isinstance(outputs, Tensor)
        outputs = _as_list(outputs)
        self._given = _gradients_like(outputs)
        with norch_cuda.graph(self._backward, self._forward.pool()):
            self._found = self._derive(outputs, self._given)
        self._outputs = tuple(out.detach() for out in outputs)
        self._step = _step_of(self)

    def _derive(self, outputs: Tensors, given: Gradients) -> Gradients:
        """Gradients of a CUDA graph's inputs and parameters; None of those that learn nothing."""
        learned = [out for out, g in zip(outputs, given, strict=True) if g is not None]
        if not learned or not self._learning:
            return (None,) * len(self._inputs)
        grads = [g for g in given if g is not None]
        found = grad(learned, self._learning, grads, allow_unused=self._allow_unused)
        of = dict(zip(map(id, self._learning), found, strict=True))
        return tuple(of.get(id(t)) for t in self._inputs)

    def __call__(self, *args: Tensor) -> Any:
        """Replay the CUDA graphs for other inputs, as one operation."""
        if len(args) != len(self._args):
            raise TypeError(
                f"[make_graphed_callables] captured with {len(self._args)} tensors, "
                f"called with {len(args)}"
            )
        params = self._inputs[len(args) :]
        outputs = self._step.apply(*args, *params)
        return outputs if not self._is_single or isinstance(outputs, Tensor) else outputs[0]

    def replay_forward(self, args: Sequence[Tensor]) -> Any:
        """Replay the CUDA graph of the forward for other inputs; return its outputs."""
        _fill(self._args, args)
        self._forward.replay()
        outputs = tuple(out.detach() for out in self._outputs)
        return outputs[0] if self._is_single else outputs

    def replay_backward(self, grads: Sequence[Tensor | None]) -> Gradients:
        """Replay the CUDA graph of the backward; return the gradients of inputs and parameters."""
        _fill(self._given, grads)
        self._backward.replay()
        return tuple(None if g is None else g.detach().clone() for g in self._found)


def _step_of(pair: _Pair) -> Any:
    """The replays of two CUDA graphs as one operation that autograd records."""

    class Graphed(Function):
        @staticmethod
        def forward(ctx: Any, *inputs: Tensor) -> Any:
            return pair.replay_forward(inputs[: len(pair._args)])

        @staticmethod
        def backward(ctx: Any, *grads: Tensor) -> Any:
            return pair.replay_backward(grads)

    return Graphed


def _fill(static: Sequence[Tensor | None], given: Sequence[Tensor | None]) -> None:
    """Copy what a call was given to where its CUDA graph reads it."""
    for place, value in zip(static, given, strict=True):
        if place is None or value is None or place is value:
            continue
        if place.shape != value.shape or place.dtype != value.dtype:
            raise RuntimeError(
                f"[make_graphed_callables] captured with a tensor of {place.dtype} "
                f"{tuple(place.shape)}, called with {value.dtype} {tuple(value.shape)}"
            )
        place.data.copy_(value.detach())


def _as_list(outputs: Any) -> Tensors:
    """Return as a tuple what a layer gave for its CUDA graph, one tensor or several."""
    return (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)


def _gradients_like(outputs: Tensors) -> Gradients:
    """Where a CUDA graph reads the gradients of its outputs; None for what has none."""
    return tuple(zeros_like(out) if out.requires_grad else None for out in outputs)
