"""Batches as bytes, for the way from a worker to the main process.

Pickle does the work, but a tensor travels as its raw memory: as a list of numbers it would take
longer than to make.
"""

from __future__ import annotations

import io
import pickle
from typing import Any

from norch_autograd import Tensor, bfloat16, float32
from norch_cpu_ops import DType
from norch_nn.serialization.files import from_bytes


class Pickler(pickle.Pickler):
    """A pickler that writes the memory of tensors."""

    def reducer_override(self, obj: Any) -> Any:
        """Say how a tensor is written; leave the rest to pickle."""
        if not isinstance(obj, Tensor):
            return NotImplemented
        tensor = obj.detach().cpu()
        # memoryview knows no bfloat16; float32 holds all its numbers.
        stored = tensor.to(float32) if obj.dtype == bfloat16 else tensor
        data = bytes(memoryview(stored.contiguous().array)) if obj.numel() else b""
        return rebuilt, (type(obj), data, stored.dtype, obj.dtype, tuple(obj.shape))


def rebuilt(
    kind: type[Tensor], data: bytes, stored: DType, dtype: DType, shape: tuple[int, ...]
) -> Tensor:
    """Make the tensor again, on the CPU."""
    tensor = from_bytes(data, stored, shape).to(dtype)
    return tensor if kind is Tensor else kind(tensor)


def dumps(obj: Any) -> bytes:
    """Return `obj` as bytes.

    >>> loads(dumps([norch.tensor([1.0, 2.0]), "a"]))
    [tensor([1., 2.]), 'a']
    """
    file = io.BytesIO()
    Pickler(file, protocol=5).dump(obj)
    return file.getvalue()


loads = pickle.loads
