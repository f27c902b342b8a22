"""What a call of a user's `Function` leaves behind: its `ctx`, and the node that asks its backward.

function.py makes both; the engine walks the node like any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from norch_autograd.graph import Gradients, Node, TensorBase, wrap
from norch_autograd.outputs import Output, Parts

if TYPE_CHECKING:
    from norch_autograd.dtype import DType
    from norch_autograd.function import Function
    from norch_autograd.tensors import Tensor

Kind: TypeAlias = "tuple[tuple[int, ...], DType]"  # shape and dtype


def kinds_of(values: tuple[Any, ...]) -> tuple[Kind | None, ...]:
    """The shape and dtype of each tensor among some values, None for the others."""
    return tuple(
        (value.array.shape, value.array.dtype) if isinstance(value, TensorBase) else None
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


def check_saved(items: tuple[Any, ...]) -> None:
    """Only tensors go through `save_for_backward`."""
    for i, item in enumerate(items):
        if item is not None and not isinstance(item, TensorBase):
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


class UserNode(Node):
    """A recorded call of a `Function`."""

    __slots__ = ()

    def backward(self, given: Any) -> Gradients:
        """Ask the user's function."""
        function, ctx, _, outputs = self.context
        grads = given.grads if isinstance(given, Parts) else {self._only: given}
        some = next(iter(grads.values()))

        def of(i: int) -> Tensor | None:
            if i in grads or outputs[i] is None or not ctx._zeros:
                return grads.get(i)
            shape, dtype = outputs[i]
            zeros: Tensor = some.new_zeros(shape, dtype=dtype)
            return zeros

        ctx._node = self
        try:
            found = function.derivative()(ctx, *map(of, range(len(outputs))))
        finally:
            ctx._node = None  # no cycle between context and node
        return self._checked(found if isinstance(found, tuple) else (found,))

    @property
    def _only(self) -> int:
        """Which of the results is the tensor, if only one is."""
        return next(i for i, kind in enumerate(self.context.outputs) if kind is not None)

    def history(self, i: int) -> Node:
        """The node of output `i`: this one, or its own if there are several."""
        alone = sum(kind is not None for kind in self.context.outputs) == 1
        return self if alone else Output((self,), (), i)

    def _checked(self, results: tuple[Any, ...]) -> Gradients:
        """One gradient for each tensor among the arguments, of its shape and dtype."""
        name, inputs = self.context.function.__name__, self.context.inputs
        if len(results) < len(inputs) or any(r is not None for r in results[len(inputs) :]):
            raise RuntimeError(
                f"[{name}] backward returned {len(results)} gradients, expected {len(inputs)}: "
                "one for each argument of forward"
            )
        for i, (kind, grad) in enumerate(zip(inputs, results, strict=False)):
            if grad is not None and (kind is None or not isinstance(grad, TensorBase)):
                expected = "None: the argument is no Tensor" if kind is None else "a Tensor or None"
                raise RuntimeError(
                    f"[{name}] backward returned a {type(grad).__name__} for argument {i} of "
                    f"forward, expected {expected}"
                )
        pairs = zip(inputs, results, strict=False)
        return tuple(
            None if grad is None else _like(grad, kind, name) for kind, grad in pairs if kind
        )

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What `save_for_backward` kept, in the order it was given."""
        if self.kept is None:
            self.saved(0)  # raises: the graph is freed
        found = [None if item is None else self.saved(i) for i, item in enumerate(self.kept or ())]
        for i, output in self.context.ctx._saved_outputs:  # it comes from this very node
            found[i] = wrap(found[i].array, True, self.history(output))
        return tuple(found)

    @property
    def needs_input_grad(self) -> tuple[bool, ...]:
        """Which arguments of forward want a gradient."""
        found: tuple[bool, ...] = self.context.ctx.needs_input_grad
        return found

    def name(self) -> str:
        """The name of the user's class."""
        return f"{self.context.function.__name__}Backward"


def _like(grad: Tensor, kind: Kind, name: str) -> Tensor:
    """A gradient in the shape and dtype of what it belongs to."""
    shape, dtype = kind
    try:
        return grad.sum_to_size(shape).to(dtype)
    except RuntimeError as error:
        raise RuntimeError(
            f"[{name}] backward returned a gradient of shape {grad.array.shape} for an argument "
            f"of shape {shape}"
        ) from error
