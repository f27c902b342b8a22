"""Pooling in two and three dimensions and its gradients; (N, C, ...) or (C, ...)."""

from __future__ import annotations

import norch_cpu_ops as cpu
from norch_cuda.array import CudaArray
from norch_cuda.operations.conv import Convolution, Shape, check_grad, whole
from norch_cuda.operations.window import Sizes, Window, check_pooling, windows
from norch_cuda.promotion import computing_dtype
from norch_strides import numel

Pair = tuple[CudaArray, CudaArray]


class Pooling(Convolution):
    """One number for all that lie under a window."""

    def max_pool2d(
        self,
        x: CudaArray,
        kernel: Sizes,
        stride: Sizes,
        padding: Sizes,
        dilation: Sizes,
        ceil_mode: bool = False,
    ) -> Pair:
        """Return the largest element under each window, and its place h W + w in its plane."""
        return self._max_pool(2, x, kernel, stride, padding, dilation, ceil_mode)

    def max_pool3d(
        self,
        x: CudaArray,
        kernel: Sizes,
        stride: Sizes,
        padding: Sizes,
        dilation: Sizes,
        ceil_mode: bool = False,
    ) -> Pair:
        """Return the largest element under each window, and its place (d H + h) W + w."""
        return self._max_pool(3, x, kernel, stride, padding, dilation, ceil_mode)

    def max_pool2d_backward(
        self, grad: CudaArray, index: CudaArray, input_shape: Shape
    ) -> CudaArray:
        """Return zeros of the input's shape with each gradient added where the maximum was."""
        return self._max_pool_backward(2, grad, index, tuple(input_shape))

    def max_pool3d_backward(
        self, grad: CudaArray, index: CudaArray, input_shape: Shape
    ) -> CudaArray:
        """Return zeros of the input's shape with each gradient added where the maximum was."""
        return self._max_pool_backward(3, grad, index, tuple(input_shape))

    def avg_pool2d(
        self,
        x: CudaArray,
        kernel: Sizes,
        stride: Sizes,
        padding: Sizes,
        count_include_pad: bool = True,
        ceil_mode: bool = False,
        divisor_override: int = 0,
    ) -> CudaArray:
        """Return the sum under each window / divisor_override or (if 0) its number of places."""
        divisor = (count_include_pad, divisor_override)
        return self._avg_pool(2, x, kernel, stride, padding, ceil_mode, divisor)

    def avg_pool3d(
        self,
        x: CudaArray,
        kernel: Sizes,
        stride: Sizes,
        padding: Sizes,
        count_include_pad: bool = True,
        ceil_mode: bool = False,
        divisor_override: int = 0,
    ) -> CudaArray:
        """Return the sum under each window / divisor_override or (if 0) its number of places."""
        divisor = (count_include_pad, divisor_override)
        return self._avg_pool(3, x, kernel, stride, padding, ceil_mode, divisor)

    def avg_pool2d_backward(
        self,
        grad: CudaArray,
        input_shape: Shape,
        kernel: Sizes,
        stride: Sizes,
        padding: Sizes,
        count_include_pad: bool = True,
        ceil_mode: bool = False,
        divisor_override: int = 0,
    ) -> CudaArray:
        """Return each window's gradient, shared out equally among its places."""
        window, divisor = (kernel, stride, padding), (count_include_pad, divisor_override)
        return self._avg_pool_backward(2, grad, tuple(input_shape), window, ceil_mode, divisor)

    def avg_pool3d_backward(
        self,
        grad: CudaArray,
        input_shape: Shape,
        kernel: Sizes,
        stride: Sizes,
        padding: Sizes,
        count_include_pad: bool = True,
        ceil_mode: bool = False,
        divisor_override: int = 0,
    ) -> CudaArray:
        """Return each window's gradient, shared out equally among its places."""
        window, divisor = (kernel, stride, padding), (count_include_pad, divisor_override)
        return self._avg_pool_backward(3, grad, tuple(input_shape), window, ceil_mode, divisor)

    # ---- for both numbers of dimensions ----

    def _max_pool(
        self,
        dims: int,
        x: CudaArray,
        kernel: Sizes,
        stride: Sizes,
        padding: Sizes,
        dilation: Sizes,
        ceil_mode: bool,
    ) -> Pair:
        op = f"max_pool{dims}d"
        self._check_images(op, x)
        cut = _windows(op, dims, x.shape, kernel, stride, padding, dilation, ceil_mode)
        shape, dtype = (*x.shape[:-dims], *(w.out for w in cut)), computing_dtype(x.dtype)
        out, index = self._empty(shape, dtype), self._empty(shape, cpu.int64)
        planes = self._planes(self.cast(x, dtype), dims)
        steps = [n for w in cut for n in (w.out, w.kernel, w.stride, w.padding, w.dilation)]
        arguments = (*whole(planes), out.pointer, index.pointer, *steps)
        self._elements(_family(dims), dtype, f"{op}_kernel", out.numel, *arguments)
        return self.cast(out, x.dtype), index

    def _max_pool_backward(
        self, dims: int, grad: CudaArray, index: CudaArray, shape: Shape
    ) -> CudaArray:
        op = f"max_pool{dims}d_backward"
        self._check_images(op, grad)
        self._check(op, index)
        check_grad(op, grad, index.shape)
        fits = len(shape) == grad.ndim > dims and shape[:-dims] == grad.shape[:-dims]
        if not fits or index.dtype is not cpu.int64:
            raise RuntimeError(
                f"[{op}] index (int64) and grad {grad.shape} do not belong to an input of shape "
                f"{shape}"
            )
        planes, size = numel(shape[:-dims]), numel(grad.shape[-dims:])
        zeros = self._filled((planes, numel(shape[-dims:])), 0, grad.dtype)
        places, source = (self._reshaped(a, (planes, size)) for a in (index, grad))
        return self._reshaped(self._add(op, zeros, 1, source.shape, places, source), shape)

    def _avg_pool(
        self,
        dims: int,
        x: CudaArray,
        kernel: Sizes,
        stride: Sizes,
        padding: Sizes,
        ceil_mode: bool,
        divisor: tuple[bool, int],
    ) -> CudaArray:
        op = f"avg_pool{dims}d"
        self._check_images(op, x)
        cut = _windows(op, dims, x.shape, kernel, stride, padding, 1, ceil_mode)
        dtype = computing_dtype(x.dtype)
        out = self._empty((*x.shape[:-dims], *(w.out for w in cut)), dtype)
        planes = self._planes(self.cast(x, dtype), dims)
        steps = [n for w in cut for n in (w.out, w.kernel, w.stride, w.padding)]
        arguments = (*whole(planes), out.pointer, *steps, *map(int, divisor))
        self._elements(_family(dims), dtype, f"{op}_kernel", out.numel, *arguments)
        return self.cast(out, x.dtype)

    def _avg_pool_backward(
        self,
        dims: int,
        grad: CudaArray,
        shape: Shape,
        window: tuple[Sizes, Sizes, Sizes],
        ceil_mode: bool,
        divisor: tuple[bool, int],
    ) -> CudaArray:
        op = f"avg_pool{dims}d_backward"
        self._check_images(op, grad)
        cut = _windows(op, dims, shape, *window, 1, ceil_mode)
        check_grad(op, grad, (*shape[:-dims], *(w.out for w in cut)))
        dtype = computing_dtype(grad.dtype)
        dx, planes = self._empty(shape, dtype), self._planes(self.cast(grad, dtype), dims)
        steps = [n for w in cut for n in (w.size, w.kernel, w.stride, w.padding)]
        arguments = (*whole(planes), dx.pointer, *steps, *map(int, divisor))
        self._elements(_family(dims), dtype, f"{op}_kernel", dx.numel, *arguments)
        return self.cast(dx, grad.dtype)

    def _planes(self, x: CudaArray, dims: int = 2) -> CudaArray:
        """(..., H, W) as (planes, H, W), every image on its own; with dims 3 (..., D, H, W)."""
        return self._reshaped(x, (numel(x.shape[:-dims]), *x.shape[-dims:]))


def _family(dims: int) -> str:
    return "pool" if dims == 2 else "pool3d"


def _windows(
    op: str,
    dims: int,
    shape: Shape,
    kernel: Sizes,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    ceil_mode: bool,
) -> tuple[Window, ...]:
    if len(shape) not in (dims + 1, dims + 2):
        image = "H, W" if dims == 2 else "D, H, W"
        raise RuntimeError(f"[{op}] expected x (N, C, {image}) or (C, {image}), got {shape}")
    all_of_them = windows(op, shape[-dims:], kernel, stride, padding, dilation, ceil_mode)
    for window in all_of_them:
        check_pooling(op, window)
    return all_of_them
