"""From Python's data to arrays: nested lists, numbers, NumPy's arrays, buffers; on any device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import norch_cpu_ops
from norch_autograd.graph.tensor_base import Tensor
from norch_autograd.ops.dtype.convert import resolve_device, transfer
from norch_autograd.types.device import ops_for
from norch_autograd.types.dtype import as_dtype, get_default_dtype
from norch_autograd.types.modes import mode
from norch_cpu_ops import DType, float32

cpu_ops = norch_cpu_ops.ops
_CUDA = 2  # DLPack's number


def is_array(data: Any) -> bool:
    """Whether `data`, of which a new tensor is made, is an array of stage 2 or stage 3."""
    return isinstance(data, norch_cpu_ops.Array) or (
        hasattr(data, "ops") and hasattr(data, "layout") and not isinstance(data, Tensor)
    )


def on_gpu(data: Any) -> Any:
    """Data for a new tensor as an array, if it is another library's on a GPU; else None."""
    place = getattr(data, "__dlpack_device__", None)
    if place is not None and place()[0] != _CUDA:
        return None
    if place is None and not hasattr(data, "__cuda_array_interface__"):
        return None
    import norch_cuda

    return norch_cuda.from_dlpack(data)


def array_from(data: Any, dtype: DType | None, device: Any, op: str = "tensor") -> Any:
    """A new array with the numbers of `data`; its dtype is `dtype`, or what the data suggests."""
    if isinstance(data, Tensor):
        array = data.array.ops.clone(data.array)
    elif is_array(data):
        array = data.ops.clone(data)
    elif (theirs := on_gpu(data)) is not None:
        array = theirs.ops.clone(theirs)
    elif _has_buffer(data):
        array = cpu_ops.from_buffer(data)
    else:
        array = _from_nested(data, dtype, op)
    if dtype is not None and array.dtype is not dtype:
        array = array.ops.cast(array, dtype)
    return array if device is None else on_device(array, device)


def array_at(data: Any, dtype: Any, device: Any) -> Any:
    """`array_from` with a dtype that may be Python's, on the default device if none is named."""
    return array_from(data, dtype and as_dtype(dtype), default_place(device))


def default_place(device: Any) -> Any:
    """Where data becomes a new tensor: `device`; for None the default, if not the CPU."""
    return mode.devices[-1] if device is None and mode.devices != ("cpu",) else device


def _has_buffer(data: Any) -> bool:
    """Whether data shows its memory, as NumPy's arrays do; text is no data."""
    return hasattr(data, "__array__") or isinstance(data, (memoryview, bytes, bytearray))


def _from_nested(data: Any, dtype: DType | None, op: str) -> Any:
    """An array from a number or nested sequences, read in C++."""
    if isinstance(data, (range, set, frozenset)) or not isinstance(data, (list, tuple, int, float)):
        data = _as_list(data, op)
    try:
        array = cpu_ops.from_list(data, dtype)
    except TypeError:
        if not _holds_arrays(data):
            raise
        array = cpu_ops.from_list(_unpack(data), dtype)
    if dtype is None and array.dtype is float32 and get_default_dtype() is not float32:
        array = cpu_ops.from_list(_unpack(data), get_default_dtype())
    return array


def _as_list(data: Any, op: str) -> Any:
    """Data that is another sequence as a list; what is none is refused."""
    if isinstance(data, Sequence) and not isinstance(data, str):
        return list(data)
    raise TypeError(
        f"[{op}] cannot make a tensor of {type(data).__name__}; "
        "expected a number, nested lists or an array"
    )


def _holds_arrays(data: Any) -> bool:
    """Whether tensors or arrays stand among the items of nested lists."""
    if isinstance(data, (list, tuple)):
        return any(map(_holds_arrays, data))
    return hasattr(data, "tolist")


def _unpack(data: Any) -> Any:
    """Nested lists in which tensors and arrays have become lists too."""
    if isinstance(data, (list, tuple)):
        return [_unpack(item) for item in data]
    return data.tolist() if hasattr(data, "tolist") else data


def on_device(array: Any, device: Any) -> Any:
    """The array for a new tensor or storage on `device`, copied there if it is elsewhere."""
    place = resolve_device(device)
    return array if array.device == place else transfer(array, place)


def ops_of(device: Any) -> Any:
    """What makes a new tensor's array on `device`: an operations module; None: the default's."""
    place = mode.devices[-1] if device is None else resolve_device(device)
    return cpu_ops if place == "cpu" else ops_for(place)


def ops_beside(array: Any, device: Any) -> Any:
    """What makes a new tensor's array on `device`: an operations module; None: beside `array`."""
    return array.ops if device is None else ops_of(device)
