"""Convolution in two and three dimensions, and its gradients."""

from __future__ import annotations

from functools import partialmethod

from norch_cpu_ops import DType
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import computing_dtype
from norch_cuda.launch.base import OperationsBase
from norch_cuda.launch.walks import NOTHING, Shape, vector_walk
from norch_cuda.operations.window import (
    Sizes,
    check_grad,
    check_images,
    outputs,
    volume_layout,
    windows,
)
from norch_cuda.runtime.backend import Argument, Windows
from norch_strides import numel

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
        given = (*_volumes(self, dims, dtype, x, weight), *row, *_volumes(self, dims, dtype, out))
        self.launch_elements("conv", dtype, "conv_kernel", out.numel, *given, cut)
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
        given = _volumes(self, dims, dtype, grad, weight, dx)
        self.launch_elements("conv", dtype, "conv_backward_input_kernel", dx.numel, *given, cut)
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
        dweight = self.new(shape, dtype)
        given = _volumes(self, dims, dtype, grad, x, dweight)
        lines = (dweight.numel, x.shape[0] * numel(outputs(cut, dims)))
        self.launch_lines("conv", dtype, "conv_backward_weight_kernel", *lines, *given, cut)
        return self.cast(dweight, grad.dtype)

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
