"""Convolution: a kernel slides over a signal, image or volume, and each place is a dot product.

Transposed, each input is multiplied with the whole kernel and spread over the places it covers.
"""

from __future__ import annotations

import norch_autograd as autograd
from norch_autograd import Tensor
from norch_nn.core.sizes import Sizes


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """Convolve signals (N, C, L) or (C, L) with `weight` (O, C / groups, K).

    >>> conv1d(autograd.tensor([[[1.0, 2.0, 4.0]]]), autograd.tensor([[[-1.0, 1.0]]])).tolist()
    [[[1.0, 2.0]]]
    """
    return autograd.conv1d(input, weight, bias, stride, padding, dilation, groups)


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """Convolve images (N, C, H, W) or (C, H, W) with `weight` (O, C / groups, KH, KW).

    `padding` is a number of zeros around the image, "valid" (none) or "same" (the size stays; only
    with stride 1). The result is (H + 2 padding - dilation (KH - 1) - 1) // stride + 1 high.

    >>> conv2d(autograd.ones(1, 1, 4, 5), autograd.ones(2, 1, 3, 3), padding=1)[0, 1].tolist()[0]
    [4.0, 6.0, 6.0, 6.0, 4.0]
    """
    return autograd.conv2d(input, weight, bias, stride, padding, dilation, groups)


def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """Convolve volumes (N, C, D, H, W) or (C, D, H, W) with `weight` (O, C / groups, KD, KH, KW).

    >>> conv3d(autograd.ones(1, 2, 2, 3), autograd.ones(1, 1, 2, 2, 2)).tolist()
    [[[[8.0, 8.0]]]]
    """
    return autograd.conv3d(input, weight, bias, stride, padding, dilation, groups)


def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> Tensor:
    """Spread signals (N, C, L) or (C, L) by `weight` (C, O / groups, K).

    >>> kernel = autograd.tensor([[[3.0, 1.0]]])
    >>> conv_transpose1d(autograd.tensor([[1.0, 2.0]]), kernel, stride=2).tolist()
    [[3.0, 1.0, 6.0, 2.0]]
    """
    options = (stride, padding, output_padding, groups, dilation)
    return autograd.conv_transpose1d(input, weight, bias, *options)


def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> Tensor:
    """Spread images (N, C, H, W) or (C, H, W) by `weight` (C, O / groups, KH, KW).

    The result is (H - 1) stride - 2 padding + dilation (KH - 1) + output_padding + 1 high.

    >>> conv_transpose2d(autograd.ones(1, 1, 2), autograd.ones(1, 1, 2, 2)).tolist()
    [[[1.0, 2.0, 1.0], [1.0, 2.0, 1.0]]]
    """
    options = (stride, padding, output_padding, groups, dilation)
    return autograd.conv_transpose2d(input, weight, bias, *options)


def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> Tensor:
    """Spread volumes (N, C, D, H, W) or (C, D, H, W) by `weight` (C, O / groups, KD, KH, KW).

    >>> kernel = autograd.ones(1, 3, 1, 2, 2)
    >>> tuple(conv_transpose3d(autograd.ones(1, 1, 1, 2), kernel, stride=2).shape)
    (3, 1, 2, 4)
    """
    options = (stride, padding, output_padding, groups, dilation)
    return autograd.conv_transpose3d(input, weight, bias, *options)
