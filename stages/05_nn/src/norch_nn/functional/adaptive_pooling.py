"""Adaptive pooling: as many windows as `output_size` says, of any image.

Volumes are resized in depth first, then as images.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from norch_autograd import Tensor, cat, more
from norch_autograd.graph.operands import in_own_name
from norch_autograd.more.nn.resize import check_sizes
from norch_nn.core.sizes import Sizes

Size = int | Sequence[int | None] | None


@in_own_name
def adaptive_avg_pool1d(input: Tensor, output_size: int | Sequence[int]) -> Tensor:
    """Return means of as many windows as `output_size` says, of (N, C, L) or (C, L).

    >>> adaptive_avg_pool1d(norch.tensor([[1.0, 2.0, 6.0]]), 2).tolist()
    [[1.5, 4.0]]
    """
    size = (1, *check_sizes("adaptive_avg_pool1d", input, output_size, "L"))
    return more.adaptive_avg_pool2d(input.unsqueeze(-2), size).squeeze(-2)


@in_own_name
def adaptive_avg_pool3d(input: Tensor, output_size: Size) -> Tensor:
    """Return means of as many windows as `output_size` says, of (N, C, D, H, W) or (C, D, H, W).

    >>> adaptive_avg_pool3d(norch.arange(8.0).reshape(1, 2, 2, 2), (None, 1, 1)).flatten().tolist()
    [1.5, 5.5]
    """
    sizes = check_sizes("adaptive_avg_pool3d", input, output_size, "DHW")
    return _in_depth(
        input,
        lambda sheets: more.adaptive_avg_pool2d(sheets, (sizes[0], None)),
        lambda images: more.adaptive_avg_pool2d(images, sizes[1:]),
    )


@in_own_name
def adaptive_max_pool1d(
    input: Tensor, output_size: int | Sequence[int], return_indices: bool = False
) -> Any:
    """Return the largest elements under the windows of `adaptive_avg_pool1d`, and their places.

    >>> adaptive_max_pool1d(norch.tensor([[1.0, 2.0, 6.0]]), 2).tolist()
    [[2.0, 6.0]]
    """
    size = (1, *check_sizes("adaptive_max_pool1d", input, output_size, "L"))
    found = more.adaptive_max_pool2d_with_indices(input.unsqueeze(-2), size)
    values, places = (each.squeeze(-2) for each in found)
    return (values, places) if return_indices else values


@in_own_name
def adaptive_max_pool2d(input: Tensor, output_size: Size, return_indices: bool = False) -> Any:
    """Return the largest elements under the windows of `adaptive_avg_pool2d`, and their places.

    >>> adaptive_max_pool2d(norch.arange(6.0).reshape(1, 2, 3), (1, 2)).tolist()
    [[[4.0, 5.0]]]
    """
    found = more.adaptive_max_pool2d_with_indices(input, output_size)
    return found if return_indices else found[0]


@in_own_name
def adaptive_max_pool3d(input: Tensor, output_size: Size, return_indices: bool = False) -> Any:
    """Return the largest elements under the windows of `adaptive_avg_pool3d`, and their places.

    >>> adaptive_max_pool3d(norch.arange(8.0).reshape(1, 2, 2, 2), (None, 1, 1)).flatten().tolist()
    [3.0, 7.0]
    """
    sizes = check_sizes("adaptive_max_pool3d", input, output_size, "DHW")
    deep, height, width = input.shape[-3:]
    count = deep if sizes[0] is None else sizes[0]
    flat = input.flatten(-4, -3)  # every sheet an image
    images, places = more.adaptive_max_pool2d_with_indices(flat, sizes[1:])
    shape = (input.shape[-4], deep)
    images, places = images.unflatten(-3, shape), places.unflatten(-3, shape)
    slabs = []
    for i in range(count):
        first, last = i * deep // count, -(-(i + 1) * deep // count)
        values, sheet = images.narrow(-3, first, last - first).max(-3, keepdim=True)
        place = places.narrow(-3, first, last - first).gather(-3, sheet)
        slabs.append((values, place + (sheet + first) * height * width))
    slabs = slabs or [(images.narrow(-3, 0, 0), places.narrow(-3, 0, 0))]
    values, index = (cat([slab[k] for slab in slabs], -3) for k in (0, 1))
    return (values, index) if return_indices else values


def _in_depth(
    volume: Tensor, deep: Callable[[Tensor], Tensor], flat: Callable[[Tensor], Tensor]
) -> Tensor:
    """Resize (..., C, D, H, W) with `deep` on (..., C, D, H W), then `flat` on (..., C D, H, W)."""
    height, width = volume.shape[-2:]
    sheets = deep(volume.flatten(-2))
    images = flat(sheets.unflatten(-1, (height, width)).flatten(-4, -3))
    return images.unflatten(-3, (volume.shape[-4], sheets.shape[-2]))


@in_own_name
def adaptive_max_pool1d_with_indices(
    input: Tensor, output_size: Sizes, return_indices: bool = False
) -> Any:
    """Return adaptive_max_pool1d and the places of the maxima.

    >>> [p.tolist() for p in adaptive_max_pool1d_with_indices(norch.tensor([[1.0, 3.0]]), 1)]
    [[[3.0]], [[1]]]
    """
    return adaptive_max_pool1d(input, output_size, True)


@in_own_name
def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: Any, return_indices: bool = False
) -> Any:
    """Return adaptive_max_pool2d and the places of the maxima.

    >>> [p.item() for p in adaptive_max_pool2d_with_indices(norch.arange(4.0).reshape(1, 2, 2), 1)]
    [3.0, 3]
    """
    return adaptive_max_pool2d(input, output_size, True)


@in_own_name
def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: Any, return_indices: bool = False
) -> Any:
    """Return adaptive_max_pool3d and the places of the maxima.

    >>> [p.item() for p in adaptive_max_pool3d_with_indices(norch.arange(8.0).view(1, 2, 2, 2), 1)]
    [7.0, 7]
    """
    return adaptive_max_pool3d(input, output_size, True)
