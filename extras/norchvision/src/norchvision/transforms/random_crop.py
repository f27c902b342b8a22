"""Transforms that draw a part of an image: RandomCrop, RandomResizedCrop, RandomErasing.

They draw in the order of torchvision's, as random.py does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from norch_autograd import Tensor, empty, exp, tensor
from norch_nn.core.module import Module
from norchvision.transforms.geometry import (
    Interpolation,
    InterpolationMode,
    check_padding,
    check_pixels,
    crop,
    erase,
    mode_of,
    pad,
    pair,
    resized_crop,
    sides,
)
from norchvision.transforms.images import Image, read_dimensions
from norchvision.transforms.random import Range, draw_chance, draw_offset, probability, uniform

TRIES = 10  # for a part that fits, as in torchvision


class RandomCrop(Module):
    """Cut out a part at a random place, after adding `padding` around the image.

    `padding` is one number, (left and right, top and bottom), or (left, top, right, bottom);
    `padding_mode` is "constant" (`fill`), "edge", "reflect" or "symmetric".

    >>> tuple(RandomCrop(32, padding=4)(norch.zeros(3, 32, 32)).shape)
    (3, 32, 32)
    """

    def __init__(
        self,
        size: int | Sequence[int],
        padding: int | Sequence[int] | None = None,
        pad_if_needed: bool = False,
        fill: Any = 0,
        padding_mode: str = "constant",
    ) -> None:
        super().__init__()
        check_padding("RandomCrop", padding_mode)
        sides("RandomCrop", padding or 0)
        self.size = pair("RandomCrop", size)
        self.padding = padding
        self.pad_if_needed = pad_if_needed
        self.fill = fill
        self.padding_mode = padding_mode

    @staticmethod
    def get_params(img: Image, output_size: tuple[int, int]) -> tuple[int, int, int, int]:
        """Draw a place: (top, left, height, width)."""
        _, high, wide = read_dimensions(img, "RandomCrop")
        height, width = output_size
        if high < height or wide < width:
            raise ValueError(
                f"[RandomCrop] a part of {output_size} does not fit into ({high}, {wide}): pad, "
                "or set pad_if_needed"
            )
        if (high, wide) == (height, width):
            return 0, 0, height, width
        return draw_offset(high - height), draw_offset(wide - width), height, width

    def forward(self, img: Image) -> Image:
        if self.padding is not None:
            img = pad(img, self.padding, self.fill, self.padding_mode)
        if self.pad_if_needed:
            _, high, wide = read_dimensions(img, "RandomCrop")
            lack = (max(self.size[1] - wide, 0), max(self.size[0] - high, 0))
            for margin in ((lack[0], 0), (0, lack[1])):
                img = pad(img, margin, self.fill, self.padding_mode) if any(margin) else img
        return crop(img, *self.get_params(img, self.size))

    def __repr__(self) -> str:
        return f"RandomCrop(size={self.size}, padding={self.padding})"


class RandomResizedCrop(Module):
    """Cut out a part of random area and shape, and resize it to `size`.

    `scale` bounds the share of the area, `ratio` width by height.

    >>> tuple(RandomResizedCrop(8)(norch.zeros(3, 20, 30)).shape)
    (3, 8, 8)
    """

    def __init__(
        self,
        size: int | Sequence[int],
        scale: Range = (0.08, 1.0),
        ratio: Range = (3 / 4, 4 / 3),
        interpolation: Interpolation = InterpolationMode.BILINEAR,
        antialias: bool | None = True,
    ) -> None:
        super().__init__()
        self.size = pair("RandomResizedCrop", size)
        self.scale = _bounds("RandomResizedCrop", "scale", scale)
        self.ratio = _bounds("RandomResizedCrop", "ratio", ratio)
        self.interpolation = mode_of("RandomResizedCrop", interpolation)
        self.antialias = antialias

    @staticmethod
    def get_params(img: Image, scale: Range, ratio: Range) -> tuple[int, int, int, int]:
        """Draw a part: (top, left, height, width); the middle where none of ten fits."""
        _, high, wide = check_pixels("RandomResizedCrop", img)
        for _ in range(TRIES):
            area, shape = _draw_area(high * wide, scale, ratio)
            width, height = round(math.sqrt(area * shape)), round(math.sqrt(area / shape))
            if 0 < width <= wide and 0 < height <= high:
                return draw_offset(high - height), draw_offset(wide - width), height, width
        low, most = min(ratio), max(ratio)
        width = round(high * most) if wide / high > most else wide
        height = round(wide / low) if wide / high < low else high
        return (high - height) // 2, (wide - width) // 2, height, width

    def forward(self, img: Image) -> Image:
        part = self.get_params(img, self.scale, self.ratio)
        return resized_crop(img, *part, self.size, self.interpolation, self.antialias)

    def __repr__(self) -> str:
        bounds = ", ".join(
            f"{name}={tuple(round(n, 4) for n in numbers)}"
            for name, numbers in (("scale", self.scale), ("ratio", self.ratio))
        )
        return (
            f"RandomResizedCrop(size={self.size}, {bounds}, "
            f"interpolation={self.interpolation.value}, antialias={self.antialias})"
        )


def _bounds(name: str, option: str, given: Sequence[float]) -> Range:
    """Return the bounds (low, high) of a part to crop or erase, or refuse them."""
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != 2:
        raise TypeError(f"[{name}] {option} is a pair (low, high), not {given!r}")
    if not 0 <= given[0] <= given[1]:
        raise ValueError(f"[{name}] {option} must be 0 or more and rise, not {given!r}")
    return given[0], given[1]


def _draw_area(area: int, scale: Range, ratio: Range) -> tuple[float, float]:
    """Draw a part's area, and width by height: as often twice as wide as half as wide."""
    drawn = area * uniform(*scale)
    low, high = (math.log(n) for n in ratio)
    return drawn, exp(empty(1).uniform_(low, high)).item()


class RandomErasing(Module):
    """Write `value` over a random part of a tensor (..., C, H, W), with probability `p`.

    `value` is a number, one a channel, or "random" for normal noise; `scale` bounds the share of
    the area, `ratio` height by width.

    >>> RandomErasing(p=1.0, value=2.0)(norch.zeros(3, 8, 8)).max().item()
    2.0
    """

    def __init__(
        self,
        p: float = 0.5,
        scale: Range = (0.02, 0.33),
        ratio: Range = (0.3, 3.3),
        value: Any = 0,
        inplace: bool = False,
    ) -> None:
        super().__init__()
        if isinstance(value, str) and value != "random":
            raise ValueError(f"[RandomErasing] value is numbers or 'random', not {value!r}")
        self.p = probability("RandomErasing", p)
        self.scale = _bounds("RandomErasing", "scale", scale)
        self.ratio = _bounds("RandomErasing", "ratio", ratio)
        self.value = value
        self.inplace = inplace

    def forward(self, img: Tensor) -> Tensor:
        """Erase a part of one image, or not; one draw serves a whole batch."""
        if not draw_chance(self.p):
            return img
        channels, high, wide = read_dimensions(img, "RandomErasing")
        for _ in range(TRIES):
            area, shape = _draw_area(high * wide, self.scale, self.ratio)
            height, width = round(math.sqrt(area * shape)), round(math.sqrt(area / shape))
            if height < high and width < wide:
                value = self._fill(channels, height, width)
                top, left = draw_offset(high - height), draw_offset(wide - width)
                return erase(img, top, left, height, width, value, self.inplace)
        return img

    def _fill(self, channels: int, height: int, width: int) -> Tensor:
        """Return what is written over an erased part: noise, or numbers that broadcast."""
        if self.value == "random":
            return empty(channels, height, width).normal_()
        numbers = [self.value] if isinstance(self.value, int | float) else list(self.value)
        if len(numbers) not in (1, channels):
            raise ValueError(f"[RandomErasing] {len(numbers)} values for {channels} channels")
        return tensor(numbers).reshape(-1, 1, 1)

    def __repr__(self) -> str:
        return (
            f"RandomErasing(p={self.p}, scale={self.scale}, ratio={self.ratio}, "
            f"value={self.value}, inplace={self.inplace})"
        )
