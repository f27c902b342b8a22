"""Normalisation over the last dimension, and its gradients.

Rows of nothing have mean 0 and the rstd NaN, as on the CPU.
"""

from __future__ import annotations

import math
from math import prod

from norch_cpu_ops import DTypeError
from norch_cuda.arrays.array import CudaArray
from norch_cuda.operations.base import OperationsBase
from norch_cuda.operations.walks import Shape, split_dims, vector_walk


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
        self._check_rows("layer_norm", x, weight=weight, bias=bias)
        out = self.new(x.shape, x.dtype)
        if x.numel == 0:
            return out, *(self.filled(x.shape[:-1], v, x.dtype) for v in (0.0, math.nan))
        mean, rstd = (self.new(x.shape[:-1], x.dtype) for _ in range(2))
        outer, _ = split_dims(x.layout, (x.ndim - 1,))
        given = (outer, x.strides[-1], x.pointer, *vector_walk(weight), *vector_walk(bias))
        arguments = (*given, float(eps), out.pointer, mean.pointer, rstd.pointer)
        rows, channels = mean.numel, x.shape[-1]
        self.launch_lines("norm", x.dtype, "layer_norm_kernel", rows, channels, *arguments)
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
        self._check_rows(op, x, weight=weight)
        self._check_like_rows(op, grad, x, mean=mean, rstd=rstd)
        rows, channels = prod(x.shape[:-1]), x.shape[-1]
        dx = self.new(x.shape, x.dtype)
        if x.numel == 0:
            return dx, *(self.filled((channels,), 0.0, x.dtype) for _ in range(2))
        dweight, dbias = (self.new((channels,), x.dtype) for _ in range(2))
        kept = [self.contiguous(a) for a in (grad, x, mean, rstd)]
        given = [a.pointer for a in kept]
        arguments = (*given, *vector_walk(weight), dx.pointer)
        self.launch_lines("norm", x.dtype, "layer_norm_dx_kernel", rows, channels, *arguments)
        arguments = (*given, dweight.pointer, dbias.pointer)
        self.launch_lines("norm", x.dtype, "layer_norm_dweight_kernel", channels, rows, *arguments)
        return dx, dweight, dbias

    def rms_norm(
        self, x: CudaArray, weight: CudaArray | None = None, eps: float = 1e-5
    ) -> tuple[CudaArray, CudaArray]:
        """Return x rstd weight, and rstd = 1 / sqrt(mean of x x + eps) of each row; x (..., C)."""
        self._check_rows("rms_norm", x, weight=weight)
        out = self.new(x.shape, x.dtype)
        if x.numel == 0:
            return out, self.filled(x.shape[:-1], math.nan, x.dtype)
        rstd = self.new(x.shape[:-1], x.dtype)
        outer, _ = split_dims(x.layout, (x.ndim - 1,))
        arguments = (outer, x.strides[-1], x.pointer, *vector_walk(weight), float(eps))
        results = (out.pointer, rstd.pointer)
        rows, channels = rstd.numel, x.shape[-1]
        self.launch_lines("norm", x.dtype, "rms_norm_kernel", rows, channels, *arguments, *results)
        return out, rstd

    def rms_norm_backward(
        self, grad: CudaArray, x: CudaArray, rstd: CudaArray, weight: CudaArray | None = None
    ) -> tuple[CudaArray, CudaArray]:
        """Return the gradients (dx, dweight); rstd is that of rms_norm."""
        op = "rms_norm_backward"
        self._check_rows(op, x, weight=weight)
        self._check_like_rows(op, grad, x, rstd=rstd)
        rows, channels = prod(x.shape[:-1]), x.shape[-1]
        dx = self.new(x.shape, x.dtype)
        if x.numel == 0:
            return dx, self.filled((channels,), 0.0, x.dtype)
        dweight = self.new((channels,), x.dtype)
        kept = [self.contiguous(a) for a in (grad, x, rstd)]
        given = [a.pointer for a in kept]
        arguments = (*given, *vector_walk(weight), dx.pointer)
        self.launch_lines("norm", x.dtype, "rms_norm_dx_kernel", rows, channels, *arguments)
        arguments = (*given, dweight.pointer)
        self.launch_lines("norm", x.dtype, "rms_norm_dweight_kernel", channels, rows, *arguments)
        return dx, dweight

    def _check_rows(self, op: str, x: CudaArray, **channels: CudaArray | None) -> None:
        check_precise(self, op, x)
        if x.ndim == 0:
            raise RuntimeError(f"[{op}] x () has no dim to average over: expected (..., C)")
        check_channels(self, op, x, x.shape[-1:], **channels)

    def _check_like_rows(
        self, op: str, grad: CudaArray, x: CudaArray, **of_rows: CudaArray
    ) -> None:
        self.check(op, grad, *of_rows.values())
        for name, array in of_rows.items():
            if grad.shape != x.shape or array.numel != prod(x.shape[:-1]):
                raise RuntimeError(
                    f"[{op}] x {x.shape} needs a grad of its shape and {name} {x.shape[:-1]}, "
                    f"got {grad.shape} and {array.shape}"
                )
            if grad.dtype is not x.dtype or array.dtype is not x.dtype:
                raise DTypeError(f"[{op}] grad and {name} must be {x.dtype.name} as x is")


def check_precise(ops: OperationsBase, op: str, x: CudaArray) -> None:
    """Refuse anything but float32 and float64."""
    ops.check(op, x)
    if x.dtype.name not in ("float32", "float64"):
        raise DTypeError(f"[{op}] expected x of float32 or float64, got {x.dtype.name}")


def check_channels(
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
