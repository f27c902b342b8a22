"""PyTorch's old types, one for each dtype: `FloatTensor(2, 3)` makes a tensor, and a float32 tensor
is an instance of `FloatTensor`."""

from __future__ import annotations

from typing import Any

from norch_autograd.tensor.tensor import Tensor
from norch_autograd.types.dtype import set_default_dtype
from norch_cpu_ops import DType, bool_, float16, float32, float64, int8, int32, int64, uint8


class LegacyType(type):
    """What the types below are: calling one makes a `Tensor`, never an object of its own."""

    dtype: DType

    def __call__(cls, *data: Any, device: Any = None) -> Tensor:
        """What `Tensor(*data)` makes, in the dtype of the name."""
        return Tensor(*data, dtype=cls.dtype, device=device)

    def __instancecheck__(cls, value: object) -> bool:
        """Whether `value` is a tensor of the dtype of the name."""
        return isinstance(value, Tensor) and value.dtype is cls.dtype


class FloatTensor(metaclass=LegacyType):
    """A float32 tensor of data, or an empty one of the sizes given.

    >>> norch.FloatTensor([1, 2])
    tensor([1., 2.])
    >>> isinstance(norch.ones(2), norch.FloatTensor)
    True
    """

    dtype = float32


class DoubleTensor(metaclass=LegacyType):
    """A float64 tensor of data, or an empty one of the sizes given."""

    dtype = float64


class HalfTensor(metaclass=LegacyType):
    """A float16 tensor of data, or an empty one of the sizes given."""

    dtype = float16


class LongTensor(metaclass=LegacyType):
    """An int64 tensor of data, or an empty one of the sizes given.

    >>> norch.LongTensor([1, 2])
    tensor([1, 2])
    """

    dtype = int64


class IntTensor(metaclass=LegacyType):
    """An int32 tensor of data, or an empty one of the sizes given."""

    dtype = int32


class ByteTensor(metaclass=LegacyType):
    """A uint8 tensor of data, or an empty one of the sizes given."""

    dtype = uint8


class CharTensor(metaclass=LegacyType):
    """An int8 tensor of data, or an empty one of the sizes given."""

    dtype = int8


class BoolTensor(metaclass=LegacyType):
    """A bool tensor of data, or an empty one of the sizes given."""

    dtype = bool_


FLOATING = {kind.__name__: kind for kind in (FloatTensor, DoubleTensor, HalfTensor)}


def set_default_tensor_type(t: Any, /) -> None:
    """Choose the dtype of new floating-point tensors by one of the types above, or its name: what
    PyTorch had before `set_default_dtype`.

    >>> norch.set_default_tensor_type("torch.DoubleTensor")
    >>> norch.ones(1).dtype
    norch.float64
    >>> norch.set_default_tensor_type(norch.FloatTensor)
    """
    module, _, name = t.rpartition(".") if isinstance(t, str) else ("", "", "")
    kind = FLOATING.get(name) if module in ("", "torch", "norch") else None
    if t in FLOATING.values():
        kind = t
    if kind is None:
        raise TypeError(
            f"[set_default_tensor_type] expected one of {', '.join(FLOATING)}, as a type or by "
            f"name, got {t!r}: set_default_dtype and set_default_device say the rest"
        )
    set_default_dtype(kind.dtype)
