"""Moving numbers between channels and pixels: pixel_shuffle, its inverse, channel_shuffle."""

from __future__ import annotations

from norch_autograd import Tensor
from norch_autograd.graph.operands import in_own_name


@in_own_name
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Return (..., C, H·r, W·r) of (..., C·r², H, W): r² channels become a square of pixels.

    >>> pixel_shuffle(norch.arange(4).reshape(4, 1, 1), 2).tolist()
    [[[0, 1], [2, 3]]]
    """
    *batch, channels, height, width = _shape_of("pixel_shuffle", input)
    r = positive("pixel_shuffle", upscale_factor)
    if channels % (r * r):
        raise RuntimeError(
            f"[pixel_shuffle] {channels} channels do not make squares of {r} x {r} pixels: "
            f"a multiple of {r * r} is expected"
        )
    parts = input.reshape(*batch, channels // (r * r), r, r, height, width)
    b = len(batch)  # (..., C, r, r, H, W) -> (..., C, H, r, W, r)
    turned = parts.permute(*range(b + 1), b + 3, b + 1, b + 4, b + 2)
    return turned.reshape(*batch, channels // (r * r), height * r, width * r)


@in_own_name
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Return (..., C·r², H, W) of (..., C, H·r, W·r): the inverse of `pixel_shuffle`.

    >>> pixel_unshuffle(norch.arange(4).reshape(1, 2, 2), 2).flatten().tolist()
    [0, 1, 2, 3]
    """
    *batch, channels, height, width = _shape_of("pixel_unshuffle", input)
    r = positive("pixel_unshuffle", downscale_factor)
    if height % r or width % r:
        raise RuntimeError(
            f"[pixel_unshuffle] an image of {height} x {width} has no squares of {r} x {r}"
        )
    parts = input.reshape(*batch, channels, height // r, r, width // r, r)
    b = len(batch)  # (..., C, H, r, W, r) -> (..., C, r, r, H, W)
    turned = parts.permute(*range(b + 1), b + 2, b + 4, b + 1, b + 3)
    return turned.reshape(*batch, channels * r * r, height // r, width // r)


@in_own_name
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Interleave the channels of (N, C, ...): one of each group in turn.

    >>> channel_shuffle(norch.arange(4).reshape(1, 4, 1), 2).flatten().tolist()
    [0, 2, 1, 3]
    """
    if input.ndim < 3:
        raise RuntimeError(
            f"[channel_shuffle] 3 dimensions or more are expected, not shape {tuple(input.shape)}"
        )
    channels = input.shape[1]
    if channels % positive("channel_shuffle", groups):
        raise RuntimeError(f"[channel_shuffle] {channels} channels do not make {groups} groups")
    parts = input.reshape(input.shape[0], groups, channels // groups, *input.shape[2:])
    return parts.transpose(1, 2).reshape(input.shape)


def _shape_of(name: str, input: Tensor) -> tuple[int, ...]:
    """Return the shape of an image, or of a batch of them."""
    if input.ndim < 3:
        raise RuntimeError(
            f"[{name}] (..., C, H, W) is expected, not shape {tuple(input.shape)}: unsqueeze it"
        )
    return tuple(input.shape)


def positive(name: str, factor: int) -> int:
    """Return the factor if it is a whole number above 0."""
    if factor < 1:
        raise RuntimeError(f"[{name}] a factor of 1 or more is expected, not {factor}")
    return factor
