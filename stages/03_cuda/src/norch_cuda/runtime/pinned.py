"""Pinned memory: memory of the host that stays where it is, so that a GPU reaches it by itself.

A copy from or to it can be left to a stream while the program goes on; other memory of the host may
be moved, and a copy of it is waited for. The backends supply the bytes; launch/base.py copies.
"""

from __future__ import annotations

import ctypes
from math import prod
from typing import Any
from weakref import WeakValueDictionary

import norch_cpu_ops as cpu
from norch_cpu_ops import DType

_alive: WeakValueDictionary[int, Any] = WeakValueDictionary()  # by where each begins


def pinned_array(buffer: Any, shape: tuple[int, ...], dtype: DType) -> cpu.Array:
    """An array over pinned bytes, which it holds; its elements are undefined."""
    held = (ctypes.c_uint8 * (prod(shape) * dtype.itemsize)).from_buffer(buffer)
    _alive[ctypes.addressof(held)] = held
    return cpu.ops.share_buffer(held).storage_as(dtype).reshape(shape)


def is_pinned(array: cpu.Array) -> bool:
    """Whether an array of the host, or the one it is a view of, lies in pinned memory."""
    return array.data_ptr - array.offset * array.itemsize in _alive
