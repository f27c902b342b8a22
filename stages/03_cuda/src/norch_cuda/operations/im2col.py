"""Images as columns, so that a convolution becomes a product of matrices, and back."""

from __future__ import annotations

from norch_cuda.arrays.array import CudaArray
from norch_cuda.launch.base import New, OperationsBase
from norch_cuda.launch.walks import whole
from norch_cuda.operations.window import (
    Sizes,
    check_images,
    check_planes,
    for_each,
    outputs,
    two_sizes,
    windows,
)
from norch_strides import numel


class Im2Col(OperationsBase):
    """Images are (N, C, H, W) or (C, H, W)."""

    def im2col(
        self, a: CudaArray, kernel_size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes
    ) -> CudaArray:
        """(N, C, H, W) -> (N, C KH KW, L): a column for each of the L places of a kernel."""
        check_planes(self, "im2col", a)
        kernel = for_each("im2col", "kernel_size", kernel_size, 2)
        cut = windows("im2col", a.shape[-2:], kernel, stride, padding, dilation)
        x = self._as_batch(self.computing(a), 4)
        rows, places = a.shape[-3] * numel(kernel), numel(outputs(cut, 2))
        result = New((x.shape[0], rows, places))
        out = self.compute("im2col", a.dtype, "im2col", *whole(x), result, cut)[0]
        return self.reshape(out, (*a.shape[:-3], rows, places))

    def col2im(
        self, columns: CudaArray, output_size: Sizes, kernel_size: Sizes, stride: Sizes,
        padding: Sizes, dilation: Sizes,
    ) -> CudaArray:  # fmt: skip
        """(N, C KH KW, L) -> (N, C, H, W): columns added up where im2col read them."""
        op = "col2im"
        size = two_sizes(op, "output_size", output_size)
        check_images(self, op, columns)
        kernel = for_each(op, "kernel_size", kernel_size, 2)
        channels = self._channels_of(columns, numel(kernel))
        cut = windows(op, size, kernel, stride, padding, dilation)
        if columns.shape[-1] != numel(outputs(cut, 2)):
            raise RuntimeError(
                f"[{op}] columns {columns.shape} hold {columns.shape[-1]} patches, but an output "
                f"of {size} has {cut.h.out} x {cut.w.out}"
            )
        x = self._as_batch(self.computing(columns), 3)
        result = New((x.shape[0], channels, *size))
        out = self.compute("im2col", columns.dtype, op, *whole(x), result, channels, cut)[0]
        return self.reshape(out, (*columns.shape[:-2], channels, *size))

    def _channels_of(self, columns: CudaArray, places: int) -> int:
        """Return how many channels columns have, with so many places under a kernel."""
        if columns.ndim not in (2, 3) or places < 1 or columns.shape[-2] % places:
            raise RuntimeError(
                f"[col2im] expected columns (N, C KH KW, L) or (C KH KW, L) with KH KW = {places}, "
                f"got {columns.shape}"
            )
        return columns.shape[-2] // places

    def _as_batch(self, a: CudaArray, ndim: int) -> CudaArray:
        """View an array without a batch as a batch of one."""
        return a if a.ndim == ndim else self.reshape(a, (1, *a.shape))
