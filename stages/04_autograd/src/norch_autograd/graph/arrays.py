"""Bare arrays seen another way, and constants beside a tensor: what derivatives are made of below
the operations. Nothing here is recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import norch_strides as strides
from norch_autograd.graph.tensor_base import Tensor, plain
from norch_cpu_ops import DType


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

    >>> import norch_autograd as norch
    >>> constant(norch.zeros(2, 3), 1, (2,))
    tensor([1., 1.])
    """
    x = like.array
    return plain(x.ops.full(x.shape if shape is None else tuple(shape), value, dtype or x.dtype))


def zeros_like(like: Tensor) -> Tensor:
    """Zeros of the shape and dtype of `like`.

    >>> import norch_autograd as norch
    >>> zeros_like(norch.ones(2))
    tensor([0., 0.])
    """
    x = like.array
    return plain(x.ops.zeros(x.shape, x.dtype))
