"""Pooling in two and three dimensions and its gradients; (N, C, ...) or (C, ...)."""

from __future__ import annotations

from functools import partialmethod
from typing import Any

import norch_cpu_ops as cpu
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import is_whole
from norch_cuda.launch.base import New, OperationsBase
from norch_cuda.launch.walks import Shape
from norch_cuda.operations.index import add_at
from norch_cuda.operations.window import (
    Sizes,
    as_planes,
    check_grad,
    check_images,
    check_pooling,
    outputs,
    volume_layout,
    windows,
)
from norch_cuda.runtime.backend import Argument, Windows
from norch_strides import numel

Pair = tuple[CudaArray, CudaArray]


class Pooling(OperationsBase):
    """One number for all that lie under a window: kernel, stride, padding."""

    def _max_pool(self, dims: int, x: CudaArray, *window: Any) -> Pair:
        """(x, kernel, stride, padding, dilation, ceil_mode=False): the largest element under each
        window, and its place (d H + h) W + w.
        """
        op = f"max_pool{dims}d"
        if isinstance(x, CudaArray) and is_whole(x.dtype) and x.dtype is not cpu.int64:
            # The longest whole numbers serve all.
            out, index = self._max_pool(dims, self.cast(x, cpu.int64), *window)
            return self.cast(out, x.dtype), index
        if not (isinstance(x, CudaArray) and x.dtype is cpu.int64):
            check_images(self, op, x)
        cut = _windows(op, dims, x.shape, *window)
        shape = (*x.shape[:-dims], *outputs(cut, dims))
        results = (New(shape), New(shape, cpu.int64))
        out, index = self.compute(
            "pool", x.dtype, "max_pool", *_volumes(self, x, dims), *results, cut
        )
        return out, index

    def _max_pool_backward(
        self, dims: int, grad: CudaArray, index: CudaArray, input_shape: Shape
    ) -> CudaArray:
        """Return zeros of the input's shape with each gradient added where the maximum was."""
        shape = tuple(input_shape)
        op = f"max_pool{dims}d_backward"
        check_images(self, op, grad)
        self.check(op, index)
        check_grad(op, grad, index.shape)
        fits = len(shape) == grad.ndim > dims and shape[:-dims] == grad.shape[:-dims]
        if not fits or index.dtype is not cpu.int64:
            raise RuntimeError(
                f"[{op}] index (int64) and grad {grad.shape} do not belong to an input of shape "
                f"{shape}"
            )
        count, size = numel(shape[:-dims]), numel(grad.shape[-dims:])
        zeros = self.new_full((count, numel(shape[-dims:])), 0, grad.dtype)
        places, source = (self.reshape(a, (count, size)) for a in (index, grad))
        return self.reshape(add_at(self, op, zeros, 1, source.shape, places, source), shape)

    def _avg_pool(self, dims: int, x: CudaArray, *window: Any) -> CudaArray:
        """(x, kernel, stride, padding, count_include_pad=True, ceil_mode=False,
        divisor_override=0): the sum under each window / divisor_override or (if 0) its places.
        """
        op = f"avg_pool{dims}d"
        check_images(self, op, x)
        cut, divisor = _averages(op, dims, x.shape, *window)
        out = New((*x.shape[:-dims], *outputs(cut, dims)))
        return self.compute(
            "pool", x.dtype, "avg_pool", *_volumes(self, x, dims), out, cut, *divisor
        )[0]

    def _avg_pool_backward(
        self, dims: int, grad: CudaArray, input_shape: Shape, *window: Any
    ) -> CudaArray:
        """(grad, input_shape, and the options of avg_pool): each window's gradient, shared out
        equally among its places.
        """
        op, shape = f"avg_pool{dims}d_backward", tuple(input_shape)
        check_images(self, op, grad)
        cut, divisor = _averages(op, dims, shape, *window)
        check_grad(op, grad, (*shape[:-dims], *outputs(cut, dims)))
        given = (*_volumes(self, grad, dims), New(shape), cut, *divisor)
        return self.compute("pool", grad.dtype, "avg_pool_backward", *given)[0]

    # Volumes have (D, H, W) where images have (H, W), which are volumes of depth 1.
    max_pool2d = partialmethod(_max_pool, 2)
    max_pool3d = partialmethod(_max_pool, 3)
    max_pool2d_backward = partialmethod(_max_pool_backward, 2)
    max_pool3d_backward = partialmethod(_max_pool_backward, 3)
    avg_pool2d = partialmethod(_avg_pool, 2)
    avg_pool3d = partialmethod(_avg_pool, 3)
    avg_pool2d_backward = partialmethod(_avg_pool_backward, 2)
    avg_pool3d_backward = partialmethod(_avg_pool_backward, 3)


def _volumes(ops: OperationsBase, x: CudaArray, dims: int) -> tuple[Argument, Argument]:
    """Return the kernel arguments of images or volumes, each on its own."""
    kept = as_planes(ops, ops.computing(x), dims)
    return volume_layout(kept.layout, dims), kept.pointer


def _averages(
    op: str, dims: int, shape: Shape, kernel: Sizes, stride: Sizes, padding: Sizes,
    count_include_pad: bool = True, ceil_mode: bool = False, divisor_override: int = 0,
) -> tuple[Windows, tuple[int, int]]:  # fmt: skip
    """Check the shape and the options of an average; return its windows, and how it divides."""
    cut = _windows(op, dims, shape, kernel, stride, padding, 1, ceil_mode)
    return cut, (int(count_include_pad), int(divisor_override))


def _windows(
    op: str, dims: int, shape: Shape, kernel: Sizes, stride: Sizes, padding: Sizes,
    dilation: Sizes, ceil_mode: bool = False,
) -> Windows:  # fmt: skip
    """Check the shape and the options of a pooling; return its windows."""
    if len(shape) not in (dims + 1, dims + 2):
        image = "H, W" if dims == 2 else "D, H, W"
        raise RuntimeError(f"[{op}] expected x (N, C, {image}) or (C, {image}), got {shape}")
    cut = windows(op, shape[-dims:], kernel, stride, padding, dilation, ceil_mode)
    for window in cut[-dims:]:
        check_pooling(op, window)
    return cut
