"""Old names around tensors: types such as FloatTensor, Variable, and predicates such as is_tensor.

`FloatTensor(2, 3)` makes a tensor, and a float32 tensor is an instance of `FloatTensor`.
"""

from __future__ import annotations

import warnings
from typing import Any

from norch_autograd.graph.tensor_base import array_of
from norch_autograd.tensor.tensor import Tensor
from norch_autograd.types.dtype import set_default_dtype
from norch_cpu_ops import DType, bool_, float16, float32, float64, int8, int16, int32, int64, uint8


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


class ShortTensor(metaclass=LegacyType):
    """An int16 tensor of data, or an empty one of the sizes given."""

    dtype = int16


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


class AnyTensor(type):
    """Every tensor is an instance of the classes made by this one."""

    def __instancecheck__(cls, instance: object) -> bool:
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


def is_tensor(obj: Any) -> bool:
    """Whether `obj` is a Tensor: what older scripts ask instead of `isinstance`.

    >>> norch.is_tensor(norch.ones(1)), norch.is_tensor(1)
    (True, False)
    """
    return isinstance(obj, Tensor)


def is_floating_point(input: Tensor) -> bool:
    """Whether the elements are floating-point numbers: the method as a function, for older scripts.

    >>> norch.is_floating_point(norch.ones(1))
    True
    """
    return bool(array_of(input).dtype.is_floating_point)


def numel(input: Tensor) -> int:
    """How many elements there are: the method as a function, for older scripts.

    >>> norch.numel(norch.ones(2, 3))
    6
    """
    return int(array_of(input).numel)


def is_complex(input: Tensor) -> bool:
    """Whether the elements are complex numbers, which older scripts ask: no.

    >>> norch.is_complex(norch.ones(1))
    False
    """
    array_of(input)
    return False


def is_nonzero(input: Tensor) -> bool:
    """Whether the only element is not zero: an older name for `bool`, with its RuntimeError.

    >>> norch.is_nonzero(norch.tensor([2]))
    True
    """
    array_of(input)
    return bool(input)


def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether both have the same shape: an older name for comparing their shapes.

    >>> norch.is_same_size(norch.ones(2), norch.ones(3))
    False
    """
    return bool(array_of(input).shape == array_of(other).shape)
