"""Operations of the user's own: a forward and a backward, written with PyTorch's `ctx`.

`apply` runs the forward unrecorded and puts one node in its place, whose `backward` is the user's.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from norch_autograd.bases import INSIDE, relate
from norch_autograd.calls import Call, Context, UserNode, check_saved, kinds_of
from norch_autograd.graph import (
    Gradients,
    Node,
    TensorBase,
    edge_of,
    keep,
    plain,
    record,
    wanted,
    wrap,
)
from norch_autograd.mode import mode, no_grad
from norch_autograd.ops.inplace import editable
from norch_autograd.ops.views import rebase

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor


class Function:
    """Subclass with static `forward(ctx, *args)` and `backward(ctx, *grads)`; call through `apply`.

    >>> import norch_autograd as norch
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
        """The subclass's `backward`, or its `vjp`."""
        if cls.vjp is Function.vjp:
            return cls.backward
        if cls.backward is not Function.backward:
            raise RuntimeError(f"[{cls.__name__}] define backward or vjp, not both")
        return cls.vjp

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run `forward` on the arguments and record one node for it."""
        ctx: Any = Context()
        inputs = tuple(a for a in args if isinstance(a, TensorBase))
        record = wanted(inputs)
        ctx.needs_input_grad = tuple(isinstance(a, TensorBase) and a.tracked for a in args)
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
            outputs = cls._recorded(ctx, args, outputs)
        else:
            outputs = tuple(_another(out, inputs, ctx._dirty) for out in outputs)
        return outputs if isinstance(result, tuple) else outputs[0]

    @classmethod
    def _recorded(cls, ctx: Any, args: tuple[Any, ...], outputs: tuple[Any, ...]) -> Any:
        """The outputs again, now as results of one node; what is no tensor stays as it is."""
        check_saved(ctx._to_save)
        numbers = {id(output): i for i, output in enumerate(outputs)}
        places = [(k, numbers.get(id(tensor))) for k, tensor in enumerate(ctx._to_save)]
        ctx._saved_outputs = [(k, i) for k, i in places if i is not None]
        edges = tuple(edge_of(a) for a in args if isinstance(a, TensorBase))
        call = Call(cls, ctx, kinds_of(args), kinds_of(outputs))
        node = UserNode(edges, keep(ctx._to_save, ctx), call)
        without = [id(tensor) for tensor in ctx._without_gradient]
        ctx._to_save = ctx._without_gradient = ()
        results: list[Any] = list(outputs)
        for i, output in enumerate(results):
            if not isinstance(output, TensorBase):
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
            if isinstance(arg, TensorBase) and output.array.shares_storage(arg.array):
                relate(result, arg, INSIDE)
        return result


def _another(output: Any, inputs: tuple[Any, ...], dirty: tuple[Any, ...]) -> Any:
    """An output that is an input as another tensor, unless forward has edited it."""
    is_input = any(output is tensor for tensor in inputs)
    edited = any(output is tensor for tensor in dirty)
    return plain(output.array) if is_input and not edited else output


class Once(Node):
    """The end of the road: the gradient of a gradient that was written without one."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        """Refuse."""
        raise RuntimeError(
            "[backward] trying to differentiate twice a function that was marked with "
            "@once_differentiable"
        )


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a `Function.backward` that is not written in Tensor operations: a second derivative
    through it is an error, not zero.

    >>> import norch_autograd as norch
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
        given = tuple(g for g in grads if isinstance(g, TensorBase))
        if not mode.enabled or not wanted(given):
            return found
        results = found if isinstance(found, tuple) else (found,)
        closed = [g if g is None else record(Once, g.array, given) for g in results]
        return tuple(closed) if isinstance(found, tuple) else closed[0]

    return once
