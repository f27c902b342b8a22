"""Normalisation over the last dimension, over the batch and over groups, and the gradients.

Rows of nothing have mean 0 and the rstd NaN, as on the CPU.
"""

from __future__ import annotations

import math
from math import prod
from typing import Any

from norch_cpu_ops import DType, DTypeError
from norch_cuda.arrays.array import CudaArray
from norch_cuda.launch.base import OperationsBase
from norch_cuda.launch.walks import NOTHING, Arguments, Shape, split_dims, vector_walk, walk
from norch_cuda.operations.reductions import fold
from norch_cuda.runtime.backend import Pointer
from norch_cuda.runtime.sources import ELEMENTS, family_source

_COLUMNS, _SHARES = 32, 8  # kWarp, kShares of normalization.cu
_LEAST_ROWS = 256  # of a chunk


class Norms(OperationsBase):
    """Rows brought to mean 0 and variance 1."""

    def layer_norm(
        self,
        x: CudaArray,
        weight: CudaArray | None = None,
        bias: CudaArray | None = None,
        eps: float = 1e-5,
    ) -> tuple[CudaArray, CudaArray, CudaArray]:
        """Return (x - mean) rstd weight + bias, mean and rstd of each row; x (..., C)."""
        out, mean, rstd = self._rows("layer_norm", x, weight, bias, eps)
        return out, mean, rstd

    def layer_norm_backward(
        self,
        grad: CudaArray,
        x: CudaArray,
        mean: CudaArray,
        rstd: CudaArray,
        weight: CudaArray | None = None,
    ) -> tuple[CudaArray, CudaArray, CudaArray]:
        """Return the gradients (dx, dweight, dbias); mean and rstd are those of layer_norm."""
        op = "layer_norm_backward"
        dx, dweight, dbias = self._rows_backward(op, grad, x, weight, rstd, mean)
        return dx, dweight, dbias

    def rms_norm(
        self, x: CudaArray, weight: CudaArray | None = None, eps: float = 1e-5
    ) -> tuple[CudaArray, CudaArray]:
        """Return x rstd weight, and rstd = 1 / sqrt(mean of x x + eps) of each row; x (..., C)."""
        out, _, rstd = self._rows("rms_norm", x, weight, None, eps)
        return out, rstd

    def rms_norm_backward(
        self, grad: CudaArray, x: CudaArray, rstd: CudaArray, weight: CudaArray | None = None
    ) -> tuple[CudaArray, CudaArray]:
        """Return the gradients (dx, dweight); rstd is that of rms_norm."""
        dx, dweight, _ = self._rows_backward("rms_norm_backward", grad, x, weight, rstd, None)
        return dx, dweight

    def _rows(
        self, op: str, x: CudaArray, weight: CudaArray | None, bias: CudaArray | None, eps: float
    ) -> tuple[CudaArray, Any, CudaArray]:
        """Return out, mean and rstd; of rms_norm the mean means nothing."""
        self._check_rows(op, x, weight=weight, bias=bias)
        out = self.new(x.shape, x.dtype)
        if x.numel == 0:
            return out, *_pair(self, x.shape[:-1], x.dtype, second=math.nan)
        rstd = self.new(x.shape[:-1], x.dtype)
        mean = None if op == "rms_norm" else self.new(x.shape[:-1], x.dtype)
        outer, _ = split_dims(x.layout, (x.ndim - 1,))
        given = (outer, x.strides[-1], x.pointer, *vector_walk(weight), *vector_walk(bias))
        results = (out.pointer, _pointer(mean), rstd.pointer)
        lines = (rstd.numel, x.shape[-1])
        self.launch_lines(
            "normalization", x.dtype, "layer_norm_kernel", *lines, *given, float(eps), *results
        )
        return out, mean, rstd

    def _rows_backward(
        self,
        op: str,
        grad: CudaArray,
        x: CudaArray,
        weight: CudaArray | None,
        rstd: CudaArray,
        mean: CudaArray | None,
    ) -> tuple[CudaArray, CudaArray, Any]:
        """Return dx, dweight and dbias, which means nothing without a mean (rms_norm)."""
        saved = {"rstd": rstd} if mean is None else {"mean": mean, "rstd": rstd}
        self._check_rows(op, x, weight=weight)
        self._check_like_rows(op, grad, x, **saved)
        rows, channels = prod(x.shape[:-1]), x.shape[-1]
        dx = self.new(x.shape, x.dtype)
        if x.numel == 0:
            return dx, *_pair(self, (channels,), x.dtype)
        arrays = [a if a is None else self.contiguous(a) for a in (grad, x, mean, rstd)]
        given = [_pointer(a) for a in arrays]
        arguments = (*given, *vector_walk(weight), dx.pointer)
        self.launch_lines(
            "normalization", x.dtype, "layer_norm_dx_kernel", rows, channels, *arguments
        )
        return dx, *self._of_channels(rows, channels, x.dtype, given)

    def _of_channels(
        self, rows: int, channels: int, dtype: DType, given: list[Pointer]
    ) -> tuple[CudaArray, CudaArray]:
        """Return dweight and dbias: sums down the columns, of many rows in chunks first."""
        blocks = -(-channels // _COLUMNS)
        chunks = max(1, min(self.backend.num_blocks // blocks, rows // _LEAST_ROWS))
        chunk = -(-rows // chunks)
        sums = [self.new((chunks, channels), dtype) for _ in range(2)]
        source = family_source("normalization", ELEMENTS[dtype.name])
        results = [a.pointer for a in sums]
        arguments: Arguments = (channels, rows, chunk, *given, *results)
        grid, block = (blocks, chunks, 1), (_COLUMNS, _SHARES, 1)
        self.backend.launch(source, "layer_norm_dweight_kernel", grid, block, arguments)
        if chunks > 1:
            sums = [fold(self, "sum", a, 0, False) for a in sums]
        dweight, dbias = (self.reshape(a, (channels,)) for a in sums)
        return dweight, dbias

    def _check_rows(self, op: str, x: CudaArray, **channels: CudaArray | None) -> None:
        """Refuse an input without rows, and weights that do not fit its channels."""
        _check_precise(self, op, x)
        if x.ndim == 0:
            raise RuntimeError(f"[{op}] x () has no dim to average over: expected (..., C)")
        _check_channels(self, op, x, x.shape[-1:], **channels)

    def _check_like_rows(
        self, op: str, grad: CudaArray, x: CudaArray, **of_rows: CudaArray
    ) -> None:
        """Refuse a gradient or statistics that do not belong to the rows of x."""
        self.check(op, grad, *of_rows.values())
        for name, array in of_rows.items():
            if grad.shape != x.shape or array.numel != prod(x.shape[:-1]):
                raise RuntimeError(
                    f"[{op}] x {x.shape} needs a grad of its shape and {name} {x.shape[:-1]}, "
                    f"got {grad.shape} and {array.shape}"
                )
            if grad.dtype is not x.dtype or array.dtype is not x.dtype:
                raise DTypeError(f"[{op}] grad and {name} must be {x.dtype.name} as x is")


class BatchNorms(OperationsBase):
    """Channels, or groups of them, brought to mean 0 and variance 1."""

    def batch_norm(
        self, x: CudaArray, weight: CudaArray | None, bias: CudaArray | None, eps: float
    ) -> tuple[CudaArray, CudaArray, CudaArray]:
        """Return (x - mean) rstd weight + bias, mean and biased var; rstd = 1 / sqrt(var + eps)."""
        self._check_images_with_channels("batch_norm", x)
        _check_channels(self, "batch_norm", x, x.shape[1:2], weight=weight, bias=bias)
        out = self.new(x.shape, x.dtype)
        if x.numel == 0:
            return out, *_pair(self, x.shape[1:2], x.dtype)
        mean, var = (self.new(x.shape[1:2], x.dtype) for _ in range(2))
        others = _all_but_channels(x)
        arguments = (
            *(*split_dims(x.layout, others), x.pointer),
            *(*vector_walk(weight), *vector_walk(bias), float(eps)),
            *(*split_dims(out.layout, others), out.pointer, mean.pointer, var.pointer),
        )
        channels = x.shape[1]
        length = x.numel // max(1, channels)
        self.launch_lines(
            "normalization", x.dtype, "batch_norm_kernel", channels, length, *arguments
        )
        return out, mean, var

    def batch_norm_eval(
        self,
        x: CudaArray,
        mean: CudaArray,
        var: CudaArray,
        weight: CudaArray | None,
        bias: CudaArray | None,
        eps: float,
    ) -> CudaArray:
        """(x - mean) / sqrt(var + eps) weight + bias with given mean and var of each channel."""
        op = "batch_norm_eval"
        self._check_images_with_channels(op, x)
        _check_channels(self, op, x, x.shape[1:2], mean=mean, var=var, weight=weight, bias=bias)
        out = self.new(x.shape, x.dtype)
        arguments = (
            *(x.shape[1], prod(x.shape[2:]), *walk(x), *vector_walk(mean), *vector_walk(var)),
            *(*vector_walk(weight), *vector_walk(bias), float(eps), out.pointer),
        )
        self.launch_elements("normalization", x.dtype, f"{op}_kernel", out.numel, *arguments)
        return out

    def batch_norm_backward(
        self,
        grad: CudaArray,
        x: CudaArray,
        mean: CudaArray,
        var: CudaArray,
        weight: CudaArray | None,
        eps: float,
    ) -> tuple[CudaArray, CudaArray, CudaArray]:
        """Return the gradients (dx, dweight, dbias); mean and var are those of batch_norm."""
        op = "batch_norm_backward"
        self._check_images_with_channels(op, x)
        self._check_alike(op, grad, x)
        _check_channels(self, op, x, x.shape[1:2], mean=mean, var=var, weight=weight)
        dx = self.new(x.shape, x.dtype)
        if x.numel == 0:
            return dx, *_pair(self, x.shape[1:2], x.dtype)
        dweight, dbias = (self.new(x.shape[1:2], x.dtype) for _ in range(2))
        kept = [self.contiguous(a) for a in (grad, x, mean, var)]
        arguments = (
            *split_dims(dx.layout, _all_but_channels(x)),
            *(a.pointer for a in kept),
            *(*vector_walk(weight), float(eps), dx.pointer, dweight.pointer, dbias.pointer),
        )
        channels = x.shape[1]
        length = x.numel // max(1, channels)
        self.launch_lines("normalization", x.dtype, f"{op}_kernel", channels, length, *arguments)
        return dx, dweight, dbias

    def group_norm(
        self,
        x: CudaArray,
        num_groups: int,
        weight: CudaArray | None,
        bias: CudaArray | None,
        eps: float,
    ) -> tuple[CudaArray, CudaArray, CudaArray]:
        """Return (x - mean) rstd weight + bias, mean and rstd (N, G) of each group of channels."""
        self._check_images_with_channels("group_norm", x)
        grouped = self._as_groups("group_norm", x, num_groups)
        _check_channels(self, "group_norm", x, x.shape[1:2], weight=weight, bias=bias)
        out = self.new(x.shape, x.dtype)
        groups = (x.shape[0], num_groups)
        if x.numel == 0:
            return out, *_pair(self, groups, x.dtype, second=math.nan)
        mean, rstd = (self.new(groups, x.dtype) for _ in range(2))
        arguments = (
            *(num_groups, prod(x.shape[2:])),
            *(*split_dims(grouped.layout, tuple(range(2, grouped.ndim))), grouped.pointer),
            *(*vector_walk(weight), *vector_walk(bias), float(eps)),
            *(out.pointer, mean.pointer, rstd.pointer),
        )
        length = prod(grouped.shape[2:])
        self.launch_lines(
            "normalization", x.dtype, "group_norm_kernel", mean.numel, length, *arguments
        )
        return out, mean, rstd

    def group_norm_backward(
        self,
        grad: CudaArray,
        x: CudaArray,
        mean: CudaArray,
        rstd: CudaArray,
        num_groups: int,
        weight: CudaArray | None,
    ) -> tuple[CudaArray, CudaArray, CudaArray]:
        """Return the gradients (dx, dweight, dbias); mean and rstd are those of group_norm."""
        op = "group_norm_backward"
        self._check_images_with_channels(op, x)
        grouped = self._as_groups(op, x, num_groups)
        self._check_alike(op, grad, x)
        _check_channels(self, op, x, x.shape[1:2], weight=weight)
        self._check_of_groups(op, x, num_groups, mean, rstd)
        dx = self.new(x.shape, x.dtype)
        if x.numel == 0:  # dweight is a sum over samples of 0 times rstd, which is NaN
            return dx, *_pair(self, x.shape[1:2], x.dtype, math.nan if x.shape[0] else 0.0)
        dweight, dbias = (self.new(x.shape[1:2], x.dtype) for _ in range(2))
        size, length = prod(x.shape[2:]), prod(grouped.shape[2:])
        kept = [self.contiguous(a) for a in (grad, x, mean, rstd)]
        given: Arguments = (num_groups, size, *(a.pointer for a in kept))
        arguments: Arguments = (*given, *vector_walk(weight), dx.pointer)
        self.launch_lines(
            "normalization", x.dtype, "group_norm_dx_kernel", mean.numel, length, *arguments
        )
        arguments = (*given, dweight.pointer, dbias.pointer)
        lines = (x.shape[1], x.shape[0] * size)
        self.launch_lines("normalization", x.dtype, "group_norm_dweight_kernel", *lines, *arguments)
        return dx, dweight, dbias

    def _as_groups(self, op: str, x: CudaArray, num_groups: int) -> CudaArray:
        """Check the groups; return (N, C, ...) seen as (N, G, C / G, ...)."""
        if num_groups < 1 or x.shape[1] % num_groups:
            raise RuntimeError(
                f"[{op}] {x.shape[1]} channels of x {x.shape} do not make {num_groups} groups"
            )
        shape = (x.shape[0], num_groups, x.shape[1] // num_groups, *x.shape[2:])
        return self.reshape(x, shape)

    def _check_images_with_channels(self, op: str, x: CudaArray) -> None:
        """Refuse an input without the dim of channels."""
        _check_precise(self, op, x)
        if x.ndim < 2:
            raise RuntimeError(f"[{op}] x {x.shape} has no channels: expected (N, C, ...)")

    def _check_alike(self, op: str, grad: CudaArray, x: CudaArray) -> None:
        """Refuse a gradient of another shape or dtype than x."""
        self.check(op, grad)
        if grad.shape != x.shape:
            raise RuntimeError(f"[{op}] grad {grad.shape} must have the shape of x {x.shape}")
        if grad.dtype is not x.dtype:
            raise DTypeError(f"[{op}] grad is {grad.dtype.name} but x {x.dtype.name}")

    def _check_of_groups(
        self, op: str, x: CudaArray, num_groups: int, mean: CudaArray, rstd: CudaArray
    ) -> None:
        """Refuse statistics that are not one number for each group of each image."""
        self.check(op, mean, rstd)
        expected = (x.shape[0], num_groups)
        if mean.shape != expected or rstd.shape != expected:
            raise RuntimeError(f"[{op}] mean {mean.shape} and rstd {rstd.shape} must be {expected}")
        if mean.dtype is not x.dtype or rstd.dtype is not x.dtype:
            raise DTypeError(f"[{op}] mean and rstd must be {x.dtype.name} as x is")


def _pointer(array: CudaArray | None) -> Pointer:
    """Return the first element as a kernel argument; null where there is no array."""
    return NOTHING if array is None else array.pointer


def _pair(
    ops: OperationsBase, shape: Shape, dtype: DType, first: float = 0.0, second: float = 0.0
) -> tuple[CudaArray, CudaArray]:
    """Two arrays, each of equal elements: results of normalizing what has no elements."""
    return ops.new_full(shape, first, dtype), ops.new_full(shape, second, dtype)


def _check_precise(ops: OperationsBase, op: str, x: CudaArray) -> None:
    """Refuse anything but float32 and float64."""
    ops.check(op, x)
    if x.dtype.name not in ("float32", "float64"):
        raise DTypeError(f"[{op}] expected x of float32 or float64, got {x.dtype.name}")


def _check_channels(
    ops: OperationsBase, op: str, x: CudaArray, shape: Shape, **given: CudaArray | None
) -> None:
    """Refuse arrays that are not of `shape`, the channels of x, or of another dtype than x."""
    for name, array in given.items():
        if array is None:
            continue
        ops.check(op, array)
        if array.shape != shape:
            raise RuntimeError(
                f"[{op}] {name} {array.shape} does not match x {x.shape}: expected ({shape[0]},)"
            )
        if array.dtype is not x.dtype:
            raise DTypeError(f"[{op}] x is {x.dtype.name} but {name} is {array.dtype.name}")


def _all_but_channels(x: CudaArray) -> tuple[int, ...]:
    """Return the dims of images (N, C, ...) that a mean of batch_norm goes over."""
    return (0, *range(2, x.ndim))
