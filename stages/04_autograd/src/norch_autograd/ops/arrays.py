"""Constants where another tensor lives, arrays seen in another shape, questions about elements.

All of it is of bare arrays: nothing is recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import norch_cpu_ops
import norch_strides as strides
from norch_autograd.graph.tensor_base import Tensor, plain
from norch_cpu_ops import DType, int64


def constant(
    like: Tensor, value: float, shape: Sequence[int] | None = None, dtype: DType | None = None
) -> Tensor:
    """A tensor full of `value` where `like` lives, of its shape and dtype unless others are given.

    >>> constant(norch.zeros(2, 3), 1, (2,))
    tensor([1., 1.])
    """
    x = like.array
    return plain(x.ops.full(x.shape if shape is None else tuple(shape), value, dtype or x.dtype))


def index_tensor(like: Tensor, numbers: Sequence[int]) -> Tensor:
    """Whole numbers as a tensor where `like` lives."""
    return plain(like.array.ops.from_cpu(norch_cpu_ops.ops.from_list(list(numbers), int64)))


def arange_like(like: Tensor, shape: tuple[int, ...]) -> Tensor:
    """A constant where `like` lives: the number of each element of `shape`, counted row by row."""
    numbers = like.array.ops.arange(0, strides.numel(shape), 1, int64)
    return plain(numbers.view(strides.contiguous(shape)))


def reshape_array(array: Any, shape: tuple[int, ...]) -> Any:
    """An array seen in another shape; copied where its layout forbids a view."""
    found = array.view_by(strides.reshape, shape)
    return array.ops.clone(array).view_by(strides.view, shape) if found is None else found


def transpose_array(array: Any) -> Any:
    """An array seen with its last two dimensions swapped."""
    return array.view_by(strides.transpose, -2, -1)


def array_any(input: Tensor) -> bool:
    """Whether some element of a tensor is not zero; waits for the device."""
    return bool(input.array.ops.any(input.array).item())


def array_all(input: Tensor) -> bool:
    """Whether no element of a tensor is zero; waits for the device."""
    return bool(input.array.ops.all(input.array).item())


def nonzero_columns(input: Tensor) -> tuple[Tensor, ...]:
    """Where a tensor's array is not zero: for each dimension the indices along it, unrecorded."""
    x = input.array
    places = x.ops.nonzero(x if x.ndim else reshape_array(x, (1,)))
    return tuple(map(plain, places.unbind(1)))
