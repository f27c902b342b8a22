"""`fuse`: a function or module whose chains of elementwise operations each become one loop.

Each call runs the function itself, on tensors whose arrays are late (lazy_array.py): its branches,
its closures and what it prints are Python's own, and no guard can miss a change of them. Another
chain is another text, and so another kernel. The function runs once, whatever happens: an edit in
place that comes too late for a chain is an error and never another run.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, wrap
from norch_autograd.graph.views import edge_of, track_view
from norch_extras.fusion.kernel import compute
from norch_extras.fusion.lazy_array import LazyArray, Trace, materialize


def fuse(function: Any, fullgraph: bool, smallest: int) -> Any:
    """A function or module whose chains of operations are fused: what `compile` gives."""
    if not hasattr(function, "forward"):
        return _wrap(function, fullgraph, smallest)
    kind = type(function)
    # Of a copy as well: `self` says whose.
    forward = _wrap(kind.forward, fullgraph, smallest)
    module: Any = object.__new__(type(kind.__name__, (kind,), {"forward": forward}))
    object.__setattr__(module, "__dict__", function.__dict__)  # one module, called in two ways
    return module


def _wrap(function: Callable[..., Any], fullgraph: bool, smallest: int) -> Callable[..., Any]:
    """A function that runs `function` on late arrays, and computes the chains they make."""
    kernels: list[str] = []
    reasons: list[str] = []

    @functools.wraps(function)
    def run(*args: Any, **options: Any) -> Any:
        arrays = _arrays_in((args, tuple(options.values())))
        if any(type(x) is LazyArray for x in arrays):
            return function(*args, **options)  # inside another, whose chains go on
        if all(x.numel < smallest for x in arrays):
            reason = f"no argument has {smallest} elements: eager is as fast (see options)"
            Trace(kernels, reasons, fullgraph=False).note(reason)
            return function(*args, **options)
        call = Call(Trace(kernels, reasons, fullgraph))
        given = _map_tensors(call.stand_in, (args, tuple(options.values())))
        try:
            return call.results(function(*given[0], **dict(zip(options, given[1], strict=True))))
        finally:
            call.trace.arguments.clear()

    run.reasons, run.kernels = reasons, kernels  # type: ignore[attr-defined]
    return run


def _arrays_in(value: Any) -> list[Any]:
    """The arrays in what a compiled function is given or gives, in tuples, lists and dicts."""
    if isinstance(value, Tensor):
        return [value.array]
    parts = value.values() if type(value) is dict else value
    nested = isinstance(value, (tuple, list, dict))
    return [array for part in parts for array in _arrays_in(part)] if nested else []


def _map_tensors(change: Callable[[Tensor], Tensor], value: Any, in_place: bool = False) -> Any:
    """A compiled function's arguments or results with another tensor for each. A tuple is another
    one then; lists and dicts, which others may hold, are changed `in_place` or left alone.
    """
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, tuple) and (type(value) is tuple or hasattr(value, "_make")):
        parts = [_map_tensors(change, part, in_place) for part in value]
        return value._make(parts) if hasattr(value, "_make") else tuple(parts)
    if in_place and type(value) in (list, dict):
        for key in value if type(value) is dict else range(len(value)):
            value[key] = _map_tensors(change, value[key], in_place)
    return value


class CompiledFunction(Node):
    """The border of a compiled function: a gradient that comes in sets out as a late array; where
    one goes out (`context` is None then), it is computed, in one loop.
    """

    def backward(self, grad: Tensor) -> Gradients:
        """The same gradient, computed where it leaves the compiled function."""
        if self.context is None and type(grad.array) is LazyArray:
            return (unary(CompiledFunction, materialize(grad.array), grad),)
        return (grad,)

    def kernel(self, grad: Any) -> Any:
        """The same gradient as arrays, computed or set out as a late one."""
        return (materialize(grad) if self.context is None else self.context.lift(grad),)


class Call:
    """One call: the tensors that stand in for its arguments, and its results made real again."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._given: list[tuple[Tensor, Tensor, Any, Any]] = []
        self._real: dict[int, tuple[Tensor, Tensor]] = {}  # results, and what is returned for them

    def stand_in(self, tensor: Tensor) -> Tensor:
        """A tensor that the compiled function is given instead of an argument."""
        late, edge = self.trace.lift(tensor.array), edge_of(tensor)
        node = CompiledFunction((edge,), (), None) if edge is not None else None
        stand_in = wrap(late, tensor._requires_grad, node)
        stand_in._grad = tensor._grad
        self.trace.arguments.append(tensor.array)
        self._given.append((stand_in, tensor, late, node))
        self._real[id(stand_in)] = stand_in, tensor
        return stand_in

    def results(self, value: Any) -> Any:
        """The compiled function's results, every late array computed, those of a shape at once."""
        for stand_in, tensor, late, node in self._given:
            same = stand_in.array is late and stand_in.node is node
            if not same or stand_in._grad is not tensor._grad:
                raise self.trace.refuse("an argument was given other data, or another history")
        groups: dict[Any, dict[LazyArray, None]] = {}
        for late in _arrays_in(value):
            if type(late) is LazyArray and late.value is None:
                groups.setdefault((late.shape, late.device), {})[late] = None
        for group in groups.values():
            compute(list(group), self.trace)
        return _map_tensors(self._result, value, in_place=True)

    def _result(self, result: Tensor) -> Tensor:
        """A compiled function's result as a tensor of the world outside, one if returned twice."""
        if id(result) not in self._real:
            self._real[id(result)] = result, self._compute_result(result)
        return self._real[id(result)][1]

    def _compute_result(self, result: Tensor) -> Tensor:
        """A result whose late array is computed, with the compiled function in its history."""
        if type(result.array) is not LazyArray:
            return result
        array, edge = materialize(result.array), edge_of(result)
        if edge is None:
            result.array = array
            return result
        made = wrap(array, True, CompiledFunction((edge,), (), self.trace))
        base, _, why_not = result.base or (None, None, None)
        for stand_in, tensor, *_ in self._given:
            if stand_in is base:
                track_view(made, tensor, why_not)
                return made
        if any(array.shares_storage(given) for given in self.trace.arguments):
            raise self.trace.refuse("a view of an argument is returned")
        return made
