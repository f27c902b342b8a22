"""Operations of the user's own: a forward and a backward, written with PyTorch's `ctx`.

`apply` runs the forward unrecorded and puts one `UserNode` in its place, whose `backward` asks the
user's; the engine walks it like any other node.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn, TypeAlias

from norch_autograd.graph.broadcast import sum_to_shape
from norch_autograd.graph.grad_mode import no_grad
from norch_autograd.graph.multi_output import MultiOutputNode, Output, OutputGrads
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.record import keep, record, should_record
from norch_autograd.graph.tensor_base import Tensor, plain, wrap
from norch_autograd.graph.views import INSIDE, edge_of, track_view
from norch_autograd.ops.arrays import constant
from norch_autograd.ops.dtype.convert import to
from norch_autograd.ops.inplace.edit import editable, rebase
from norch_cpu_ops import DType


class Function:
    """Subclass with static `forward(ctx, *args)` and `backward(ctx, *grads)`; call through `apply`.

    >>> class Double(norch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x * 2
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         return grad * 2
    >>> x = norch.ones(2, requires_grad=True)
    >>> Double.apply(x)
    tensor([2., 2.], grad_fn=<DoubleBackward>)
    """

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        """The result, computed without recording."""
        raise NotImplementedError("[Function] a subclass must define forward(ctx, ...)")

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """One gradient for each argument of forward."""
        raise NotImplementedError("[Function] a subclass must define backward(ctx, ...)")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Fill `ctx` after a `forward(*args)` that takes none: PyTorch's newer style."""
        raise NotImplementedError("[Function] setup_context is not written")

    @staticmethod
    def vjp(ctx: Any, *grads: Any) -> Any:
        """Another name for `backward`; a subclass defines one of them."""
        raise NotImplementedError("[Function] vjp is not written")

    def __call__(self, *args: Any) -> NoReturn:
        """Refuse: instances do nothing."""
        name = type(self).__name__
        raise RuntimeError(f"[{name}] a Function is called by its class: {name}.apply(...)")

    @classmethod
    def derivative(cls) -> Callable[..., Any]:
        """The `backward` of a user's Function, or its `vjp`."""
        if cls.vjp is Function.vjp:
            return cls.backward
        if cls.backward is not Function.backward:
            raise RuntimeError(f"[{cls.__name__}] define backward or vjp, not both")
        return cls.vjp

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run a user's `forward` on the arguments and record one node for it."""
        ctx: Any = Context()
        inputs = tuple(a for a in args if isinstance(a, Tensor))
        record = should_record(inputs)
        ctx.needs_input_grad = tuple(isinstance(a, Tensor) and a._requires_grad for a in args)
        with no_grad():
            if cls.setup_context is Function.setup_context:
                result = cls.forward(ctx, *args)
            else:
                result = cls.forward(*args)
                cls.setup_context(ctx, args, result)
        outputs = result if isinstance(result, tuple) else (result,)
        if not all(any(dirty is out for out in outputs) for dirty in ctx._dirty):
            raise RuntimeError(f"[{cls.__name__}] forward must return what it marks as dirty")
        if record:
            outputs = cls._record(ctx, args, outputs)
        else:
            outputs = tuple(_detach_input(out, inputs, ctx._dirty) for out in outputs)
        return outputs if isinstance(result, tuple) else outputs[0]

    @classmethod
    def _record(cls, ctx: Any, args: tuple[Any, ...], outputs: tuple[Any, ...]) -> Any:
        """The outputs again, now as results of one node; what is no tensor stays as it is."""
        check_function_saves(ctx._to_save)
        numbers = {id(output): i for i, output in enumerate(outputs)}
        places = [(k, numbers.get(id(tensor))) for k, tensor in enumerate(ctx._to_save)]
        ctx._saved_outputs = [(k, i) for k, i in places if i is not None]
        edges = tuple(edge_of(a) for a in args if isinstance(a, Tensor))
        call = Call(cls, ctx, _kinds_of(args), _kinds_of(outputs))
        node = UserNode(edges, keep(ctx._to_save, ctx), call)
        without = [id(tensor) for tensor in ctx._without_gradient]
        ctx._to_save = ctx._without_gradient = ()
        results: list[Any] = list(outputs)
        for i, output in enumerate(results):
            if not isinstance(output, Tensor):
                continue
            if id(output) in without or not output.array.dtype.is_floating_point:
                results[i] = plain(output.array)
            else:
                results[i] = cls._result(ctx, args, output, node.history(i))
        ctx._dirty = ()
        return tuple(results)

    @classmethod
    def _result(cls, ctx: Any, args: tuple[Any, ...], output: Any, node: Node) -> Any:
        """An output as the result of a node: itself if forward has edited it, else another."""
        if any(output is dirty for dirty in ctx._dirty):
            editable(output, cls.__name__, *args)
            rebase(output, node)
            return output
        result = wrap(output.array, True, node)
        for arg in args:
            if isinstance(arg, Tensor) and output.array.shares_storage(arg.array):
                track_view(result, arg, INSIDE)
        return result


def _detach_input(output: Any, inputs: tuple[Any, ...], dirty: tuple[Any, ...]) -> Any:
    """An input that forward returned as another tensor, unless forward has edited it."""
    is_input = any(output is tensor for tensor in inputs)
    edited = any(output is tensor for tensor in dirty)
    return plain(output.array) if is_input and not edited else output


class Once(Node):
    """Refuses the gradient of a gradient that was written without one."""

    def backward(self, grad: Tensor) -> Gradients:
        """Refuse a second derivative through a user's function."""
        raise RuntimeError(
            "[backward] trying to differentiate twice a function that was marked with "
            "@once_differentiable"
        )


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a `Function.backward` that is not written in Tensor operations: a second derivative
    through it is an error, not zero.

    >>> class Double(norch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x * 2
    ...     @staticmethod
    ...     @norch.autograd.function.once_differentiable
    ...     def backward(ctx, grad):
    ...         return grad * 2
    """

    @functools.wraps(backward)
    def once(ctx: Any, *grads: Any) -> Any:
        with no_grad():
            found = backward(ctx, *grads)
        given = tuple(g for g in grads if isinstance(g, Tensor))
        if not should_record(given):
            return found
        results = found if isinstance(found, tuple) else (found,)
        closed = [g if g is None else record(Once, g.array, given) for g in results]
        return tuple(closed) if isinstance(found, tuple) else closed[0]

    return once


Kind: TypeAlias = "tuple[tuple[int, ...], DType]"  # shape and dtype


def _kinds_of(values: tuple[Any, ...]) -> tuple[Kind | None, ...]:
    """The shape and dtype of each tensor in a call of a user's autograd Function; else None."""
    return tuple(
        (value.array.shape, value.array.dtype) if isinstance(value, Tensor) else None
        for value in values
    )


class Context:
    """What a forward leaves for its backward: tensors through `save_for_backward`, the rest as
    attributes.
    """

    def __init__(self) -> None:
        self.needs_input_grad: tuple[bool, ...] = ()
        self._to_save: tuple[Tensor | None, ...] = ()
        self._without_gradient: tuple[Tensor, ...] = ()
        self._dirty: tuple[Tensor, ...] = ()
        self._node: UserNode | None = None
        self._zeros = True

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep inputs or outputs for backward; edits in place are found out."""
        self._to_save = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say which outputs have no gradient."""
        self._without_gradient = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Say which inputs forward has edited in place; it must return them."""
        self._dirty = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Say whether backward is given zeros (as usual) or None for outputs that nobody used."""
        self._zeros = value

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What `save_for_backward` kept, connected to the graph."""
        if self._node is None:
            return self._to_save
        return self._node.saved_tensors


def check_function_saves(items: tuple[Any, ...]) -> None:
    """TypeError unless a user's autograd Function gave `save_for_backward` only tensors."""
    for i, item in enumerate(items):
        if item is not None and not isinstance(item, Tensor):
            raise TypeError(
                f"[save_for_backward] argument {i} is a {type(item).__name__}, expected a Tensor "
                "or None: keep other values as attributes of ctx"
            )


class Call(NamedTuple):
    """What a node must remember of one call."""

    function: type[Function]
    ctx: Any
    inputs: tuple[Kind | None, ...]
    outputs: tuple[Kind | None, ...]


class UserNode(MultiOutputNode):
    """A recorded call of a `Function`."""

    def backward(self, given: Any) -> Gradients:
        """The gradients of the arguments, from the user's own backward."""
        function, ctx, _, outputs = self.context
        grads = given.grads if isinstance(given, OutputGrads) else {self._only: given}
        some = next(iter(grads.values()))

        def of(i: int) -> Tensor | None:
            if i in grads or outputs[i] is None or not ctx._zeros:
                return grads.get(i)
            shape, dtype = outputs[i]
            return constant(some, 0, shape, dtype)

        ctx._node = self
        try:
            found = function.derivative()(ctx, *map(of, range(len(outputs))))
        finally:
            ctx._node = None  # no cycle between context and node
        return self._check(found if isinstance(found, tuple) else (found,))

    @property
    def _only(self) -> int:
        """Which result of the user's forward is the tensor, if only one is."""
        return next(i for i, kind in enumerate(self.context.outputs) if kind is not None)

    def history(self, i: int) -> Node:
        """The node of output `i` of a user's Function: this one, or one for each of several."""
        alone = sum(kind is not None for kind in self.context.outputs) == 1
        return self if alone else Output((self,), (), i)

    def _check(self, results: tuple[Any, ...]) -> Gradients:
        """What the user's backward returned: a gradient for each tensor among the arguments."""
        name, inputs = self.context.function.__name__, self.context.inputs
        if len(results) < len(inputs) or any(r is not None for r in results[len(inputs) :]):
            raise RuntimeError(
                f"[{name}] backward returned {len(results)} gradients, expected {len(inputs)}: "
                "one for each argument of forward"
            )
        for i, (kind, grad) in enumerate(zip(inputs, results, strict=False)):
            if grad is not None and (kind is None or not isinstance(grad, Tensor)):
                expected = "None: the argument is no Tensor" if kind is None else "a Tensor or None"
                raise RuntimeError(
                    f"[{name}] backward returned a {type(grad).__name__} for argument {i} of "
                    f"forward, expected {expected}"
                )
        pairs = zip(inputs, results, strict=False)
        return tuple(
            None if grad is None else _fit(grad, kind, name) for kind, grad in pairs if kind
        )

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What `save_for_backward` kept, in the order it was given."""
        # ex 4.14 begin
        if self.kept is None:
            self.saved(0)  # raises: the graph is freed
        found = [None if item is None else self.saved(i) for i, item in enumerate(self.kept or ())]
        # ex 4.14 end
        for i, output in self.context.ctx._saved_outputs:  # it comes from this very node
            found[i] = wrap(found[i].array, True, self.history(output))
        return tuple(found)

    @property
    def needs_input_grad(self) -> tuple[bool, ...]:
        """Which arguments of a user's forward want a gradient."""
        found: tuple[bool, ...] = self.context.ctx.needs_input_grad
        return found

    def name(self) -> str:
        """The name of the user's class."""
        return f"{self.context.function.__name__}Backward"


def _fit(grad: Tensor, kind: Kind, name: str) -> Tensor:
    """A gradient of the user's backward in the shape and dtype of the argument it is for."""
    shape, dtype = kind
    try:
        return to(sum_to_shape(grad, shape), dtype)
    except RuntimeError as error:
        raise RuntimeError(
            f"[{name}] backward returned a gradient of shape {grad.array.shape} for an argument "
            f"of shape {shape}"
        ) from error
