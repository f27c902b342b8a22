"""Parameter and Buffer: tensors that a Module recognises as its own.

A Parameter is a leaf that wants a gradient; the Module that holds one lists it in `parameters()`.
Nothing here computes: it is a Tensor with a name tag.
"""

from __future__ import annotations

from typing import Any

from norch_autograd import Tensor, empty

__all__ = ["Parameter"]


class Parameter(Tensor):
    """A Tensor that is to be learned; it shares the storage of the tensor it is made from.

    >>> import norch_autograd as norch
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

    def __repr__(self) -> str:
        """Print as PyTorch does, with the values below the tag."""
        return "Parameter containing:\n" + super().__repr__()
