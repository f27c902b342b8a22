"""Bare arrays seen another way, and constants beside a tensor: what derivatives are made of below
the operations. Nothing here is recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import norch_cpu_ops
import norch_strides as strides
from norch_autograd.graph.tensor_base import Tensor, plain, wrap
from norch_cpu_ops import DType, int64

Number: TypeAlias = float | int | bool
Operand: TypeAlias = "Tensor | Number"


def reshaped(array: Any, shape: tuple[int, ...]) -> Any:
    """An array in another shape; a copy where its layout forbids a view."""
    found = strides.reshape(array.layout, shape)
    if found is None:
        return array.ops.clone(array).view(strides.contiguous(shape))
    return array.view(found)


def transposed(array: Any) -> Any:
    """A view with the last two dimensions swapped."""
    return array.view(strides.transpose(array.layout, -2, -1))


def constant(
    like: Tensor, value: float, shape: Sequence[int] | None = None, dtype: DType | None = None
) -> Tensor:
    """A tensor full of `value` where `like` lives, of its shape and dtype unless others are given.

    >>> constant(norch.zeros(2, 3), 1, (2,))
    tensor([1., 1.])
    """
    x = like.array
    return plain(x.ops.full(x.shape if shape is None else tuple(shape), value, dtype or x.dtype))


def indices(like: Tensor, numbers: Sequence[int]) -> Tensor:
    """Whole numbers as a tensor where `like` lives."""
    return plain(like.array.ops.from_cpu(norch_cpu_ops.ops.from_list(list(numbers), int64)))


def zeros_like(like: Tensor) -> Tensor:
    """Zeros of the shape and dtype of `like`.

    >>> zeros_like(norch.ones(2))
    tensor([0., 0.])
    """
    x = like.array
    return plain(x.ops.zeros(x.shape, x.dtype))


def places_of(like: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The number of each element of a tensor of this shape, counted row by row."""
    numbers = like.array.ops.arange(0, strides.numel(shape), 1, int64)
    return plain(numbers.view(strides.contiguous(shape)))


def any_true(input: Tensor) -> bool:
    """Whether some element is not zero; waits for the device."""
    return bool(input.array.ops.any(input.array).item())


def all_true(input: Tensor) -> bool:
    """Whether no element is zero; waits for the device."""
    return bool(input.array.ops.all(input.array).item())


def nonzero_columns(input: Tensor) -> tuple[Tensor, ...]:
    """Where the elements are not zero: for each dimension the indices along it."""
    x = input.array
    places = x.ops.nonzero(x if x.ndim else reshaped(x, (1,)))
    count = max(x.ndim, 1)
    return tuple(plain(places.view(strides.select(places.layout, 1, k))) for k in range(count))


def raw(operand: Any) -> Any:
    """The array of a tensor; anything else as it is."""
    return operand.array if isinstance(operand, Tensor) else operand


def as_gradient(grad: Any) -> Any:
    """A gradient on its way as a tensor, if it is an array; None, or a tensor, as it is."""
    return wrap(grad, False, None) if hasattr(grad, "layout") else grad
