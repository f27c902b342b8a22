"""Operations of the user's own: a forward and a backward, written with PyTorch's `ctx`.

`apply` runs the forward unrecorded and puts one node in its place, whose `backward` is the user's.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from norch_autograd.graph import Gradients, Node, TensorBase, plain, record, wanted, wrap
from norch_autograd.mode import mode, no_grad
from norch_autograd.ops.inplace import editable
from norch_autograd.ops.views import rebase
from norch_autograd.outputs import Output, Parts, record_many

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor


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
        return self._node.unpacked()


class UserNode(Node):
    """A recorded call of a `Function`."""

    __slots__ = ()

    def backward(self, parts: Parts) -> Gradients:
        """Ask the user's function."""
        function, ctx, shapes = self.context
        some = next(iter(parts.grads.values()))
        grads = [
            parts.grads.get(i, some.new_zeros(shape) if ctx._zeros else None)
            for i, shape in enumerate(shapes)
        ]
        ctx._node = self
        try:
            found = function.backward(ctx, *grads)
        finally:
            ctx._node = None  # no cycle between context and node
        results = found if isinstance(found, tuple) else (found,)
        positions = ctx._tensor_positions
        count = len(ctx.needs_input_grad)
        if len(results) < count or any(extra is not None for extra in results[count:]):
            raise RuntimeError(
                f"[{function.__name__}] backward returned {len(results)} gradients, expected "
                f"{count}: one for each argument of forward"
            )
        return tuple(results[position] for position in positions)

    def unpacked(self) -> tuple[Any, ...]:
        """The saved tensors, in the order they were given."""
        if self.kept is None:
            self.saved(0)  # raises: the graph is freed
        found = [None if item is None else self.saved(i) for i, item in enumerate(self.kept or ())]
        for i, output in self.context[1]._saved_outputs:  # an output comes from this very node
            found[i] = wrap(found[i].array, True, Output((self,), (), output))
        return tuple(found)

    def name(self) -> str:
        """The name of the user's class."""
        return f"{self.context[0].__name__}Backward"


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

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run `forward` on the arguments and record one node for it."""
        ctx: Any = Context()
        ctx.needs_input_grad = tuple(isinstance(a, TensorBase) and a.tracked for a in args)
        with no_grad():
            if cls.setup_context is Function.setup_context:
                result = cls.forward(ctx, *args)
            else:
                result = cls.forward(*args)
                cls.setup_context(ctx, args, result)
        outputs = result if isinstance(result, tuple) else (result,)
        inputs = tuple(a for a in args if isinstance(a, TensorBase))
        ctx._tensor_positions = [i for i, a in enumerate(args) if isinstance(a, TensorBase)]
        if not wanted(inputs):
            return result
        recorded = cls._record(ctx, inputs, outputs)
        return tuple(recorded) if isinstance(result, tuple) else recorded[0]

    @classmethod
    def _record(cls, ctx: Any, inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> list[Any]:
        """The outputs again, now as results of one node."""
        shapes = tuple(output.array.shape for output in outputs)
        arrays = [output.array for output in outputs]
        saved = tuple(ctx._to_save)
        numbers = {id(output): k for k, output in enumerate(outputs)}
        places = [(i, numbers.get(id(tensor))) for i, tensor in enumerate(saved)]
        ctx._saved_outputs = [(i, k) for i, k in places if k is not None]
        results: list[Any] = record_many(UserNode, arrays, inputs, saved, (cls, ctx, shapes))
        without = [id(tensor) for tensor in ctx._without_gradient]
        ctx._to_save = ctx._without_gradient = ()
        for i, output in enumerate(outputs):
            if id(output) in without or not output.array.dtype.is_floating_point:
                results[i] = plain(output.array)
        return [cls._edited(ctx, old, new) for old, new in zip(outputs, results, strict=True)]

    @classmethod
    def _edited(cls, ctx: Any, output: Any, result: Any) -> Any:
        """An input that forward has edited comes back itself, with the new history."""
        if not any(output is tensor for tensor in ctx._dirty):
            return result
        editable(output, cls.__name__)
        rebase(output, result.node)
        return output


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
