"""PyTorch's old constructors, one for each dtype: `FloatTensor(2, 3)`, `LongTensor([1, 2])`."""

from __future__ import annotations

from typing import Any

from norch_autograd.tensor.tensor import Tensor
from norch_cpu_ops import DType, bool_, float16, float32, float64, int8, int32, int64, uint8


def _made(data: tuple[Any, ...], dtype: DType) -> Tensor:
    """What `Tensor(*data)` makes, in the dtype of the name."""
    return Tensor(*data, dtype=dtype)


def FloatTensor(*data: Any) -> Tensor:
    """A float32 tensor of data, or an empty one of the sizes given.

    >>> norch.FloatTensor([1, 2])
    tensor([1., 2.])
    """
    return _made(data, float32)


def DoubleTensor(*data: Any) -> Tensor:
    """A float64 tensor of data, or an empty one of the sizes given."""
    return _made(data, float64)


def HalfTensor(*data: Any) -> Tensor:
    """A float16 tensor of data, or an empty one of the sizes given."""
    return _made(data, float16)


def LongTensor(*data: Any) -> Tensor:
    """An int64 tensor of data, or an empty one of the sizes given.

    >>> norch.LongTensor([1, 2])
    tensor([1, 2])
    """
    return _made(data, int64)


def IntTensor(*data: Any) -> Tensor:
    """An int32 tensor of data, or an empty one of the sizes given."""
    return _made(data, int32)


def ByteTensor(*data: Any) -> Tensor:
    """A uint8 tensor of data, or an empty one of the sizes given."""
    return _made(data, uint8)


def CharTensor(*data: Any) -> Tensor:
    """An int8 tensor of data, or an empty one of the sizes given."""
    return _made(data, int8)


def BoolTensor(*data: Any) -> Tensor:
    """A bool tensor of data, or an empty one of the sizes given."""
    return _made(data, bool_)
