"""Predicates of tensors, which compute nothing: is_tensor, is_same_size, numel and their kin."""

from __future__ import annotations

from typing import Any

from norch_autograd.graph.tensor_base import array_of
from norch_autograd.tensor.tensor import Tensor


def is_tensor(obj: Any) -> bool:
    """Whether `obj` is a Tensor.

    >>> norch.is_tensor(norch.ones(1)), norch.is_tensor(1)
    (True, False)
    """
    return isinstance(obj, Tensor)


def is_floating_point(input: Tensor) -> bool:
    """Whether the elements are floating-point numbers.

    >>> norch.is_floating_point(norch.ones(1))
    True
    """
    return bool(array_of(input).dtype.is_floating_point)


def numel(input: Tensor) -> int:
    """How many elements there are.

    >>> norch.numel(norch.ones(2, 3))
    6
    """
    return int(array_of(input).numel)


def is_complex(input: Tensor) -> bool:
    """Whether the elements are complex numbers: no.

    >>> norch.is_complex(norch.ones(1))
    False
    """
    array_of(input)
    return False


def is_nonzero(input: Tensor) -> bool:
    """Whether the only element is not zero; RuntimeError if there are more, or none.

    >>> norch.is_nonzero(norch.tensor([2]))
    True
    """
    array_of(input)
    return bool(input)


def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether both have the same shape.

    >>> norch.is_same_size(norch.ones(2), norch.ones(3))
    False
    """
    return bool(array_of(input).shape == array_of(other).shape)
