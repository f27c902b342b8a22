"""Arrays made from numbers, buffers, lists and other arrays; writes in place.

Copies between layouts, dtypes and devices, which all families need, are in base.py.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any

import norch_cpu_ops as cpu
from norch_cpu_ops import DType
from norch_cuda.arrays.array import CudaArray, Number, Operand
from norch_cuda.launch.base import New, OperationsBase, share_elements, source_of
from norch_cuda.launch.walks import coalesce_walk, walk
from norch_cuda.runtime.arguments import layout_bytes
from norch_cuda.runtime.backend import Table
from norch_strides import narrow, normalize_dim, unsqueeze

_PARTS = 7  # of `Parts` of copy.cu
_PART = struct.Struct("QQq264s264s")
PARTS_BYTES = _PARTS * _PART.size


def cat(ops: OperationsBase, arrays: Sequence[CudaArray], dim: int = 0) -> CudaArray:
    """Join arrays along a dimension."""
    if not arrays:
        raise RuntimeError("[cat] expected at least one array")
    ops.check("cat", *arrays)
    # PyTorch lets an empty one-dimensional array join anything.
    parts = [a for a in arrays if a.shape != (0,)] or list(arrays[:1])
    dim = normalize_dim(dim, parts[0].ndim, "cat")
    dtype = arrays[0].dtype
    for a in arrays[1:]:
        dtype = cpu.promote_types(dtype, a.dtype)
    out = ops.new(_shape_of_cat(parts, dim), dtype)
    pairs, start = [], 0
    for a in parts:
        goal = out.view(narrow(out.layout, dim, start, a.shape[dim]))
        pairs.append((ops.cast(a, dtype), goal))
        start += a.shape[dim]
    for first in range(0, len(pairs), _PARTS):
        _copy_parts(ops, pairs[first : first + _PARTS])
    return out


def _copy_parts(ops: OperationsBase, pairs: list[tuple[CudaArray, CudaArray]]) -> None:
    """Copy each array into the other in one launch."""
    content, memories = bytearray(), {}
    for a, goal in pairs:
        memories[len(content)] = a.storage.memory
        memories[len(content) + 8] = goal.storage.memory
        walks = (layout_bytes(coalesce_walk(x.shape, x.strides)) for x in (a, goal))
        content += _PART.pack(a.data_ptr, goal.data_ptr, a.numel, *walks)
    table = Table(bytes(content).ljust(PARTS_BYTES, b"\0"), memories)
    most, dtype = max(a.numel for a, _ in pairs), pairs[0][1].dtype
    if most:
        grid = share_elements(ops.backend.num_blocks, most)
        ops.backend.launch(source_of("copy", dtype), "cat_kernel", *grid, (table,))


def _shape_of_cat(parts: Sequence[CudaArray], dim: int) -> tuple[int, ...]:
    """Return the shape of `cat`; sizes may differ along `dim` alone."""
    first = parts[0].shape
    for a in parts[1:]:
        if len(a.shape) != len(first) or any(
            x != y for d, (x, y) in enumerate(zip(a.shape, first, strict=False)) if d != dim
        ):
            raise RuntimeError(
                f"[cat] shapes {first} and {a.shape} do not match: only dim {dim} may differ"
            )
    return (*first[:dim], sum(a.shape[dim] for a in parts), *first[dim + 1 :])


def stack(ops: OperationsBase, arrays: Sequence[CudaArray], dim: int = 0) -> CudaArray:
    """Join arrays of one shape along a new dimension."""
    if not arrays:
        raise RuntimeError("[stack] expected at least one array, got none")
    ops.check("stack", *arrays)
    for k, a in enumerate(arrays):
        if a.shape != arrays[0].shape:
            raise RuntimeError(
                "[stack] every array must have the same shape: number 0 has "
                f"{arrays[0].shape}, number {k} has {a.shape}"
            )
    place = normalize_dim(dim, arrays[0].ndim + 1, "stack")
    return cat(ops, [a.view(unsqueeze(a.layout, place)) for a in arrays], place)


class Creation(OperationsBase):
    """Where arrays come from."""

    def full(self, shape: Sequence[int], value: Number, dtype: DType) -> CudaArray:
        """Make an array of equal elements."""
        out = self.empty(shape, dtype)
        self.fill(out, value)
        return out

    def zeros(self, shape: Sequence[int], dtype: DType) -> CudaArray:
        """Make an array of zeros."""
        return self.full(shape, 0, dtype)

    def ones(self, shape: Sequence[int], dtype: DType) -> CudaArray:
        """Make an array of ones."""
        return self.full(shape, 1, dtype)

    def arange(self, start: Number, end: Number, step: Number, dtype: DType) -> CudaArray:
        """Make start, start + step, ... as long as it has not reached end."""
        if step == 0:
            raise RuntimeError("[arange] step is 0: expected a step that leads from start to end")
        if (end - start) / step < 0:
            raise RuntimeError(f"[arange] a step of {step} does not lead from {start} to {end}")
        result = New((math.ceil((end - start) / step),))
        numbers = (float(start), float(step), int(start), int(step))
        return self.compute("copy", dtype, "arange", *numbers, result, stored=True)[0]

    def from_buffer(self, source: Any) -> CudaArray:
        """Copy any object with a buffer (NumPy arrays, bytes, array.array) to the device."""
        return self.from_cpu(cpu.ops.share_buffer(source))

    def share_buffer(self, source: object) -> CudaArray:
        """Refuse: a device cannot use host memory in place."""
        raise RuntimeError(
            f"[share_buffer] memory of the host cannot be shared with {self.device}: "
            "use from_buffer, which copies"
        )

    def from_list(self, nested: object, dtype: DType | None = None) -> CudaArray:
        """Copy nested lists of numbers to the device; ragged lists are refused."""
        return self.from_cpu(cpu.ops.from_list(nested, dtype))

    cat = cat
    stack = stack

    def copy_(self, destination: CudaArray, source: Operand) -> None:
        """Write `source`, broadcast and cast, into `destination`."""
        if isinstance(source, (bool, int, float)):
            return self.fill_(destination, source)
        self.check("copy_", destination, source)
        walk(source, destination.shape)  # an impossible broadcast is refused before anything moves
        self.begin_write("copy_", destination)
        overlap = destination.shares_storage(source)
        self.copy(destination, self.clone(source) if overlap else source)

    def fill_(self, destination: CudaArray, value: Number) -> None:
        """Write `value` everywhere."""
        if not isinstance(value, (bool, int, float)):
            raise TypeError(f"[fill_] expected a number, got {type(value).__name__}: use copy_")
        self.begin_write("fill_", destination)
        self.fill(destination, value)
