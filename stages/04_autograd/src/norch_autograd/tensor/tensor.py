"""`Tensor`: an array that remembers where it came from.

Its state is in graph/tensor_base.py, its attributes in attributes.py, its operations are listed in
methods.py and more_methods.py. Here are its constructor, its copies, and `backward`.
"""

from __future__ import annotations

import builtins
import copy
from typing import Any, TypeVar

from norch_autograd import ops
from norch_autograd.creation.from_data import array_from, is_array, ops_of
from norch_autograd.engine.backward import backward
from norch_autograd.graph.tensor_base import array_of, plain, set_tensor_class
from norch_autograd.tensor.format import format_tensor
from norch_autograd.tensor.more_methods import MoreMethods
from norch_autograd.tensor.storage import Storage, storage_of
from norch_autograd.types.device import device as Device
from norch_autograd.types.dtype import get_default_dtype
from norch_autograd.types.size import Size
from norch_cpu_ops import DType
from norch_strides import Layout


class Tensor(MoreMethods):
    """An array that remembers where it came from.

    `Tensor(data)` makes the default dtype of numbers and nested lists, as PyTorch's does;
    `Tensor(2, 3)` and `Tensor(x.shape)` an empty one of that shape; an array of stage 2 or 3 is
    taken as it is. `tensor(...)` keeps the data's own dtype.

    >>> x = Tensor([[1, 2], [3, 4]], requires_grad=True)
    >>> (x @ x).sum().backward()
    >>> x.grad
    tensor([[ 7., 11.],
            [ 9., 13.]])
    """

    __slots__ = ()
    __array_priority__ = 1000  # NumPy leaves operators to us

    def __init__(
        self,
        *data: Any,
        requires_grad: builtins.bool = False,
        dtype: DType | None = None,
        device: Any = None,
    ) -> None:
        self.array = _construct(data, dtype, device)
        self._requires_grad = False
        self._grad = None
        self.node = None
        self.hooks = None
        self.base = None
        if requires_grad:
            self.requires_grad = True

    def __repr__(self) -> str:
        return format_tensor(self)

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if self.array.ndim == 0 else format(str(self), spec)

    def __iter__(self) -> Any:
        if self.array.ndim == 0:
            raise TypeError("[iter] iteration over a tensor without dimensions")
        return iter(ops.unbind(self))

    def __contains__(self, value: Any) -> builtins.bool:
        if not isinstance(value, (Tensor, int, float)):
            kind = type(value).__name__
            raise RuntimeError(f"[in] expected a tensor or a number to look for, got {kind}")
        return bool((self == value).any())

    def new(self, *data: Any, device: Any = None) -> Tensor:
        """What `Tensor(*data)` makes, in this tensor's dtype and on its device: PyTorch's name
        before `new_empty` and `new_tensor`.

        >>> norch.ones(2, dtype=norch.int64).new([1, 2]), norch.ones(2).new(3, 4).shape
        (tensor([1, 2]), norch.Size([3, 4]))
        """
        return Tensor(*data, dtype=self.dtype, device=self.device if device is None else device)

    def __reduce__(self) -> tuple[Any, ...]:
        what = (storage_of(self.array), type(self), _description(self))
        return _rebuilt, what, _attributes(self)

    def __deepcopy__(self, memo: dict[builtins.int, Any]) -> Tensor:
        if self.node is not None:
            raise RuntimeError(
                "[deepcopy] only leaves (tensors created by the user) support it; detach() first"
            )
        result = copy_without_grad(self, memo)
        result.grad = copy.deepcopy(self.grad, memo)
        return result

    @property
    def data(self) -> Tensor:
        """The same storage, outside the graph; assigning gives the leaf other storage.

        Edits through it are not counted: a derivative that needs the old values cannot find out,
        as it would through `detach()`.
        """
        return plain(self.array.unversioned())

    @data.setter
    def data(self, value: Tensor) -> None:
        array = array_of(value, "data")
        if self._requires_grad and not array.dtype.is_floating_point:
            raise RuntimeError(
                f"[data] a tensor that requires grad is of floating point, not {array.dtype}"
            )
        self.array = array
        self.base = None

    def requires_grad_(self, requires_grad: builtins.bool = True) -> Tensor:
        """Start (or stop) computing gradients for this leaf."""
        if not isinstance(requires_grad, bool):
            given = type(requires_grad).__name__
            raise TypeError(f"[requires_grad_] expected True or False, got {given}")
        self.requires_grad = requires_grad
        return self

    def detach_(self) -> Tensor:
        """Leave the graph, in place; a view cannot, its base would stay: detach() it instead."""
        if self.base is not None:
            raise RuntimeError("[detach_] a view cannot be detached in place; use detach()")
        self.node, self._requires_grad = None, False
        return self

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: builtins.bool | None = None,
        create_graph: builtins.bool = False,
        inputs: Any = None,
    ) -> None:
        """Add to every leaf's `.grad` the derivative of this tensor (see autograd.backward)."""
        starts = None if gradient is None else [gradient]
        backward([self], starts, retain_graph, create_graph, inputs)


def _construct(data: tuple[Any, ...], dtype: DType | None, device: Any) -> Any:
    """The array that `Tensor(*data)` asks for."""
    if len(data) == 1 and is_array(data[0]):
        return data[0]
    dtype = dtype or get_default_dtype()
    if len(data) == 1 and isinstance(data[0], Size):  # what shape and size() return; no list
        return ops_of(device or "cpu").empty(tuple(data[0]), dtype)
    if not data or all(type(size) is int for size in data):
        return ops_of(device or "cpu").empty(data or (0,), dtype)
    if len(data) > 1:
        raise TypeError(
            f"[Tensor] expected the data, or sizes as whole numbers, got {len(data)} values"
        )
    if isinstance(data[0], Device):
        raise TypeError("[Tensor] the device is given by name: Tensor(data, device=...)")
    return array_from(data[0], dtype, device, "Tensor")


_Kind = TypeVar("_Kind", bound=Tensor)


def copy_without_grad(tensor: _Kind, memo: dict[builtins.int, Any]) -> _Kind:
    """A copy with its attributes; what shares its storage and has the same memo shares the copy's.

    >>> x, memo = norch.zeros(2, 2), {}
    >>> row, whole = copy_without_grad(x[0], memo), copy_without_grad(x, memo)
    >>> row.fill_(1); whole
    tensor([1., 1.])
    tensor([[1., 1.],
            [0., 0.]])
    """
    storage = copy.deepcopy(storage_of(tensor.array), memo)
    memo[id(tensor)] = result = _rebuilt(storage, type(tensor), _description(tensor))
    attributes = _attributes(tensor)
    if attributes:
        vars(result).update(copy.deepcopy(attributes, memo))
    return result


def _description(tensor: Tensor) -> tuple[Any, ...]:
    """What a copy or pickle of a tensor needs besides its storage."""
    array = tensor.array
    shape, strides = tuple(array.shape), tuple(array.strides)
    return array.dtype, shape, strides, array.offset, tensor._requires_grad


def _attributes(tensor: Tensor) -> dict[str, Any] | None:
    """The attributes that a subclass of Tensor has, for a copy or pickle."""
    return getattr(tensor, "__dict__", None) or None


def _rebuilt(storage: Storage, kind: type[_Kind], description: tuple[Any, ...]) -> _Kind:
    """A tensor of a storage and its `_description`; pickles hold this name."""
    dtype, *layout, requires_grad = description
    result = object.__new__(kind)
    array = storage.array.storage_as(dtype).view(Layout(*layout))
    Tensor.__init__(result, array, requires_grad=requires_grad)
    return result


set_tensor_class(Tensor)  # the operations below this file make these; see graph/tensor_base.py
