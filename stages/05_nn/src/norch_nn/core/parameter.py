"""Parameter and Buffer: tensors that a Module recognises as its own.

A Parameter is a leaf that requires a gradient; the Module that holds one lists it in
`parameters()`. Nothing here computes.
"""

from __future__ import annotations

from typing import Any

from norch_autograd import Tensor, empty
from norch_autograd.tensor.tensor import copy_without_grad


class Parameter(Tensor):
    """A Tensor that is to be learned; it shares the storage of the tensor it is made from.

    >>> weight = Parameter(norch.zeros(2, 3))
    >>> weight.requires_grad, weight.is_leaf, tuple(weight.shape)
    (True, True, (2, 3))
    """

    __slots__ = ()

    def __init__(self, data: Any = None, requires_grad: bool = True) -> None:
        """Wrap `data` (a Tensor, whose storage is shared, or nested lists)."""
        data = empty(0) if data is None else data
        array = data.array if isinstance(data, Tensor) else data
        super().__init__(array, requires_grad=requires_grad)

    def gradient_norm(self, grad: Tensor, norm_type: float) -> Tensor:
        """Return the length of its `grad`; of all of it, where a subclass holds a part."""
        return grad.norm(norm_type)

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        """Copy the values; the copy has no gradient yet."""
        return copy_without_grad(self, memo)

    def __repr__(self) -> str:
        """Print as PyTorch does, with the values below the tag."""
        return "Parameter containing:\n" + super().__repr__()


class ParameterPart(Parameter):
    """This process's part of a parameter; each of `groups` are processes with the others.

    What they must agree about is asked here; stage 6 has the answers.
    """

    __slots__ = ("groups",)
    groups: tuple[Any, ...]

    def with_values(self, values: Tensor) -> ParameterPart:
        """Return other values, such as an optimizer's, as the part that this one is."""
        raise NotImplementedError

    def is_cut_among(self, group: Any) -> bool:
        """Return whether processes of the group have other parts."""
        raise NotImplementedError

    def on_any_part(self, found: bool) -> bool:
        """Return whether something was found on any process that has a part; all of them ask."""
        raise NotImplementedError


class GradientPart(Tensor):
    """This process's part of a gradient: others have the rest, so its length is not the whole's."""

    __slots__ = ()


class Buffer(Tensor):
    """A Tensor that a Module keeps but does not learn; `persistent` ones are saved with it.

    >>> net = nn.Module()
    >>> net.scale = Buffer(norch.ones(2))
    >>> list(net.state_dict()), len(list(net.parameters()))
    (['scale'], 0)
    """

    __slots__ = ("persistent",)

    def __init__(self, data: Any = None, *, persistent: bool = True) -> None:
        """Wrap `data` (a Tensor, whose storage is shared, or nested lists)."""
        data = empty(0) if data is None else data
        array = data.array if isinstance(data, Tensor) else data
        super().__init__(array)
        self.persistent = persistent

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the values and the flag."""
        return _buffer, (self.detach(), self.persistent)

    def __deepcopy__(self, memo: dict[int, Any]) -> Buffer:
        copy = copy_without_grad(self, memo)
        copy.persistent = self.persistent
        return copy


def _buffer(data: Tensor, persistent: bool) -> Buffer:
    """Make a Buffer again, of what pickle stored of it."""
    return Buffer(data, persistent=persistent)


def forget_gradient(tensor: Tensor, set_to_none: bool) -> None:
    """Take the gradient off `tensor`, or fill the very same tensor with zeros."""
    grad = tensor.grad
    if grad is not None and not set_to_none:
        if grad.grad_fn is None:
            grad.requires_grad_(False)
        else:
            grad.detach_()
    # ex 5.21 begin
    if set_to_none:
        tensor.grad = None
    elif grad is not None:
        grad.zero_()
    # ex 5.21 end
