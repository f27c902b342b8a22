"""Tensors of one value, or of whole numbers, where another tensor lives; nothing is recorded."""

from __future__ import annotations

from collections.abc import Sequence

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
    """The number of each element of a tensor of this shape, counted row by row."""
    numbers = like.array.ops.arange(0, strides.numel(shape), 1, int64)
    return plain(numbers.view(strides.contiguous(shape)))
