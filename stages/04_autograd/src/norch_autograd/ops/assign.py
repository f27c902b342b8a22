"""Assignment through square brackets: `x[key] = value`, recorded like every other edit in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import norch_cpu_ops
import norch_strides as strides
from norch_autograd.graph import TensorBase, plain
from norch_autograd.ops.choice import where
from norch_autograd.ops.index import getitem
from norch_autograd.ops.inplace import copy_, edit, fill_, masked_fill_
from norch_autograd.ops.scatter import scatter

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor


def setitem(input: Tensor, key: Any, value: Any) -> None:
    """`input[key] = value`.

    >>> import norch_autograd as norch
    >>> x = norch.zeros(3)
    >>> x[1:] = norch.tensor([4., 5.])
    >>> x[[0, 0]] = 1
    >>> x
    tensor([1., 4., 5.])
    """
    if strides.is_basic_index(key):
        part = getitem(input, key)
        _put(part, value)
    elif _masks_all(input, key) and not (isinstance(value, TensorBase) and value.array.ndim):
        masked_fill_(input, key, value)
    else:
        _put_rows(input, key, value)


def _put(part: Tensor, value: Any) -> None:
    """Write a tensor or a number into a view."""
    if isinstance(value, TensorBase):
        copy_(part, _squeezed(value, part.array.ndim))
    elif isinstance(value, (int, float)):
        fill_(part, value)
    else:
        copy_(part, plain(part.array.ops.from_cpu(_from_data(value))))


def _from_data(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return norch_cpu_ops.ops.from_list(value, None)
    return norch_cpu_ops.ops.from_buffer(value)


def _squeezed(value: Any, ndim: int) -> Any:
    """Leading sizes of 1 may be more than the target has, as in PyTorch."""
    shape = value.array.shape
    while len(shape) > ndim and shape[0] == 1:
        shape = shape[1:]
    return value if shape == value.array.shape else value.reshape(shape)


def _masks_all(input: Tensor, key: Any) -> bool:
    """Whether `key` is one mask of the input's own shape."""
    return (
        isinstance(key, TensorBase)
        and key.array.dtype.name == "bool"
        and key.array.shape == input.array.shape
    )


def _put_rows(input: Tensor, key: Any, value: Any) -> None:
    """Write where index tensors say; of repeated indices the last one counts."""
    numbers = plain(input.array.ops.arange(0, input.array.numel, 1, norch_cpu_ops.int64))
    places = getitem(numbers.reshape(input.array.shape), key)
    if not isinstance(value, TensorBase):
        filled = plain(input.array.ops.empty(places.array.shape, input.array.dtype))
        _put(filled, value)
        value = filled
    value = _squeezed(value, places.array.ndim).to(input.array.dtype).expand(places.array.shape)
    flat = places.reshape(-1)
    if not flat.array.numel:
        return

    def index_put(old: Tensor, value: Tensor) -> Tensor:
        source = _blamed_once(old, flat, value.reshape(-1)) if value.tracked else value.reshape(-1)
        return scatter(old.reshape(-1), 0, flat, source).reshape(old.array.shape)

    edit(input, index_put, value)


def _blamed_once(old: Tensor, flat: Tensor, value: Tensor) -> Tensor:
    """`value`, of which only what is not overwritten by a later equal index gets blame."""
    ops = old.array.ops
    turns = plain(ops.arange(0, flat.array.numel, 1, norch_cpu_ops.int64))
    nobody = plain(ops.zeros((old.array.numel,), norch_cpu_ops.int64))
    last = scatter(nobody, 0, flat, turns).index_select(0, flat) == turns
    return where(last, value, value.detach())
