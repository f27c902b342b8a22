"""Convolution in two and three dimensions, and its gradients."""

from __future__ import annotations

from functools import partialmethod
from typing import Any

from norch_cpu_ops import DType
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import computing_dtype
from norch_cuda.launch.base import Givens, New, OperationsBase
from norch_cuda.launch.walks import NOTHING, Shape, vector_walk
from norch_cuda.operations.reductions import fold
from norch_cuda.operations.window import (
    Sizes,
    check_grad,
    check_images,
    outputs,
    volume_layout,
    windows,
)
from norch_cuda.runtime.backend import Argument, Pointer, Windows
from norch_strides import Layout, contiguous, numel, transpose

_SIDE, _THREADS = 64, 16  # kSide of conv_product.cu, kThreads of product.h
_PRODUCT_FROM = 64**3  # multiplications
_LEAST_ROWS, _LEAST_WEIGHTS = 32, 128  # channels and weights that fill enough of a tile
_LEAST_PLACES = 1024  # of a chunk
_INT = 1 << 30


class Convolution(OperationsBase):
    """Filters that slide over images (N, C, H, W) and volumes (N, C, D, H, W)."""

    def _conv(
        self, dims: int, x: CudaArray, weight: CudaArray, bias: CudaArray | None, *slide: Any
    ) -> CudaArray:
        """x (N, C, H, W), weight (O, C / groups, KH, KW), bias (O) -> (N, O, OH, OW).

        `slide` is stride, padding, dilation and groups.
        """
        op = f"conv{dims}d"
        check_images(self, op, x, weight)
        cut, groups = _geometry(op, dims, x.shape, weight.shape, *slide)
        row: tuple[Argument, Argument] = (0, NOTHING)
        if bias is not None:
            self._check_bias(op, x, weight, bias)
            row = vector_walk(self.computing(bias))
        source, shape = self._volume(dims, x), (x.shape[0], weight.shape[0], *outputs(cut, dims))
        sizes = _product_sizes(groups, shape, weight.shape)
        if sizes[1] >= _LEAST_ROWS and _pays(sizes, cut):
            arguments: Givens = (*sizes, weight, *row, *source, New(shape), cut)
            return self._launch_tiles(x.dtype, "conv_product", sizes[:3], arguments)
        given = (*source, *self._volume(dims, weight), *row, *_result(shape, dims), cut)
        return self.compute("conv", x.dtype, "conv", *given)[0]

    def _conv_backward_input(
        self, dims: int, grad: CudaArray, weight: CudaArray, input_shape: Shape, *slide: Any
    ) -> CudaArray:
        """Return the gradient of x, given the one of the result (N, O, OH, OW)."""
        op, shape = f"conv{dims}d_backward_input", tuple(input_shape)
        check_images(self, op, grad, weight)
        cut, groups = _geometry(op, dims, shape, weight.shape, *slide)
        check_grad(op, grad, (shape[0], weight.shape[0], *outputs(cut, dims)))
        channels, outs = weight.shape[1], weight.shape[0] // groups
        sizes = _product_sizes(groups, shape, (shape[1], outs, *weight.shape[2:]))
        if sizes[1] >= _LEAST_ROWS and _pays(sizes, cut):
            # (groups, outs, channels, places of the kernel), outs and channels exchanged
            kept = self.contiguous(self.computing(weight))
            split = contiguous((groups, outs, channels, numel(weight.shape[2:])))
            turned = kept.view(transpose(split, 1, 2))
            arguments: Givens = (*sizes, turned, *self._volume(dims, grad), New(shape), cut)
            kernel = "conv_product_backward_input"
            return self._launch_tiles(grad.dtype, kernel, sizes[:3], arguments)
        given = (*self._volume(dims, grad), *self._volume(dims, weight), *_result(shape, dims), cut)
        return self.compute("conv", grad.dtype, "conv_backward_input", *given)[0]

    def _conv_backward_weight(
        self, dims: int, grad: CudaArray, x: CudaArray, weight_shape: Shape, *slide: Any
    ) -> CudaArray:
        """Return the gradient of weight, given the one of the result (N, O, OH, OW)."""
        op, shape = f"conv{dims}d_backward_weight", tuple(weight_shape)
        check_images(self, op, grad, x)
        cut, groups = _geometry(op, dims, x.shape, shape, *slide)
        check_grad(op, grad, (x.shape[0], shape[0], *outputs(cut, dims)))
        sizes = _product_sizes(groups, grad.shape, shape)
        if sizes[1] * sizes[3] >= _LEAST_WEIGHTS and _pays(sizes, cut):
            return self.cast(self._sum_tiles(dims, grad, x, shape, sizes, cut), grad.dtype)
        given = (*self._volume(dims, grad), *self._volume(dims, x), *_result(shape, dims), cut)
        lines = (numel(shape), x.shape[0] * numel(outputs(cut, dims)))
        return self.compute("conv", grad.dtype, "conv_backward_weight", *given, lines=lines)[0]

    def _sum_tiles(
        self, dims: int, grad: CudaArray, x: CudaArray, shape: Shape,
        sizes: tuple[int, int, int, int], cut: Windows,
    ) -> CudaArray:  # fmt: skip
        """Return the gradient of weight as a product; many places are summed in chunks first."""
        groups, outs, places, depth = sizes
        tiles = groups * -(-outs // _SIDE) * -(-depth // _SIDE)
        chunks = max(1, min(self.backend.num_blocks // tiles, places // _LEAST_PLACES))
        result = New((chunks, *shape), computing_dtype(grad.dtype))
        numbers = (groups, outs, depth, places, -(-places // chunks))
        given: Givens = (*numbers, grad, *self._volume(dims, x), result, cut)
        lines = (chunks * groups, outs, depth)
        sums = self._launch_tiles(grad.dtype, "conv_product_backward_weight", lines, given)
        return fold(self, "sum", sums, 0, False) if chunks > 1 else self.reshape(sums, shape)

    def _launch_tiles(self, dtype: DType, kernel: str, lines: Shape, given: Givens) -> CudaArray:
        """Launch a kernel of conv_product.cu, a block for each tile of so many matrices."""
        count, rows, columns = lines
        blocks = count * -(-rows // _SIDE) * -(-columns // _SIDE)
        grid = ((blocks, 1, 1), (_THREADS, _THREADS, 1))
        return self.compute("conv_product", dtype, kernel, *given, grid=grid)[0]

    def _volume(self, dims: int, a: CudaArray) -> tuple[Layout, Pointer]:
        """Return the kernel arguments of an array (N, C, ...) seen as volumes."""
        kept = self.computing(a)
        return volume_layout(kept.layout, dims), kept.pointer

    # Volumes have (D, H, W) where images have (H, W).
    conv2d = partialmethod(_conv, 2)
    conv3d = partialmethod(_conv, 3)
    conv2d_backward_input = partialmethod(_conv_backward_input, 2)
    conv3d_backward_input = partialmethod(_conv_backward_input, 3)
    conv2d_backward_weight = partialmethod(_conv_backward_weight, 2)
    conv3d_backward_weight = partialmethod(_conv_backward_weight, 3)

    def _check_bias(self, op: str, x: CudaArray, weight: CudaArray, bias: CudaArray) -> None:
        """Refuse a bias that is not one number for each output channel."""
        check_images(self, op, x, bias)
        if bias.shape != weight.shape[:1]:
            raise RuntimeError(
                f"[{op}] bias {bias.shape} does not match weight {weight.shape}: "
                f"expected ({weight.shape[0]},)"
            )


def _product_sizes(groups: int, out: Shape, weight: Shape) -> tuple[int, int, int, int]:
    """Return groups, and of each product the rows (channels of `out`), the places, the depth."""
    return groups, out[1] // groups, out[0] * numel(out[2:]), numel(weight[1:])


def _pays(sizes: tuple[int, int, int, int], cut: Windows) -> bool:
    """Whether a product is large enough for tiles, and 32 bits hold its sizes."""
    _, rows, places, depth = sizes
    fits = max(rows, places, depth, *(max(window) for window in cut)) < _INT
    return rows * places * depth > _PRODUCT_FROM and fits


def _result(shape: Shape, dims: int) -> tuple[Layout, New]:
    """Return the kernel arguments of a result (N, C, ...) seen as volumes."""
    return volume_layout(contiguous(shape), dims), New(shape)


def _geometry(
    op: str, dims: int, x: Shape, weight: Shape,
    stride: Sizes, padding: Sizes, dilation: Sizes, groups: int,
) -> tuple[Windows, int]:  # fmt: skip
    """Check the shapes of an input and a weight; return the window of each direction, groups."""
    if len(x) != dims + 2 or len(weight) != dims + 2:
        image, kernel = ("H, W", "KH, KW") if dims == 2 else ("D, H, W", "KD, KH, KW")
        raise RuntimeError(
            f"[{op}] expected x (N, C, {image}) and weight (O, C / groups, {kernel}), got {x} and "
            f"{weight}"
        )
    if groups < 1 or weight[0] < groups:
        raise RuntimeError(
            f"[{op}] weight {weight} has {weight[0]} outputs: expected groups of at least 1 and at "
            f"least one output for each, got groups {groups}"
        )
    channels = weight[1] * groups
    if weight[0] % groups or x[1] != channels:
        raise RuntimeError(
            f"[{op}] x {x} has {x[1]} channels, but weight {weight} with groups {groups} expects "
            f"{channels if channels < 1 << 63 else '2^63 or more'} and outputs divisible by groups"
        )
    return windows(op, x[2:], weight[2:], stride, padding, dilation), groups
