"""batch_norm and group_norm of images (N, C, ...), and their gradients."""

from __future__ import annotations

import math
from math import prod

from norch_cpu_ops import DTypeError
from norch_cuda.arrays.array import CudaArray
from norch_cuda.operations.base import OperationsBase
from norch_cuda.operations.norm import check_channels, check_precise
from norch_cuda.operations.walks import split_dims, vector_walk, walk


class BatchNorms(OperationsBase):
    """Channels, or groups of them, brought to mean 0 and variance 1."""

    def batch_norm(
        self, x: CudaArray, weight: CudaArray | None, bias: CudaArray | None, eps: float
    ) -> tuple[CudaArray, CudaArray, CudaArray]:
        """Return (x - mean) rstd weight + bias, mean and biased var; rstd = 1 / sqrt(var + eps)."""
        self._check_images_with_channels("batch_norm", x)
        check_channels(self, "batch_norm", x, x.shape[1:2], weight=weight, bias=bias)
        out = self.new(x.shape, x.dtype)
        if x.numel == 0:
            return out, *(self.filled(x.shape[1:2], 0.0, x.dtype) for _ in range(2))
        mean, var = (self.new(x.shape[1:2], x.dtype) for _ in range(2))
        others = _all_but_channels(x)
        arguments = (
            *(*split_dims(x.layout, others), x.pointer),
            *(*vector_walk(weight), *vector_walk(bias), float(eps)),
            *(*split_dims(out.layout, others), out.pointer, mean.pointer, var.pointer),
        )
        channels = x.shape[1]
        length = x.numel // max(1, channels)
        self.launch_lines("batch_norm", x.dtype, "batch_norm_kernel", channels, length, *arguments)
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
        check_channels(self, op, x, x.shape[1:2], mean=mean, var=var, weight=weight, bias=bias)
        out = self.new(x.shape, x.dtype)
        arguments = (
            *(x.shape[1], prod(x.shape[2:]), *walk(x), *vector_walk(mean), *vector_walk(var)),
            *(*vector_walk(weight), *vector_walk(bias), float(eps), out.pointer),
        )
        self.launch_elements("batch_norm", x.dtype, f"{op}_kernel", out.numel, *arguments)
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
        check_channels(self, op, x, x.shape[1:2], mean=mean, var=var, weight=weight)
        dx = self.new(x.shape, x.dtype)
        if x.numel == 0:
            return dx, *(self.filled(x.shape[1:2], 0.0, x.dtype) for _ in range(2))
        dweight, dbias = (self.new(x.shape[1:2], x.dtype) for _ in range(2))
        kept = [self.contiguous(a) for a in (grad, x, mean, var)]
        arguments = (
            *split_dims(dx.layout, _all_but_channels(x)),
            *(a.pointer for a in kept),
            *(*vector_walk(weight), float(eps), dx.pointer, dweight.pointer, dbias.pointer),
        )
        channels = x.shape[1]
        length = x.numel // max(1, channels)
        self.launch_lines("batch_norm", x.dtype, f"{op}_kernel", channels, length, *arguments)
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
        grouped = self._grouped("group_norm", x, num_groups)
        check_channels(self, "group_norm", x, x.shape[1:2], weight=weight, bias=bias)
        out = self.new(x.shape, x.dtype)
        groups = (x.shape[0], num_groups)
        if x.numel == 0:
            return out, *(self.filled(groups, v, x.dtype) for v in (0.0, math.nan))
        mean, rstd = (self.new(groups, x.dtype) for _ in range(2))
        arguments = (
            *(num_groups, prod(x.shape[2:])),
            *(*split_dims(grouped.layout, tuple(range(2, grouped.ndim))), grouped.pointer),
            *(*vector_walk(weight), *vector_walk(bias), float(eps)),
            *(out.pointer, mean.pointer, rstd.pointer),
        )
        length = prod(grouped.shape[2:])
        self.launch_lines(
            "batch_norm", x.dtype, "group_norm_kernel", mean.numel, length, *arguments
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
        grouped = self._grouped(op, x, num_groups)
        self._check_alike(op, grad, x)
        check_channels(self, op, x, x.shape[1:2], weight=weight)
        self._check_of_groups(op, x, num_groups, mean, rstd)
        dx = self.new(x.shape, x.dtype)
        if x.numel == 0:  # dweight is a sum over samples of 0 times rstd, which is NaN
            values = (math.nan if x.shape[0] else 0.0, 0.0)
            return dx, *(self.filled(x.shape[1:2], v, x.dtype) for v in values)
        dweight, dbias = (self.new(x.shape[1:2], x.dtype) for _ in range(2))
        size, length = prod(x.shape[2:]), prod(grouped.shape[2:])
        kept = [self.contiguous(a) for a in (grad, x, mean, rstd)]
        given = (num_groups, size, *(a.pointer for a in kept))
        arguments = (*given, *vector_walk(weight), dx.pointer)
        self.launch_lines(
            "batch_norm", x.dtype, "group_norm_dx_kernel", mean.numel, length, *arguments
        )
        arguments = (*given, dweight.pointer, dbias.pointer)
        lines = (x.shape[1], x.shape[0] * size)
        self.launch_lines("batch_norm", x.dtype, "group_norm_dweight_kernel", *lines, *arguments)
        return dx, dweight, dbias

    def _grouped(self, op: str, x: CudaArray, num_groups: int) -> CudaArray:
        """Check the groups; return (N, C, ...) seen as (N, G, C / G, ...)."""
        if num_groups < 1 or x.shape[1] % num_groups:
            raise RuntimeError(
                f"[{op}] {x.shape[1]} channels of x {x.shape} do not make {num_groups} groups"
            )
        shape = (x.shape[0], num_groups, x.shape[1] // num_groups, *x.shape[2:])
        return self.reshaped(x, shape)

    def _check_images_with_channels(self, op: str, x: CudaArray) -> None:
        check_precise(self, op, x)
        if x.ndim < 2:
            raise RuntimeError(f"[{op}] x {x.shape} has no channels: expected (N, C, ...)")

    def _check_alike(self, op: str, grad: CudaArray, x: CudaArray) -> None:
        self.check(op, grad)
        if grad.shape != x.shape:
            raise RuntimeError(f"[{op}] grad {grad.shape} must have the shape of x {x.shape}")
        if grad.dtype is not x.dtype:
            raise DTypeError(f"[{op}] grad is {grad.dtype.name} but x {x.dtype.name}")

    def _check_of_groups(
        self, op: str, x: CudaArray, num_groups: int, mean: CudaArray, rstd: CudaArray
    ) -> None:
        self.check(op, mean, rstd)
        expected = (x.shape[0], num_groups)
        if mean.shape != expected or rstd.shape != expected:
            raise RuntimeError(f"[{op}] mean {mean.shape} and rstd {rstd.shape} must be {expected}")
        if mean.dtype is not x.dtype or rstd.dtype is not x.dtype:
            raise DTypeError(f"[{op}] mean and rstd must be {x.dtype.name} as x is")


def _all_but_channels(x: CudaArray) -> tuple[int, ...]:
    return (0, *range(2, x.ndim))
