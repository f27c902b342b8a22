"""Convolution in two and three dimensions, and its gradients."""

from __future__ import annotations

from functools import partialmethod

from norch_cpu_ops import DType
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import computing_dtype
from norch_cuda.launch.base import OperationsBase
from norch_cuda.launch.walks import NOTHING, Arguments, Shape, vector_walk
from norch_cuda.operations.reductions import fold
from norch_cuda.operations.window import (
    Sizes,
    check_grad,
    check_images,
    outputs,
    volume_layout,
    windows,
)
from norch_cuda.runtime.backend import Argument, Windows
from norch_cuda.runtime.sources import ELEMENTS, family_source
from norch_strides import contiguous, numel, transpose

_SIDE, _THREADS = 64, 16  # kSide of conv_product.cu, kThreads of product.h
_PRODUCT_FROM = 64**3  # multiplications
_LEAST_ROWS, _LEAST_WEIGHTS = 32, 128  # channels and weights that fill enough of a tile
_LEAST_PLACES = 1024  # of a chunk
_INT = 1 << 30
_INPUT = "backward_input"

Slide = tuple[Sizes, Sizes, Sizes]  # stride, padding, dilation


class Convolution(OperationsBase):
    """Filters that slide over images (N, C, H, W) and volumes (N, C, D, H, W)."""

    def _conv(
        self,
        dims: int,
        x: CudaArray,
        weight: CudaArray,
        bias: CudaArray | None,
        stride: Sizes,
        padding: Sizes,
        dilation: Sizes,
        groups: int,
    ) -> CudaArray:
        """x (N, C, H, W), weight (O, C / groups, KH, KW), bias (O) -> (N, O, OH, OW)."""
        op = f"conv{dims}d"
        check_images(self, op, x, weight)
        cut = _geometry(op, dims, x.shape, weight.shape, (stride, padding, dilation), groups)
        dtype = computing_dtype(x.dtype)
        row: tuple[Argument, Argument] = (0, NOTHING)
        if bias is not None:
            self._check_bias(op, x, weight, bias)
            row = vector_walk(self.cast(bias, dtype))
        out = self.new((x.shape[0], weight.shape[0], *outputs(cut, dims)), dtype)
        source = _volumes(self, dims, dtype, x)
        sizes = _product_sizes(groups, out.shape, weight.shape)
        if sizes[1] >= _LEAST_ROWS and _pays(sizes, cut):
            rows = self.contiguous(self.cast(weight, dtype)).pointer
            arguments = (*sizes, rows, *row, *source, out.pointer, cut)
            _launch_tiles(self, dtype, "conv_product_kernel", sizes[:3], arguments)
        else:
            given = (*_volumes(self, dims, dtype, weight), *row, *_volumes(self, dims, dtype, out))
            self.launch_elements("conv", dtype, "conv_kernel", out.numel, *source, *given, cut)
        return self.cast(out, x.dtype)

    def _conv_backward_input(
        self,
        dims: int,
        grad: CudaArray,
        weight: CudaArray,
        input_shape: Shape,
        stride: Sizes,
        padding: Sizes,
        dilation: Sizes,
        groups: int,
    ) -> CudaArray:
        """Return the gradient of x, given the one of the result (N, O, OH, OW)."""
        op = f"conv{dims}d_backward_input"
        check_images(self, op, grad, weight)
        shape = tuple(input_shape)
        cut = _geometry(op, dims, shape, weight.shape, (stride, padding, dilation), groups)
        check_grad(op, grad, (shape[0], weight.shape[0], *outputs(cut, dims)))
        dtype = computing_dtype(grad.dtype)
        dx = self.new(shape, dtype)
        channels, outs = weight.shape[1], weight.shape[0] // groups
        sizes = _product_sizes(groups, shape, (shape[1], outs, *weight.shape[2:]))
        if sizes[1] >= _LEAST_ROWS and _pays(sizes, cut):
            # (groups, outs, channels, places of the kernel), outs and channels exchanged
            kept = self.contiguous(self.cast(weight, dtype))
            split = contiguous((groups, outs, channels, numel(weight.shape[2:])))
            turned = self.contiguous(kept.view(transpose(split, 1, 2))).pointer
            arguments = (*sizes, turned, *_volumes(self, dims, dtype, grad), dx.pointer, cut)
            _launch_tiles(self, dtype, f"conv_product_{_INPUT}_kernel", sizes[:3], arguments)
        else:
            given = _volumes(self, dims, dtype, grad, weight, dx)
            self.launch_elements("conv", dtype, f"conv_{_INPUT}_kernel", dx.numel, *given, cut)
        return self.cast(dx, grad.dtype)

    def _conv_backward_weight(
        self,
        dims: int,
        grad: CudaArray,
        x: CudaArray,
        weight_shape: Shape,
        stride: Sizes,
        padding: Sizes,
        dilation: Sizes,
        groups: int,
    ) -> CudaArray:
        """Return the gradient of weight, given the one of the result (N, O, OH, OW)."""
        op = f"conv{dims}d_backward_weight"
        check_images(self, op, grad, x)
        shape = tuple(weight_shape)
        cut = _geometry(op, dims, x.shape, shape, (stride, padding, dilation), groups)
        check_grad(op, grad, (x.shape[0], shape[0], *outputs(cut, dims)))
        dtype = computing_dtype(grad.dtype)
        sizes = _product_sizes(groups, grad.shape, shape)
        if sizes[1] * sizes[3] >= _LEAST_WEIGHTS and _pays(sizes, cut):
            return self.cast(self._sum_tiles(dims, grad, x, shape, sizes, cut), grad.dtype)
        dweight = self.new(shape, dtype)
        given = _volumes(self, dims, dtype, grad, x, dweight)
        lines = (dweight.numel, x.shape[0] * numel(outputs(cut, dims)))
        self.launch_lines("conv", dtype, "conv_backward_weight_kernel", *lines, *given, cut)
        return self.cast(dweight, grad.dtype)

    def _sum_tiles(
        self,
        dims: int,
        grad: CudaArray,
        x: CudaArray,
        shape: Shape,
        sizes: tuple[int, int, int, int],
        cut: Windows,
    ) -> CudaArray:
        """Return the gradient of weight as a product; many places are summed in chunks first."""
        groups, outs, places, depth = sizes
        dtype = computing_dtype(grad.dtype)
        tiles = groups * -(-outs // _SIDE) * -(-depth // _SIDE)
        chunks = max(1, min(self.backend.num_blocks // tiles, places // _LEAST_PLACES))
        chunk = -(-places // chunks)
        sums = self.new((chunks, *shape), dtype)
        upstream = self.contiguous(self.cast(grad, dtype)).pointer
        source = _volumes(self, dims, dtype, x)
        arguments = (groups, outs, depth, places, chunk, upstream, *source, sums.pointer, cut)
        lines = (chunks * groups, outs, depth)
        _launch_tiles(self, dtype, "conv_product_backward_weight_kernel", lines, arguments)
        return fold(self, "sum", sums, 0, False) if chunks > 1 else self.reshape(sums, shape)

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


def _launch_tiles(
    ops: OperationsBase, dtype: DType, kernel: str, lines: Shape, arguments: Arguments
) -> None:
    """Launch a kernel of conv_product.cu, a block for each tile of so many matrices."""
    count, rows, columns = lines
    blocks = count * -(-rows // _SIDE) * -(-columns // _SIDE)
    source = family_source("conv_product", ELEMENTS[dtype.name])
    ops.backend.launch(source, kernel, (blocks, 1, 1), (_THREADS, _THREADS, 1), arguments)


def _volumes(ops: OperationsBase, dims: int, dtype: DType, *arrays: CudaArray) -> list[Argument]:
    """Return the kernel arguments of arrays (N, C, ...), cast and seen as volumes."""
    given: list[Argument] = []
    for array in arrays:
        kept = ops.cast(array, dtype)
        given += volume_layout(kept.layout, dims), kept.pointer
    return given


def _geometry(op: str, dims: int, x: Shape, weight: Shape, slide: Slide, groups: int) -> Windows:
    """Check the shapes of an input and a weight; return the window of each direction."""
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
    return windows(op, x[2:], weight[2:], *slide)
