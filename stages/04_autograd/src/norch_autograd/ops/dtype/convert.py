"""The same elements elsewhere: another dtype, another device, a copy, or outside the graph.

`to` and its short forms (`float`, `half`, `cpu`, ...) are `move`; `clone` and `contiguous` copy,
`detach` does neither. Which dtype an operation *results* in is promotion.py's question.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import norch_cpu_ops as cpu_ops
import norch_strides as strides
from norch_autograd.graph.broadcast import Clone, copy_of
from norch_autograd.graph.family import set_name
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.types.device import device as Device, ops_for
from norch_autograd.types.dtype import as_dtype
from norch_autograd.types.memory_format import (
    RANKS,
    contiguous_format,
    lies_in,
    memory_format as MemoryFormat,
    preserve_format,
)
from norch_cpu_ops import DType

Function = TypeVar("Function", bound=Callable[..., Tensor])


class ToCopy(Node):
    """dx = dy, moved back to the device and dtype of x."""

    def backward(self, grad: Tensor) -> Gradients:
        device, dtype = self.context
        return (move(grad, device, dtype),)


def move(
    input: Tensor,
    device: str | None,
    dtype: DType | None,
    copy: bool = False,
    non_blocking: bool = False,
) -> Tensor:
    """`input` on `device` (an array's device name) with `dtype`; itself if it is that already."""
    x = array_of(input)
    out = x
    if dtype is not None and x.dtype is not dtype:
        out = x.ops.cast(x, dtype)
    if device is not None and x.device != device:
        out = transfer(out, device, non_blocking)
    if out is x:
        return clone(input) if copy else input
    if not out.dtype.is_floating_point:
        return plain(out)
    return unary(ToCopy, out, input, (), (x.device, x.dtype))


def transfer(array: Any, device: str, non_blocking: bool = False) -> Any:
    """An array converted to another device: a copy of the same dtype, by way of the CPU.

    `non_blocking` copies between a GPU and pinned memory are left to the current stream.
    """
    if array.device == "cpu":
        return ops_for(device).from_cpu(array, non_blocking)
    if device == "cpu":
        return array.ops.to_cpu(array, non_blocking)
    return ops_for(device).from_cpu(array.ops.to_cpu(array))


def pin_array(array: Any) -> Any:
    """An array of the CPU converted to one in pinned memory; itself if it lies there."""
    from norch_cuda.devices.memory import pin  # here because it is slow
    from norch_cuda.runtime.pinned import is_pinned

    return array if array.device == "cpu" and is_pinned(array) else pin(array)


def pin_memory(input: Tensor) -> Tensor:
    """`input` converted to pinned memory of the CPU, where a GPU reaches it; itself if it is there.

    Then `to(device, non_blocking=True)` returns while the copy is under way. Without a GPU it is
    the simulator's pinned memory, which is ordinary.

    >>> norch.ones(2).pin_memory().is_pinned()
    True
    """
    x = array_of(input)
    out = pin_array(x)
    if out is x:
        return input
    if not x.dtype.is_floating_point:
        return plain(out)
    return unary(ToCopy, out, input, (), ("cpu", x.dtype))


FORMS = (
    "expected to(device, dtype, non_blocking, copy), to(dtype, non_blocking, copy) or "
    "to(other, non_blocking, copy)"
)


def resolve_device(device: Any) -> str:
    """The arrays' device that `to` or a new tensor names; "cuda" alone is the current GPU."""
    wanted = Device(device)
    if wanted.type != "cuda":
        return wanted.type
    return str(ops_for("cuda").device) if wanted.index is None else str(wanted)


def to(
    input: Tensor,
    *args: Any,
    dtype: DType | None = None,
    device: Any = None,
    non_blocking: bool = False,
    copy: bool = False,
    memory_format: MemoryFormat = preserve_format,
) -> Tensor:
    """Another dtype, another device or both: `to(dtype)`, `to(device)`, `to(device, dtype)`,
    `to(other)`. It is `input` itself where nothing changes and no `copy` is asked for.

    With `non_blocking`, a copy between a GPU and pinned memory of the CPU is left to the current
    stream: what is copied to the CPU, which is pinned then, is there when the stream has come past.

    >>> norch.tensor([1, 2]).to(norch.float64)
    tensor([1., 2.], dtype=norch.float64)
    """
    if len(args) == 1 and isinstance(args[0], DType):
        dtype, args = args[0], ()
    count = 1 if args and isinstance(args[0], (type, DType, Tensor)) else 2  # then come flags
    for k, arg in enumerate(args):
        is_flag, is_dtype = isinstance(arg, bool), isinstance(arg, (DType, type))
        if arg is None:
            continue
        known = is_flag if k >= count else is_dtype or (k == 0 and not is_flag)
        if not known or k > count + 1:
            raise TypeError(f"[to] argument {k + 1} is {arg!r}: {FORMS}")
        if is_dtype:
            dtype = arg
        elif isinstance(arg, Tensor):
            dtype, device = arg.array.dtype, arg.array.device
        elif not is_flag:
            device = arg
    if len(args) > count:
        non_blocking = non_blocking or args[count] is True
        copy = copy or args[count + 1 :] == (True,)
    place = None if device is None else resolve_device(device)
    found = move(input, place, as_dtype(dtype), copy, non_blocking)
    return found if memory_format is preserve_format else rearrange(found, memory_format)


def type_as(input: Tensor, other: Tensor) -> Tensor:
    """`input` with the dtype and device of `other`; itself if they are its own.

    >>> norch.tensor([1]).type_as(norch.tensor([1.5]))
    tensor([1.])
    """
    y = array_of(other)
    return move(input, y.device, y.dtype)


def cpu(input: Tensor) -> Tensor:
    """`input` on the CPU; itself if it is there.

    >>> norch.ones(1).cpu().device
    device(type='cpu')
    """
    return move(input, "cpu", None)


def cuda(input: Tensor, device: Any = None, non_blocking: bool = False) -> Tensor:
    """`input` on a GPU, the current one or the one named; itself if it is there. RuntimeError where
    there is none, or where `device` is no GPU.
    """
    place = Device("cuda") if device is None else Device(device)
    if place.type == "cpu":
        raise RuntimeError(f"[cuda] expected a GPU, got device {device!r}: use to() or cpu()")
    return to(input, device=place, non_blocking=non_blocking)


def float_(input: Tensor, memory_format: MemoryFormat = preserve_format) -> Tensor:
    """As float32; `input` itself if it is that.

    >>> norch.tensor([1]).float()
    tensor([1.])
    """
    return rearrange(move(input, None, cpu_ops.float32), memory_format)


def _cast_to(dtype: DType, name: str, like: Function) -> Function:
    """`like`, a cast that is written out, for another dtype: `x.long()` beside `x.float()`."""

    def cast(input: Tensor, memory_format: MemoryFormat = preserve_format) -> Tensor:
        return rearrange(move(input, None, dtype), memory_format)

    set_name(cast, name)
    cast.__doc__ = f"As {dtype.name}; `input` itself if it is that."
    return cast  # type: ignore[return-value]


double = _cast_to(cpu_ops.float64, "double", float_)
half = _cast_to(cpu_ops.float16, "half", float_)
to_bfloat16 = _cast_to(cpu_ops.bfloat16, "to_bfloat16", float_)
long = _cast_to(cpu_ops.int64, "long", float_)
int_ = _cast_to(cpu_ops.int32, "int_", float_)
short = _cast_to(cpu_ops.int16, "short", float_)
byte = _cast_to(cpu_ops.uint8, "byte", float_)
char = _cast_to(cpu_ops.int8, "char", float_)
to_bool = _cast_to(cpu_ops.bool_, "to_bool", float_)


def clone(input: Tensor, *, memory_format: MemoryFormat = preserve_format) -> Tensor:
    """A copy of the same dtype with its own storage, laid out as `memory_format` asks.

    >>> norch.clone(norch.tensor([1.]))
    tensor([1.])
    """
    array_of(input)
    copy = copy_of(input)
    return copy if memory_format is preserve_format else rearrange(copy, memory_format)


def contiguous(input: Tensor, *, memory_format: MemoryFormat = contiguous_format) -> Tensor:
    """Converted to rows without gaps in memory (or as `memory_format` says): itself if it lies so,
    else a copy that does.

    >>> norch.zeros(2, 3).T.contiguous().stride()
    (2, 1)
    """
    if memory_format is not contiguous_format:
        return rearrange(input, memory_format)
    return input if array_of(input).is_contiguous else clone(input)


def rearrange(input: Tensor, order: MemoryFormat) -> Tensor:
    """`input` converted to another order of its elements in memory; itself if they are in it.

    >>> x = norch.zeros(1, 2, 3, 4)
    >>> x.contiguous(memory_format=norch.channels_last).stride()
    (24, 1, 8, 2)
    """
    if order is preserve_format:
        return input
    if lies_in(input, order):
        return input
    if order is contiguous_format:
        return clone(input)
    ndim = input.array.ndim
    if ndim != RANKS[order]:
        raise RuntimeError(
            f"[contiguous] {order!r} is for tensors of {RANKS[order]} dimensions, got {ndim}"
        )
    x = input.array
    inner = x.ops.clone(x.view(strides.permute(x.layout, (0, *range(2, ndim), 1))))
    outer = inner.view(strides.permute(inner.layout, (0, ndim - 1, *range(1, ndim - 1))))
    return unary(Clone, outer, input)


def detach(input: Tensor) -> Tensor:
    """The same storage and dtype, outside the graph.

    >>> norch.ones(1, requires_grad=True).detach().requires_grad
    False
    """
    return plain(array_of(input))
