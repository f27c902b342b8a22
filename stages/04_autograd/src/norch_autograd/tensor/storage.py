"""Storages, as `untyped_storage`, `pickle` and `deepcopy` show them: memory that tensors share.

The last two know an object that they have met before by its identity. A storage has no object of
its own in Python, so it gets one here when a tensor is copied, the same for all its tensors. As in
PyTorch the whole storage is copied, however little of it the tensors show: `clone()` a part first.
"""

from __future__ import annotations

import threading
from typing import Any
from weakref import WeakValueDictionary

from norch_autograd.creation.from_data import cpu_ops, on_device
from norch_cpu_ops import uint8


class Storage:
    """All bytes of a storage; `array` is a view of them."""

    __slots__ = ("__weakref__", "array")

    def __init__(self, array: Any) -> None:
        self.array = array

    def nbytes(self) -> int:
        """How many bytes a tensor's storage has.

        >>> norch.ones(2, 3)[1:].untyped_storage().nbytes()
        24
        """
        return int(self.array.numel)

    def data_ptr(self) -> int:
        """The address of a storage's first byte."""
        return int(self.array.data_ptr)

    def __len__(self) -> int:
        return self.nbytes()

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes()

    def __deepcopy__(self, memo: dict[int, Any]) -> Storage:
        return Storage(self.array.ops.clone(self.array))

    def __reduce__(self) -> tuple[Any, ...]:
        array = getattr(self.array, "__norch_array__", self.array)  # computed, if it is late
        array = array.ops.to_cpu(array)
        return _unpickled, (bytes(memoryview(array)), str(self.array.device))


class _Known(threading.local):
    """The storages that are being copied: each lives as long as a pickler or a memo holds it."""

    def __init__(self) -> None:
        self.storages: WeakValueDictionary[tuple[str, int, int], Storage] = WeakValueDictionary()


_known = _Known()


def storage_of(array: Any) -> Storage:
    """The storage behind an array: the same object for every view, while anybody holds it.

    >>> x = norch.arange(4)
    >>> one, same = storage_of(x.array), storage_of(x[2:].array)
    >>> one is same, one.array.numel
    (True, 32)
    """
    line = array.storage_as(uint8)
    return _known.storages.setdefault((line.device, line.data_ptr, line.numel), Storage(line))


def _unpickled(data: bytes, device: str) -> Storage:
    """A storage out of a pickle; pickles hold this name."""
    array = cpu_ops.empty((len(data),), uint8)
    memoryview(array)[:] = data
    return Storage(on_device(array, device))
