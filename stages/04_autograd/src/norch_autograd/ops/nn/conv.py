"""Convolution in one, two and three dimensions.

Convolution, its input gradient and its weight gradient are each linear in both operands, and the
derivatives of each are the other two. more/nn/conv_transpose.py is the input gradient as a forward.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from norch_autograd.graph.composite import fused
from norch_autograd.graph.family import family
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import number
from norch_autograd.graph.record import record
from norch_autograd.graph.tensor_base import Tensor
from norch_autograd.ops.dtype.autocast import in_lower_precision
from norch_autograd.ops.elementwise.arithmetic import factors_to_save
from norch_autograd.ops.indexing.getitem import narrow
from norch_autograd.ops.nn.sliding_window import (
    Sizes,
    Slide,
    conv_reference,
    conv_transpose_reference,
    size_per_dim,
)
from norch_autograd.ops.reduction.sum import sum
from norch_autograd.ops.shape.view import squeeze, unsqueeze
from norch_cpu_ops import int64


class Convolution(Node):
    """dX = dY spread by the kernel, dW = the sum of dY times what each place of the kernel saw, and
    db, each shaped like its tensor.
    """

    def backward(self, grad: Tensor) -> Gradients:
        slide = self.context
        # ex 4.15 begin
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(grad, (0, *range(2, grad.array.ndim))) if self.needs(2) else None
        return dx, dw, db
        # ex 4.15 end


class ConvolutionInput(Node):
    """dX is linear in dY and W: its gradient by dY is a convolution, by W a weight gradient."""

    def backward(self, grad: Tensor) -> Gradients:
        slide = self.context
        dgrad = _convolve(grad, self.saved(1), None, slide) if self.needs(0) else None
        dw = _weight_gradient(self.saved(0), grad, slide) if self.needs(1) else None
        return dgrad, dw

    def name(self) -> str:
        return "ConvolutionBackward0"  # as a transposed convolution prints it


class ConvolutionWeight(Node):
    """dW is linear in dY and X: its gradient by dY is a convolution, by X an input gradient."""

    def backward(self, grad: Tensor) -> Gradients:
        slide = self.context
        dgrad = _convolve(self.saved(1), grad, None, slide) if self.needs(0) else None
        dx = input_gradient(self.saved(0), grad, slide) if self.needs(1) else None
        return dgrad, dx


@fused(conv_reference)
def _convolve(x: Tensor, weight: Tensor, bias: Tensor | None, slide: Slide) -> Tensor:
    """Convolution: (N, C, *size), (O, C / groups, *kernel), (O) -> (N, O, *places)."""
    image, kernels, added = x.array, weight.array, None if bias is None else bias.array
    whole = image.dtype is kernels.dtype is int64
    if whole and (added is None or added.dtype is int64):  # conv2d is of floating point
        return conv_reference(x, weight, bias, slide)
    convolve = image.ops.conv2d if image.ndim == 4 else image.ops.conv3d
    out = convolve(image, kernels, added, *slide[2:])
    return record(Convolution, out, (x, weight, bias), factors_to_save(x, weight), slide)


@fused(conv_transpose_reference)
def input_gradient(grad: Tensor, weight: Tensor, slide: Slide) -> Tensor:
    """Convolution's input gradient: (N, O, *places), (O, C / groups, *kernel) -> (N, C, *size)."""
    if grad.dtype is weight.dtype is int64:
        return conv_transpose_reference(grad, weight, slide)
    ops = grad.array.ops
    kernel = ops.conv2d_backward_input if grad.array.ndim == 4 else ops.conv3d_backward_input
    out = kernel(grad.array, weight.array, slide.input_size, *slide[2:])
    return record(ConvolutionInput, out, (grad, weight), factors_to_save(grad, weight), slide)


def _weight_gradient(grad: Tensor, x: Tensor, slide: Slide) -> Tensor:
    """Convolution's weight gradient: (N, O, *places), (N, C, *size) -> (O, C / groups, *kernel)."""
    ops = grad.array.ops
    kernel = ops.conv2d_backward_weight if grad.array.ndim == 4 else ops.conv3d_backward_weight
    out = kernel(grad.array, x.array, slide.weight_size, *slide[2:])
    return record(ConvolutionWeight, out, (grad, x), factors_to_save(grad, x), slide)


@family("conv{}d", in_lower_precision)
def _conv(
    dims: int,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """The fused operations conv1d, 2d and 3d: a kernel slid over signals, images or volumes."""
    if dims == 1:
        return _conv_of_signals(input, weight, bias, stride, padding, dilation, groups)
    is_single = input.array.ndim == dims + 1  # no batch
    if is_single:
        input = unsqueeze(input, 0)
    size, shape = input.array.shape, weight.array.shape
    if len(size) != dims + 2 or len(shape) != dims + 2:
        letters = "(N, C, H, W) or (C, H, W)" if dims == 2 else "(N, C, D, H, W) or (C, D, H, W)"
        raise RuntimeError(
            f"[conv{dims}d] expected input {letters} and weight (O, C / groups, {dims} sizes), got "
            f"{tuple(size)} and {tuple(shape)}"
        )
    cut: Sequence[int] = ()
    if isinstance(padding, str):
        padding, cut = _padding_by_name(f"conv{dims}d", padding, shape[2:], stride, dilation)
    slide = Slide(size, shape, stride, padding, dilation, groups)
    out = _convolve(input, weight, bias, slide)
    if size[1] == 0:  # out of no channels PyTorch makes none, whatever the weight
        out = narrow(out, 1, 0, 0)
    for dim in cut:
        out = narrow(out, dim, 1, out.array.shape[dim] - 1)
    return squeeze(out, 0) if is_single else out


conv1d = _conv(1)("""
    Slide a kernel over signals: (N, C, L) or (C, L), weight (O, C / groups, K); as `conv2d`.

    >>> norch.conv1d(norch.tensor([[1., 2., 4.]]), norch.tensor([[[-1., 1.]]]))
    tensor([[1., 2.]])
""")
conv2d = _conv(2)("""
    Slide a kernel over images: (N, C, H, W) or (C, H, W), weight (O, C / groups, KH, KW).

    `padding` "valid" is none, "same" as much as keeps the size (stride 1 only).

    >>> image = norch.arange(9.).reshape(1, 3, 3)
    >>> norch.conv2d(image, norch.ones(1, 1, 2, 2))
    tensor([[[ 8., 12.],
             [20., 24.]]])
""")
conv3d = _conv(3)("""
    Slide a kernel over volumes: (N, C, D, H, W) or (C, D, H, W), weight (O, C / groups, KD, KH,
    KW); as `conv2d`.

    >>> norch.conv3d(norch.ones(1, 2, 2, 3), norch.ones(1, 1, 2, 2, 2))
    tensor([[[[8., 8.]]]])
""")


def _conv_of_signals(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Sizes, *options: Any
) -> Tensor:
    """`conv1d`: a signal is an image one row high; `options` are those from `padding` on."""
    padding, dilation, groups = options
    if input.array.ndim not in (2, 3) or weight.array.ndim != 3:
        raise RuntimeError(
            "[conv1d] expected input (N, C, L) or (C, L) and weight (O, C / groups, K), got "
            f"{tuple(input.array.shape)} and {tuple(weight.array.shape)}"
        )
    step, apart = in_row("conv1d", "stride", stride, 1), in_row("conv1d", "dilation", dilation, 1)
    around = padding if isinstance(padding, str) else in_row("conv1d", "padding", padding, 0)
    image, kernel = unsqueeze(input, -2), unsqueeze(weight, -2)
    return squeeze(conv2d(image, kernel, bias, step, around, apart, groups), -2)


def in_row(op: str, what: str, value: Sizes, rest: int) -> tuple[int, int]:
    """A window's option for a signal as that for an image one row high; `rest` changes nothing."""
    one = (value,) if isinstance(value := number(value), int) else tuple(value)
    if len(one) != 1:
        raise RuntimeError(f"[{op}] expected {what} as one integer, got {value}")
    return rest, one[0]


def _padding_by_name(
    op: str, padding: str, kernel: tuple[int, ...], stride: Sizes, dilation: Sizes
) -> tuple[Sizes, Sequence[int]]:
    """A convolution's padding as numbers, and the dimensions whose first output is one too many.

    Where "same" needs an odd number of zeros, PyTorch puts the odd one at the end. Padding as many
    at the start computes one output more there.
    """
    if padding == "valid":
        return 0, ()
    if padding != "same":
        raise RuntimeError(
            f"[{op}] invalid padding string '{padding}': expected 'valid', 'same' or numbers"
        )
    if any(s != 1 for s in ((stride,) if isinstance(stride, int) else stride)):
        raise RuntimeError(
            f"[{op}] padding='same' is not supported for strided convolutions, got {stride}"
        )
    steps = zip(size_per_dim(dilation, len(kernel)), kernel, strict=False)
    totals = [d * (k - 1) for d, k in steps]
    return [(total + 1) // 2 for total in totals], [2 + i for i, t in enumerate(totals) if t % 2]
