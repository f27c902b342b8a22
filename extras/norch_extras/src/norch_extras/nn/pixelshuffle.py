"""Moving numbers between channels and pixels: pixel_shuffle, its inverse, channel_shuffle; and
their modules."""

from __future__ import annotations

from norch_autograd import Tensor
from norch_autograd.graph.operands import in_own_name
from norch_nn.core.module import Module


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
    """Return the shape of the images whose pixels are shuffled, or refuse it."""
    if input.ndim < 3:
        raise RuntimeError(
            f"[{name}] (..., C, H, W) is expected, not shape {tuple(input.shape)}: unsqueeze it"
        )
    return tuple(input.shape)


def positive(name: str, factor: int) -> int:
    """Return the factor of a shuffle if it is above 0."""
    if factor < 1:
        raise RuntimeError(f"[{name}] a factor of 1 or more is expected, not {factor}")
    return factor


class PixelShuffle(Module):
    """(N, C·r², H, W) becomes (N, C, H·r, W·r): r² channels become a square of pixels.

    >>> tuple(PixelShuffle(2)(norch.zeros(1, 8, 3, 5)).shape)
    (1, 2, 6, 10)
    """

    def __init__(self, upscale_factor: int) -> None:
        """Choose r."""
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """(N, C, H·r, W·r) becomes (N, C·r², H, W): the inverse of PixelShuffle.

    >>> tuple(PixelUnshuffle(2)(norch.zeros(1, 2, 6, 10)).shape)
    (1, 8, 3, 5)
    """

    def __init__(self, downscale_factor: int) -> None:
        """Choose r."""
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """The channels of (N, C, ...) interleaved: one of each group in turn (ShuffleNet, 2017).

    >>> ChannelShuffle(2)(norch.arange(4).reshape(1, 4, 1)).flatten().tolist()
    [0, 2, 1, 3]
    """

    def __init__(self, groups: int) -> None:
        """Choose the number of groups."""
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
