"""PixelShuffle, PixelUnshuffle and ChannelShuffle as modules."""

from __future__ import annotations

from norch_autograd import Tensor
from norch_nn import functional as F
from norch_nn.core.module import Module


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
        return F.pixel_shuffle(input, self.upscale_factor)

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
        return F.pixel_unshuffle(input, self.downscale_factor)

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
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
