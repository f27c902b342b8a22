"""Transposed convolution in one, two and three dimensions: conv.py's input gradient as a forward.

Every input is multiplied with the whole kernel and added to the places a convolution would have
read it from, so a stride makes the image larger.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

from norch_autograd.graph.family import family
from norch_autograd.graph.operands import number
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.dtype.autocast import in_lower_precision
from norch_autograd.ops.nn.conv import in_row, input_gradient
from norch_autograd.ops.nn.sliding_window import Sizes, Slide, pad_image, size_per_dim
from norch_autograd.ops.shape.view import reshape, squeeze, unsqueeze


def _spread_images(
    op: str, dims: int, input: Tensor, weight: Tensor, bias: Tensor | None, *options: Any
) -> Tensor:
    """`conv_transpose2d` or 3d; `options` are its arguments from `stride` to `dilation`."""
    shape, kernel = array_of(input, op).shape, array_of(weight, op).shape
    _check_ranks(op, dims, len(shape), len(kernel))
    if len(shape) == dims + 1:
        return squeeze(_spread_images(op, dims, unsqueeze(input, 0), weight, bias, *options), 0)
    *moves, groups, dilation = options
    if groups < 1 or shape[1] != kernel[0] or kernel[0] % groups:
        raise RuntimeError(
            f"[{op}] input {tuple(shape)} has {shape[1]} channels, but weight {tuple(kernel)} "
            f"expects {kernel[0]}, which groups {groups} must divide"
        )
    if bias is not None and array_of(bias, op).shape != (kernel[1] * groups,):
        raise RuntimeError(
            f"[{op}] bias {tuple(bias.array.shape)} does not match weight {tuple(kernel)} with "
            f"groups {groups}: expected ({kernel[1] * groups},)"
        )
    names = ("stride", "padding", "output_padding", "dilation")
    step, around, more, apart = [
        _option_per_dim(op, name, value, dims)
        for name, value in zip(names, (*moves, dilation), strict=True)
    ]
    for m, s, d in zip(more, step, apart, strict=True):
        if not (0 <= m < s or 0 <= m < d):
            raise RuntimeError(
                f"[{op}] output padding must be smaller than either stride or dilation, and not "
                f"negative; got output_padding {more}, stride {step}, dilation {apart}"
            )
    if any(more):  # where it is a whole step or more, as if there were zeros behind
        input = pad_image(input, [(0, m // s) for m, s in zip(more, step, strict=True)], 0.0)
    # `shape` is still that of the input before it was padded: output_padding counts once.
    size = [
        (n - 1) * s - 2 * p + d * (k - 1) + m + 1
        for n, s, p, d, k, m in zip(shape[2:], step, around, apart, kernel[2:], more, strict=True)
    ]
    if min(size) < 1:
        raise RuntimeError(f"[{op}] an output of size {tuple(size)} would be empty or less")
    whole = (shape[0], kernel[1] * groups, *size)
    out = input_gradient(input, weight, Slide(whole, kernel, step, around, apart, groups))
    return out if bias is None else out + reshape(bias, -1, *[1] * dims)


def _check_ranks(op: str, dims: int, input: int, weight: int) -> None:
    """Raise RuntimeError unless a transposed convolution's input and weight have its ranks."""
    if input not in (dims + 1, dims + 2) or weight != dims + 2:
        raise RuntimeError(
            f"[{op}] expected input of {dims + 1} or {dims + 2} dimensions and weight "
            f"(C, O / groups, {dims} sizes), got {input} and {weight} dimensions"
        )


def _option_per_dim(op: str, what: str, value: Sizes, dims: int) -> Sequence[int]:
    """An option of a transposed convolution (stride, padding, ...), one number a dimension."""
    if isinstance(value, tuple) and len(value) == dims:
        sizes = value
    else:
        if not isinstance(value := number(value), int) and len(value) not in (1, dims):
            raise RuntimeError(f"[{op}] expected {what} as one integer or {dims}, got {value}")
        sizes = size_per_dim(value, dims)
    try:
        return tuple(map(index, sizes))
    except TypeError:
        raise TypeError(f"[{op}] {what} must be integers, got {sizes}") from None


@family("conv_transpose{}d", in_lower_precision)
def _conv_transpose(
    dims: int,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> Tensor:
    """conv_transpose1d, 2d and 3d: what a convolution's kernel spreads over a larger image."""
    op = f"conv_transpose{dims}d"
    if dims > 1:
        options = (stride, padding, output_padding, groups, dilation)
        return _spread_images(op, dims, input, weight, bias, *options)
    _check_ranks(op, 1, array_of(input).ndim, array_of(weight).ndim)
    in_rows = (
        in_row(op, "stride", stride, 1),
        in_row(op, "padding", padding, 0),
        in_row(op, "output_padding", output_padding, 0),
        groups,
        in_row(op, "dilation", dilation, 1),
    )
    row, kernel = unsqueeze(input, -2), unsqueeze(weight, -2)
    return squeeze(_spread_images(op, 2, row, kernel, bias, *in_rows), -2)


conv_transpose1d = _conv_transpose(1)("""
    Spread signals (N, C, L) or (C, L) by a kernel (C, O / groups, K); as `conv_transpose2d`.

    >>> norch.conv_transpose1d(norch.tensor([[1., 2.]]), norch.tensor([[[3., 1.]]]), stride=2)
    tensor([[3., 1., 6., 2.]])
""")
conv_transpose2d = _conv_transpose(2)("""
    Spread images (N, C, H, W) or (C, H, W) by a kernel (C, O / groups, KH, KW).

    The result is (H - 1) stride - 2 padding + dilation (KH - 1) + output_padding + 1 high.
    `padding` takes places away; `output_padding` says which of the sizes that a convolution of
    this stride would shrink to H is meant.

    >>> image = norch.tensor([[[1., 2.]]])
    >>> norch.conv_transpose2d(image, norch.ones(1, 1, 2, 2))
    tensor([[[1., 3., 2.],
             [1., 3., 2.]]])
""")
conv_transpose3d = _conv_transpose(3)("""
    Spread volumes (N, C, D, H, W) or (C, D, H, W) by a kernel (C, O / groups, KD, KH, KW); as
    `conv_transpose2d`.

    >>> norch.conv_transpose3d(norch.ones(1, 1, 1, 2), norch.ones(1, 3, 1, 2, 2), stride=2).shape
    norch.Size([3, 1, 2, 4])
""")
