"""Variable: what tensors with gradients were called once; old scripts wrap every tensor in it."""

from __future__ import annotations

import warnings
from typing import Any

from norch_autograd.tensor.tensor import Tensor

__all__ = ["Variable"]


class AnyTensor(type):
    """Every tensor is an instance of the classes made by this one."""

    def __instancecheck__(cls, instance: object) -> bool:
        """Whether `instance` is a tensor."""
        return isinstance(instance, Tensor)


class Variable(metaclass=AnyTensor):
    """`Variable(x)` is a leaf that shares the numbers of the tensor `x`.

    >>> x = Variable(norch.ones(2), requires_grad=True)
    >>> x.requires_grad, isinstance(x, Variable), type(x).__name__
    (True, True, 'Tensor')
    """

    def __new__(  # type: ignore[misc]
        cls, data: Any, requires_grad: bool = False, volatile: bool | None = None
    ) -> Tensor:
        """Return the leaf. `volatile` has no effect, as in PyTorch, and is warned of."""
        if volatile is not None:
            warnings.warn(
                "[Variable] volatile has no effect: use `with norch.no_grad():`", stacklevel=2
            )
        if not isinstance(data, Tensor):
            given = type(data).__name__
            raise TypeError(
                f"[Variable] a Tensor is expected, not a {given}: tensor(...) makes one"
            )
        leaf: Tensor = data.detach().requires_grad_(requires_grad)
        return leaf
