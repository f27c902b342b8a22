"""Names that PyTorch keeps for older scripts: resizing without a mode, pooling with its indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from norch_autograd import Tensor
from norch_nn.functional.pool import max_pool1d, max_pool2d, max_pool3d
from norch_nn.functional.resize import (
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
    interpolate,
)

Sizes = int | Sequence[int]
Scale = float | Sequence[float] | None


def upsample(
    input: Tensor,
    size: Sizes | None = None,
    scale_factor: Scale = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """Return `interpolate` of the same arguments.

    >>> upsample(norch.tensor([[[1.0, 2.0]]]), scale_factor=2).tolist()
    [[[1.0, 1.0, 2.0, 2.0]]]
    """
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(
    input: Tensor, size: Sizes | None = None, scale_factor: Scale = None
) -> Tensor:
    """Return `interpolate` in mode "nearest".

    >>> upsample_nearest(norch.tensor([[[1.0, 2.0]]]), 4).tolist()
    [[[1.0, 1.0, 2.0, 2.0]]]
    """
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(
    input: Tensor, size: Sizes | None = None, scale_factor: Scale = None
) -> Tensor:
    """Return `interpolate` in mode "bilinear", corners aligned.

    >>> upsample_bilinear(norch.tensor([[[[1.0, 3.0]]]]), (1, 3)).tolist()
    [[[[1.0, 2.0, 3.0]]]]
    """
    return interpolate(input, size, scale_factor, "bilinear", align_corners=True)


def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return max_pool1d and the places of the maxima, whatever `return_indices` says.

    >>> [part.tolist() for part in max_pool1d_with_indices(norch.tensor([[1.0, 3.0]]), 2)]
    [[[3.0]], [[1]]]
    """
    return max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return max_pool2d and the places of the maxima, whatever `return_indices` says.

    >>> [p.tolist() for p in max_pool2d_with_indices(norch.arange(4.0).reshape(1, 2, 2), 2)]
    [[[[3.0]]], [[[3]]]]
    """
    return max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return max_pool3d and the places of the maxima, whatever `return_indices` says.

    >>> [p.item() for p in max_pool3d_with_indices(norch.arange(8.0).reshape(1, 2, 2, 2), 2)]
    [7.0, 7]
    """
    return max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def adaptive_max_pool1d_with_indices(
    input: Tensor, output_size: Sizes, return_indices: bool = False
) -> Any:
    """Return adaptive_max_pool1d and the places of the maxima.

    >>> [p.tolist() for p in adaptive_max_pool1d_with_indices(norch.tensor([[1.0, 3.0]]), 1)]
    [[[3.0]], [[1]]]
    """
    return adaptive_max_pool1d(input, output_size, True)


def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: Any, return_indices: bool = False
) -> Any:
    """Return adaptive_max_pool2d and the places of the maxima.

    >>> [p.item() for p in adaptive_max_pool2d_with_indices(norch.arange(4.0).reshape(1, 2, 2), 1)]
    [3.0, 3]
    """
    return adaptive_max_pool2d(input, output_size, True)


def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: Any, return_indices: bool = False
) -> Any:
    """Return adaptive_max_pool3d and the places of the maxima.

    >>> [p.item() for p in adaptive_max_pool3d_with_indices(norch.arange(8.0).view(1, 2, 2, 2), 1)]
    [7.0, 7]
    """
    return adaptive_max_pool3d(input, output_size, True)
