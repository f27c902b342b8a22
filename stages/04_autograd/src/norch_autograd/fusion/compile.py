"""`compiled`: a function or module whose chains of elementwise operations each become one loop.

Each call runs the function itself, on tensors whose arrays are late (lazy.py): its branches, its
closures and what it prints are Python's own, and no guard can miss a change of them. Another chain
is another text, and so another kernel. The function runs once, whatever happens: an edit in place
that comes too late for a chain is an error and never another run.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from norch_autograd.fusion.kernel import compute
from norch_autograd.fusion.lazy import LazyArray, Log, Trace
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, wrap
from norch_autograd.graph.views import edge_of


def compiled(function: Any, fullgraph: bool, smallest: int) -> Any:
    """What `norch.compile` gives for a function or module."""
    if not hasattr(function, "forward"):
        return _compiled(function, fullgraph, smallest)
    forward = _compiled(function.forward, fullgraph, smallest)
    kind = type(function)
    module: Any = object.__new__(type(kind.__name__, (kind,), {"forward": staticmethod(forward)}))
    object.__setattr__(module, "__dict__", function.__dict__)  # one module, called in two ways
    return module


def _compiled(function: Callable[..., Any], fullgraph: bool, smallest: int) -> Callable[..., Any]:
    log = Log(fullgraph)

    @functools.wraps(function)
    def run(*args: Any, **options: Any) -> Any:
        call = Call(log)
        given = call.stand_ins((args, options))
        if call.nested:
            return function(*args, **options)
        if call.largest < smallest:
            log.tell(f"no argument has {smallest} elements: eager is as fast (see options)")
            return function(*args, **options)
        try:
            return call.results(function(*given[0], **given[1]))
        finally:
            call.trace.arguments.clear()

    run.reasons, run.kernels = log.reasons, log.kernels  # type: ignore[attr-defined]
    return run


class CompiledFunction(Node):
    """The end of a compiled function: its gradient sets out as a late array."""

    def backward(self, grad: Tensor) -> Gradients:
        """The same gradient."""
        return (grad,)

    def kernel(self, grad: Any) -> Any:
        """The same, late."""
        return (self.context.lift(grad),)


class Settle(Node):
    """Where a gradient leaves a compiled function: it is computed, in one loop."""

    def backward(self, grad: Tensor) -> Gradients:
        """The gradient, computed."""
        if type(grad.array) is LazyArray:
            return (unary(Settle, grad.array.computed(), grad),)
        return (grad,)

    def kernel(self, grad: Any) -> Any:
        """The same, of arrays."""
        return (grad.computed() if type(grad) is LazyArray else grad,)


class Call:
    """One call: the tensors that stand in for its arguments, and its results made real again."""

    def __init__(self, log: Log) -> None:
        self.trace = Trace(log)
        self.largest = 0  # argument, in elements
        self.nested = False  # inside another compiled function, whose chains go on
        self._given: list[tuple[Tensor, Tensor, Any, Any]] = []

    def stand_ins(self, value: Any) -> Any:
        """Arguments, with a stand-in for each tensor."""
        return _mapped(self._stand_in, value)

    def _stand_in(self, tensor: Tensor) -> Tensor:
        if type(tensor.array) is LazyArray:
            self.nested = True
            return tensor
        self.largest = max(self.largest, tensor.array.numel)
        late, edge = self.trace.lift(tensor.array), edge_of(tensor)
        node = Settle((edge,), (), None) if edge is not None else None
        stand_in = wrap(late, tensor._requires_grad, node)
        stand_in._grad = tensor._grad
        self.trace.arguments.append(tensor.array)
        self._given.append((stand_in, tensor, late, node))
        return stand_in

    def results(self, value: Any) -> Any:
        """What the function returned, every late array in it computed, those of a shape at once."""
        for stand_in, tensor, late, node in self._given:
            same = stand_in.array is late and stand_in.node is node
            if not same or stand_in._grad is not tensor._grad:
                raise self.trace.stop("an argument was given other data, or another history")
        found: list[Tensor] = []
        _mapped(found.append, value)
        waiting: dict[Any, list[LazyArray]] = {}
        for tensor in found:
            if type(tensor.array) is LazyArray and tensor.array.value is None:
                group = waiting.setdefault((tensor.array.shape, tensor.array.device), [])
                if tensor.array not in group:
                    group.append(tensor.array)
        for group in waiting.values():
            compute(group, self.trace)
        return _mapped(self._real, value)

    def _real(self, result: Tensor) -> Tensor:
        """A result as a tensor of the world outside."""
        for stand_in, tensor, _, _ in self._given:
            if result is stand_in:
                return tensor
        if type(result.array) is not LazyArray:
            return result
        array, edge = result.array.computed(), edge_of(result)
        if edge is None:
            result.array = array
            return result
        if any(array.shares_storage(given) for given in self.trace.arguments):
            raise self.trace.stop("a view of an argument is returned")
        return wrap(array, True, CompiledFunction((edge,), (), self.trace))


def _mapped(change: Callable[[Tensor], Any], value: Any) -> Any:
    """A value with another tensor for each tensor in it, in lists, tuples and dicts."""
    if isinstance(value, Tensor):
        return change(value)
    kind = type(value)
    if kind is dict:
        return {key: _mapped(change, part) for key, part in value.items()}
    if kind is list or kind is tuple:
        return kind(_mapped(change, part) for part in value)
    if isinstance(value, tuple) and hasattr(value, "_make"):
        return value._make(_mapped(change, part) for part in value)
    return value
