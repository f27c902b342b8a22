"""Images of another size: adaptive pooling and upsampling."""

from __future__ import annotations

from collections.abc import Sequence

import norch_cpu_ops as cpu
from norch_cuda.arrays.array import CudaArray
from norch_cuda.launch.base import New, OperationsBase
from norch_cuda.launch.walks import Shape, whole
from norch_cuda.operations.window import Sizes, as_planes, check_planes, two_sizes

Pair = tuple[CudaArray, CudaArray]
Scale = Sequence[float] | None
_LARGEST = (2 - 2**-23) * 2.0**127  # finite number of float32


class Resampling(OperationsBase):
    """Images are (N, C, H, W) or (C, H, W)."""

    def adaptive_avg_pool2d(self, a: CudaArray, output_size: Sizes) -> CudaArray:
        """Mean over windows that together cover the image: (..., H, W) -> (..., OH, OW)."""
        return self._average("adaptive_avg_pool2d", a, output_size)

    def adaptive_avg_pool2d_backward(self, grad: CudaArray, input_size: Sizes) -> CudaArray:
        """Return each window's gradient, shared out equally among its places."""
        return self._average("adaptive_avg_pool2d_backward", grad, input_size)

    def adaptive_max_pool2d(self, a: CudaArray, output_size: Sizes) -> Pair:
        """Return the largest elements of such windows, and their places h W + w."""
        op = "adaptive_max_pool2d"
        planes, shape = self._check_resample(op, a, output_size)
        results = (New(shape), New(shape, cpu.int64))
        out, index = self.compute("resample", a.dtype, op, *whole(planes), *results, *shape[-2:])
        return out, index

    def upsample_nearest2d(
        self, a: CudaArray, output_size: Sizes, scale: Scale = None
    ) -> CudaArray:
        """Return the nearest element for each place; scale is input steps for an output step."""
        return self._interpolate("upsample_nearest2d", a, output_size, scale)

    def upsample_nearest2d_backward(
        self, grad: CudaArray, input_size: Sizes, scale: Scale = None
    ) -> CudaArray:
        """Return the sum of the gradients of the places an element was copied to."""
        return self._interpolate("upsample_nearest2d_backward", grad, input_size, scale)

    def upsample_bilinear2d(
        self, a: CudaArray, output_size: Sizes, align_corners: bool = False, scale: Scale = None
    ) -> CudaArray:
        """Mix the four elements around each place; scale is input steps for an output step."""
        return self._interpolate("upsample_bilinear2d", a, output_size, scale, align_corners)

    def upsample_bilinear2d_backward(
        self, grad: CudaArray, input_size: Sizes, align_corners: bool = False, scale: Scale = None
    ) -> CudaArray:
        """Return the gradients of the mixtures an element was part of, by its share in each."""
        op = "upsample_bilinear2d_backward"
        return self._interpolate(op, grad, input_size, scale, align_corners)

    def _average(self, op: str, a: CudaArray, size: Sizes) -> CudaArray:
        """Launch a kernel of adaptive averages or its gradient."""
        planes, shape = self._check_resample(op, a, size)
        return self.compute("resample", a.dtype, op, *whole(planes), New(shape), *shape[-2:])[0]

    def _check_resample(
        self, op: str, a: CudaArray, size: Sizes, scale: Scale = None
    ) -> tuple[CudaArray, Shape]:
        """Check an image and a size; return its planes, and the shape with that size."""
        backward, op = op.endswith("_backward"), op.removesuffix("_backward")
        check_planes(self, op, a)
        sizes = two_sizes(op, "input_size" if backward else "output_size", size)
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
        return as_planes(self, self.computing(a)), (*a.shape[:-2], *sizes)

    def _interpolate(
        self, op: str, a: CudaArray, size: Sizes, scale: Scale, corners: bool | None = None
    ) -> CudaArray:
        """Launch a kernel of resample.cu; corners is None for those that do not ask."""
        planes, shape = self._check_resample(op, a, size, scale)
        sizes = (a.shape[-2:], shape[-2:])
        before, after = reversed(sizes) if op.endswith("_backward") else sizes
        given = (None, None) if scale is None else scale
        steps = [_scale(before[i], after[i], bool(corners), given[i]) for i in (0, 1)]
        more = [] if corners is None else [int(corners)]
        numbers = (*shape[-2:], *steps, *more)
        return self.compute("resample", a.dtype, op, *whole(planes), New(shape), *numbers)[0]


def _scale(before: int, after: int, corners: bool, given: float | None) -> float:
    """Input steps for an output step: a number that the upsampling kernels of CUDA take."""
    if corners:
        return (before - 1) / (after - 1) if after > 1 else 0.0
    return float(given) if given else before / after
