"""Planes of another size: adaptive pooling, upsampling, and images as columns."""

from __future__ import annotations

from collections.abc import Sequence

import norch_cpu_ops as cpu
from norch_cuda.array import CudaArray
from norch_cuda.operations.conv import whole
from norch_cuda.operations.pool import Pair, Pooling
from norch_cuda.operations.window import Sizes, Window, for_each, windows
from norch_cuda.promotion import computing_dtype
from norch_strides import numel

Scale = Sequence[float] | None
_LARGEST = (2 - 2**-23) * 2.0**127  # finite number of float32


class Resizing(Pooling):
    """Images are (N, C, H, W) or (C, H, W)."""

    def adaptive_avg_pool2d(self, a: CudaArray, output_size: Sizes) -> CudaArray:
        """Mean over windows that together cover the image: (..., H, W) -> (..., OH, OW)."""
        op = "adaptive_avg_pool2d"
        planes, shape = self._resized(op, a, output_size)
        out = self._empty(shape, planes.dtype)
        arguments = (*whole(planes), out.pointer, *shape[-2:])
        self._elements("adaptive", out.dtype, f"{op}_kernel", out.numel, *arguments)
        return self.cast(out, a.dtype)

    def adaptive_avg_pool2d_backward(self, grad: CudaArray, input_size: Sizes) -> CudaArray:
        """Return each window's gradient, shared out equally among its places."""
        op = "adaptive_avg_pool2d_backward"
        planes, shape = self._resized(op, grad, input_size)
        dx = self._empty(shape, planes.dtype)
        arguments = (*whole(planes), dx.pointer, *shape[-2:])
        self._elements("adaptive", dx.dtype, f"{op}_kernel", dx.numel, *arguments)
        return self.cast(dx, grad.dtype)

    def adaptive_max_pool2d(self, a: CudaArray, output_size: Sizes) -> Pair:
        """Return the largest elements of such windows, and their places h W + w."""
        op = "adaptive_max_pool2d"
        planes, shape = self._resized(op, a, output_size)
        out, index = self._empty(shape, planes.dtype), self._empty(shape, cpu.int64)
        arguments = (*whole(planes), out.pointer, index.pointer, *shape[-2:])
        self._elements("adaptive", out.dtype, f"{op}_kernel", out.numel, *arguments)
        return self.cast(out, a.dtype), index

    def upsample_nearest2d(
        self, a: CudaArray, output_size: Sizes, scale: Scale = None
    ) -> CudaArray:
        """Return the nearest element for each place; scale is input steps for an output step."""
        return self._upsampled("upsample_nearest2d", a, output_size, scale)

    def upsample_nearest2d_backward(
        self, grad: CudaArray, input_size: Sizes, scale: Scale = None
    ) -> CudaArray:
        """Return the sum of the gradients of the places an element was copied to."""
        return self._upsampled("upsample_nearest2d_backward", grad, input_size, scale)

    def upsample_bilinear2d(
        self, a: CudaArray, output_size: Sizes, align_corners: bool = False, scale: Scale = None
    ) -> CudaArray:
        """Mix the four elements around each place; scale is input steps for an output step."""
        return self._upsampled("upsample_bilinear2d", a, output_size, scale, align_corners)

    def upsample_bilinear2d_backward(
        self,
        grad: CudaArray,
        input_size: Sizes,
        align_corners: bool = False,
        scale: Scale = None,
    ) -> CudaArray:
        """Return the gradients of the mixtures an element was part of, by its share in each."""
        op = "upsample_bilinear2d_backward"
        return self._upsampled(op, grad, input_size, scale, align_corners)

    def im2col(
        self, a: CudaArray, kernel_size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes
    ) -> CudaArray:
        """(N, C, H, W) -> (N, C KH KW, L): a column for each of the L places of a kernel."""
        self._check_planes("im2col", a)
        kernel = for_each("im2col", "kernel_size", kernel_size, 2)
        cut = windows("im2col", a.shape[-2:], kernel, stride, padding, dilation)
        x = self._batched(self.cast(a, computing_dtype(a.dtype)), 4)
        rows, places = a.shape[-3] * numel(kernel), numel(tuple(w.out for w in cut))
        out = self._empty((x.shape[0], rows, places), x.dtype)
        arguments = (*whole(x), out.pointer, *_steps(cut))
        self._elements("columns", x.dtype, "im2col_kernel", out.numel, *arguments)
        shape = (*a.shape[:-3], rows, places)
        return self.cast(self._reshaped(out, shape), a.dtype)

    def col2im(
        self,
        columns: CudaArray,
        output_size: Sizes,
        kernel_size: Sizes,
        stride: Sizes,
        padding: Sizes,
        dilation: Sizes,
    ) -> CudaArray:
        """(N, C KH KW, L) -> (N, C, H, W): columns added up where im2col read them."""
        op = "col2im"
        size = _two(op, "output_size", output_size)
        self._check_images(op, columns)
        kernel = for_each(op, "kernel_size", kernel_size, 2)
        channels = self._channels_of(columns, numel(kernel))
        down, right = windows(op, size, kernel, stride, padding, dilation)
        if columns.shape[-1] != down.out * right.out:
            raise RuntimeError(
                f"[{op}] columns {columns.shape} hold {columns.shape[-1]} patches, but an output "
                f"of {size} has {down.out} x {right.out}"
            )
        x = self._batched(self.cast(columns, computing_dtype(columns.dtype)), 3)
        out = self._empty((x.shape[0], channels, *size), x.dtype)
        steps = (down.size, *_steps((down,)), right.size, *_steps((right,)))
        arguments = (*whole(x), out.pointer, channels, *steps)
        self._elements("columns", x.dtype, "col2im_kernel", out.numel, *arguments)
        shape = (*columns.shape[:-2], channels, *size)
        return self.cast(self._reshaped(out, shape), columns.dtype)

    def _channels_of(self, columns: CudaArray, places: int) -> int:
        if columns.ndim not in (2, 3) or places < 1 or columns.shape[-2] % places:
            raise RuntimeError(
                f"[col2im] expected columns (N, C KH KW, L) or (C KH KW, L) with KH KW = {places}, "
                f"got {columns.shape}"
            )
        return columns.shape[-2] // places

    def _batched(self, a: CudaArray, ndim: int) -> CudaArray:
        """View an array without a batch as a batch of one."""
        return a if a.ndim == ndim else self._reshaped(a, (1, *a.shape))

    def _check_planes(self, op: str, a: CudaArray) -> None:
        self._check_images(op, a)
        if a.ndim not in (3, 4):
            raise RuntimeError(f"[{op}] expected (N, C, H, W) or (C, H, W), got {a.shape}")

    def _resized(
        self, op: str, a: CudaArray, size: Sizes, scale: Scale = None
    ) -> tuple[CudaArray, tuple[int, ...]]:
        """Check an image and a size; return its planes, and the shape with that size."""
        backward, op = op.endswith("_backward"), op.removesuffix("_backward")
        self._check_planes(op, a)
        sizes = _two(op, "input_size" if backward else "output_size", size)
        pairs = zip(sizes, a.shape[-2:], strict=True)
        for other, own in pairs:
            before, after = (other, own) if backward else (own, other)
            if before < 1 or after < (0 if op.startswith("adaptive") else 1):
                raise RuntimeError(
                    f"[{op}] cannot make {after} places out of {before}: expected an image with "
                    "elements and an output_size above 0"
                )
        for step in scale or ():
            if not 0 < step <= _LARGEST:
                raise ValueError(
                    f"[{op}] expected scale above 0, and finite in float32, got {step:g}"
                )
        return self._planes(self.cast(a, computing_dtype(a.dtype))), (*a.shape[:-2], *sizes)

    def _upsampled(
        self, op: str, a: CudaArray, size: Sizes, scale: Scale, corners: bool | None = None
    ) -> CudaArray:
        """Launch a kernel of upsample.cu; corners is None for those that do not ask."""
        planes, shape = self._resized(op, a, size, scale)
        out = self._empty(shape, planes.dtype)
        sizes = (a.shape[-2:], shape[-2:])
        before, after = reversed(sizes) if op.endswith("_backward") else sizes
        steps = [_scale(before[i], after[i], bool(corners), scale and scale[i]) for i in (0, 1)]
        more = [] if corners is None else [int(corners)]
        arguments = (*whole(planes), out.pointer, *shape[-2:], *steps, *more)
        self._elements("upsample", out.dtype, f"{op}_kernel", out.numel, *arguments)
        return self.cast(out, a.dtype)


def _two(op: str, what: str, sizes: Sizes) -> tuple[int, int]:
    values = (sizes,) if isinstance(sizes, int) else tuple(sizes)
    if len(values) != 2:
        raise ValueError(f"[{op}] expected {what} as two integers, got {len(values)}")
    return values[0], values[1]


def _scale(before: int, after: int, corners: bool, given: float | None) -> float:
    """Input steps for an output step."""
    if corners:
        return (before - 1) / (after - 1) if after > 1 else 0.0
    return float(given) if given else before / after


def _steps(cut: Sequence[Window]) -> tuple[int, ...]:
    return tuple(n for w in cut for n in (w.kernel, w.stride, w.padding, w.dilation, w.out))
