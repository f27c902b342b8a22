"""Adaptive pooling: as many windows as `output_size` says, of any image.

Means of a volume are taken in depth first, then as images; maxima as images first, so that their
places are known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from norch_autograd import Tensor, cat, more
from norch_autograd.graph.family import family
from norch_autograd.more.nn.resample import check_sizes
from norch_nn.modules.pooling import Pooling

Size = int | Sequence[int | None] | None
LETTERS = {1: "L", 3: "DHW"}  # the sizes of a signal and of a volume; stage 4 knows images


@family("adaptive_avg_pool{}d")
def _adaptive_avg_pool(dims: int, input: Tensor, output_size: Size) -> Tensor:
    sizes = check_sizes(f"adaptive_avg_pool{dims}d", input, output_size, LETTERS[dims])
    if dims == 1:
        return more.adaptive_avg_pool2d(input.unsqueeze(-2), (1, *sizes)).squeeze(-2)
    return resize_volume(
        input,
        lambda sheets: more.adaptive_avg_pool2d(sheets, (sizes[0], None)),
        lambda images: more.adaptive_avg_pool2d(images, sizes[1:]),
    )


adaptive_avg_pool1d = _adaptive_avg_pool(1)("""
    Return means of as many windows as `output_size` says, of (N, C, L) or (C, L).

    >>> adaptive_avg_pool1d(norch.tensor([[1.0, 2.0, 6.0]]), 2).tolist()
    [[1.5, 4.0]]
""")
adaptive_avg_pool3d = _adaptive_avg_pool(3)("""
    Return means of as many windows as `output_size` says, of (N, C, D, H, W) or (C, D, H, W).

    >>> adaptive_avg_pool3d(norch.arange(8.0).reshape(1, 2, 2, 2), (None, 1, 1)).flatten().tolist()
    [1.5, 5.5]
""")


def resize_volume(
    volume: Tensor, deep: Callable[[Tensor], Tensor], flat: Callable[[Tensor], Tensor]
) -> Tensor:
    """Resize volumes (..., C, D, H, W): `deep` of (..., C, D, H W), `flat` of (..., C D, H, W)."""
    height, width = volume.shape[-2:]
    sheets = deep(volume.flatten(-2))
    images = flat(sheets.unflatten(-1, (height, width)).flatten(-4, -3))
    return images.unflatten(-3, (volume.shape[-4], sheets.shape[-2]))


@family("adaptive_max_pool{}d_with_indices")
def _adaptive_max_pool_with_indices(
    dims: int,
    input: Tensor,
    output_size: Size,
    return_indices: bool = False,  # an argument of PyTorch's, which decides nothing there either
) -> Any:
    return _max_and_places(dims, input, output_size)


adaptive_max_pool1d_with_indices = _adaptive_max_pool_with_indices(1)("""
    Return adaptive_max_pool1d and the places of the maxima, whatever `return_indices` says.

    >>> [p.tolist() for p in adaptive_max_pool1d_with_indices(norch.tensor([[1.0, 3.0]]), 1)]
    [[[3.0]], [[1]]]
""")
adaptive_max_pool2d_with_indices = _adaptive_max_pool_with_indices(2)("""
    Return adaptive_max_pool2d and the places of the maxima, whatever `return_indices` says.

    >>> [p.item() for p in adaptive_max_pool2d_with_indices(norch.arange(4.0).reshape(1, 2, 2), 1)]
    [3.0, 3]
""")
adaptive_max_pool3d_with_indices = _adaptive_max_pool_with_indices(3)("""
    Return adaptive_max_pool3d and the places of the maxima, whatever `return_indices` says.

    >>> [p.item() for p in adaptive_max_pool3d_with_indices(norch.arange(8.0).view(1, 2, 2, 2), 1)]
    [7.0, 7]
""")


@family("adaptive_max_pool{}d")
def _adaptive_max_pool(
    dims: int, input: Tensor, output_size: Size, return_indices: bool = False
) -> Any:
    pooled = _max_and_places(dims, input, output_size)
    return pooled if return_indices else pooled[0]


adaptive_max_pool1d = _adaptive_max_pool(1)("""
    Return the largest elements under the windows of `adaptive_avg_pool1d`; with `return_indices`
    also their places.

    >>> adaptive_max_pool1d(norch.tensor([[1.0, 2.0, 6.0]]), 2).tolist()
    [[2.0, 6.0]]
""")
adaptive_max_pool2d = _adaptive_max_pool(2)("""
    Return the largest elements under the windows of `adaptive_avg_pool2d`; with `return_indices`
    also their places.

    >>> adaptive_max_pool2d(norch.arange(6.0).reshape(1, 2, 3), (1, 2)).tolist()
    [[[4.0, 5.0]]]
""")
adaptive_max_pool3d = _adaptive_max_pool(3)("""
    Return the largest elements under the windows of `adaptive_avg_pool3d`; with `return_indices`
    also their places.

    >>> adaptive_max_pool3d(norch.arange(8.0).reshape(1, 2, 2, 2), (None, 1, 1)).flatten().tolist()
    [3.0, 7.0]
""")


def _max_and_places(dims: int, input: Tensor, output_size: Size) -> tuple[Tensor, Tensor]:
    """Return the maxima under the windows of a signal, an image or a volume, and their places."""
    if dims == 2:
        return more.adaptive_max_pool2d_with_indices(input, output_size)
    sizes = check_sizes(f"adaptive_max_pool{dims}d", input, output_size, LETTERS[dims])
    if dims == 3:
        return _max_and_places_of_volume(input, sizes)
    maxima, places = more.adaptive_max_pool2d_with_indices(input.unsqueeze(-2), (1, *sizes))
    return maxima.squeeze(-2), places.squeeze(-2)


def _max_and_places_of_volume(volume: Tensor, sizes: Sequence[int | None]) -> tuple[Tensor, Tensor]:
    """Return the maxima of every sheet's windows, then the largest of each window's sheets."""
    deep, height, width = volume.shape[-3:]
    count = deep if sizes[0] is None else sizes[0]
    flat = volume.flatten(-4, -3)  # every sheet an image
    images, places = more.adaptive_max_pool2d_with_indices(flat, sizes[1:])
    shape = (volume.shape[-4], deep)
    images, places = images.unflatten(-3, shape), places.unflatten(-3, shape)
    slabs = []
    for i in range(count):
        first, last = i * deep // count, -(-(i + 1) * deep // count)
        values, sheet = images.narrow(-3, first, last - first).max(-3, keepdim=True)
        place = places.narrow(-3, first, last - first).gather(-3, sheet)
        slabs.append((values, place + (sheet + first) * height * width))
    slabs = slabs or [(images.narrow(-3, 0, 0), places.narrow(-3, 0, 0))]
    return cat([slab[0] for slab in slabs], -3), cat([slab[1] for slab in slabs], -3)


class AdaptivePooling(Pooling):
    """What adaptive pooling layers share: the number of windows."""

    shown = ("output_size",)

    def __init__(self, output_size: Any) -> None:
        """Choose how many windows there are; None in it keeps the size."""
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Any:
        return self.pool(input, self.output_size)


class AdaptiveMaxPooling(AdaptivePooling):
    """What adaptive max pooling layers share: whether the places are returned."""

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        """Choose how many windows there are, and whether the places of the maxima are wanted."""
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        return self.pool(input, self.output_size, self.return_indices)


class AdaptiveAvgPool1d(AdaptivePooling):
    """Means of as many windows as `output_size` says, of (N, C, L) or (C, L).

    >>> AdaptiveAvgPool1d(2)(norch.tensor([[1.0, 2.0, 6.0]])).tolist()
    [[1.5, 4.0]]
    """

    pool = staticmethod(adaptive_avg_pool1d)


class AdaptiveAvgPool2d(AdaptivePooling):
    """Means of as many windows as `output_size` says, of (N, C, H, W) or (C, H, W).

    >>> AdaptiveAvgPool2d(1)(norch.arange(6.0).reshape(1, 2, 3)).tolist()
    [[[2.5]]]
    """

    pool = staticmethod(more.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(AdaptivePooling):
    """Means of as many windows as `output_size` says, of (N, C, D, H, W) or (C, D, H, W).

    >>> AdaptiveAvgPool3d(1)(norch.arange(8.0).reshape(1, 2, 2, 2)).tolist()
    [[[[3.5]]]]
    """

    pool = staticmethod(adaptive_avg_pool3d)


class AdaptiveMaxPool1d(AdaptiveMaxPooling):
    """The largest elements under as many windows as wanted, of (N, C, L) or (C, L).

    >>> AdaptiveMaxPool1d(2)(norch.tensor([[1.0, 2.0, 6.0]])).tolist()
    [[2.0, 6.0]]
    """

    pool = staticmethod(adaptive_max_pool1d)


class AdaptiveMaxPool2d(AdaptiveMaxPooling):
    """The largest elements under as many windows as wanted, of (N, C, H, W) or (C, H, W).

    >>> AdaptiveMaxPool2d((1, None))(norch.arange(6.0).reshape(1, 2, 3)).tolist()
    [[[3.0, 4.0, 5.0]]]
    """

    pool = staticmethod(adaptive_max_pool2d)


class AdaptiveMaxPool3d(AdaptiveMaxPooling):
    """The largest elements under as many windows as wanted, of (N, C, D, H, W) or (C, D, H, W).

    >>> AdaptiveMaxPool3d((None, 1, 1))(norch.arange(8.0).reshape(1, 2, 2, 2)).flatten().tolist()
    [3.0, 7.0]
    """

    pool = staticmethod(adaptive_max_pool3d)
