"""Two-dimensional pooling and its gradients; images are (N, C, H, W) or (C, H, W)."""

from __future__ import annotations

import norch_cpu_ops as cpu
from norch_cuda.array import CudaArray
from norch_cuda.operations.conv import Convolution, Shape
from norch_cuda.operations.window import Sizes, Window, check_pooling, windows
from norch_strides import numel


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
    ) -> tuple[CudaArray, CudaArray]:
        """Return the largest element under each window, and its place h W + w in its plane."""
        self._check_images("max_pool2d", x)
        options = (kernel, stride, padding, dilation, ceil_mode)
        h, w = _windows("max_pool2d", x.shape, *options)
        shape = (*x.shape[:-2], h.out, w.out)
        out, index = self._empty(shape, x.dtype), self._empty(shape, cpu.int64)
        planes = self._planes(x)
        arguments = (planes.layout._replace(offset=0), planes.pointer, out.pointer, index.pointer)
        steps = [(v.out, v.kernel, v.stride, v.padding, v.dilation) for v in (h, w)]
        kernel_arguments = (*arguments, *steps[0], *steps[1])
        self._elements("pool", x.dtype, "max_pool2d_kernel", out.numel, *kernel_arguments)
        return out, index

    def max_pool2d_backward(
        self, grad: CudaArray, index: CudaArray, input_shape: Shape
    ) -> CudaArray:
        """Return zeros of the input's shape with each gradient added where the maximum was."""
        op = "max_pool2d_backward"
        self._check_images(op, grad)
        self._check(op, index)
        shape = tuple(input_shape)
        if index.shape != grad.shape:
            raise RuntimeError(f"[{op}] expected grad of shape {index.shape}, got {grad.shape}")
        fits = len(shape) == grad.ndim >= 3 and shape[:-2] == grad.shape[:-2]
        if not fits or index.dtype is not cpu.int64:
            raise RuntimeError(
                f"[{op}] index (int64) and grad {grad.shape} do not belong to an input of shape "
                f"{shape}"
            )
        planes, size = numel(shape[:-2]), grad.shape[-2] * grad.shape[-1]
        zeros = self._filled((planes, shape[-2] * shape[-1]), 0, grad.dtype)
        places, source = (self._reshaped(a, (planes, size)) for a in (index, grad))
        return self._reshaped(self._add(op, zeros, 1, source.shape, places, source), shape)

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
        self._check_images("avg_pool2d", x)
        h, w = _windows("avg_pool2d", x.shape, kernel, stride, padding, 1, ceil_mode)
        out = self._empty((*x.shape[:-2], h.out, w.out), x.dtype)
        planes = self._planes(x)
        steps = [(v.out, v.kernel, v.stride, v.padding) for v in (h, w)]
        arguments = (
            *(planes.layout._replace(offset=0), planes.pointer, out.pointer),
            *(*steps[0], *steps[1], int(count_include_pad), divisor_override),
        )
        self._elements("pool", x.dtype, "avg_pool2d_kernel", out.numel, *arguments)
        return out

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
        op = "avg_pool2d_backward"
        self._check_images(op, grad)
        shape = tuple(input_shape)
        h, w = _windows(op, shape, kernel, stride, padding, 1, ceil_mode)
        if grad.shape != (*shape[:-2], h.out, w.out):
            expected = (*shape[:-2], h.out, w.out)
            raise RuntimeError(f"[{op}] expected grad of shape {expected}, got {grad.shape}")
        dx = self._empty(shape, grad.dtype)
        planes = self._planes(grad)
        steps = [(v.size, v.kernel, v.stride, v.padding) for v in (h, w)]
        arguments = (
            *(planes.layout._replace(offset=0), planes.pointer, dx.pointer),
            *(*steps[0], *steps[1], int(count_include_pad), divisor_override),
        )
        self._elements("pool", grad.dtype, f"{op}_kernel", dx.numel, *arguments)
        return dx

    def _planes(self, x: CudaArray) -> CudaArray:
        """(..., H, W) as (planes, H, W), every image on its own."""
        return self._reshaped(x, (numel(x.shape[:-2]), *x.shape[-2:]))


def _windows(
    op: str,
    shape: Shape,
    kernel: Sizes,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    ceil_mode: bool,
) -> tuple[Window, Window]:
    if len(shape) not in (3, 4):
        raise RuntimeError(f"[{op}] expected x (N, C, H, W) or (C, H, W), got {shape}")
    both = windows(op, shape[-2:], kernel, stride, padding, dilation, ceil_mode)
    for window in both:
        check_pooling(op, window)
    return both
