"""Transforms by lot: mirrors, turns, colours, and chances to do anything at all.

They draw from the default generator in the order of torchvision's, so that a seed makes the same
images there and here; RandomChoice draws from Python's `random`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from norch_autograd import Tensor, empty, rand, randint, randperm
from norch_nn.core.module import Module
from norch_nn.modules.container import ModuleList
from norchvision.transforms.color import (
    adjust_brightness,
    adjust_contrast,
    adjust_hue,
    adjust_saturation,
    rgb_to_grayscale,
)
from norchvision.transforms.geometry import (
    Interpolation,
    InterpolationMode,
    hflip,
    mode_of,
    rotate,
    vflip,
)
from norchvision.transforms.images import Image, read_dimensions

Range = tuple[float, float]


def uniform(low: float, high: float) -> float:
    """Draw a random number between two."""
    return float(empty(1).uniform_(low, high).item())


def draw_offset(room: int) -> int:
    """Draw the offset of a part of an image: a whole number from 0 to `room`."""
    return int(randint(0, room + 1, (1,)).item())


def draw_chance(p: float) -> bool:
    """Draw whether a transform of probability `p` is applied."""
    return bool(rand(1).item() < p)


def probability(name: str, p: float) -> float:
    """Return the probability of a transform, or refuse it."""
    if not 0 <= p <= 1:
        raise ValueError(f"[{name}] p must lie between 0 and 1, not {p}")
    return p


# ---- chances -------------------------------------------------------------------------------------


class RandomApply(Module):
    """Apply a list of transforms, all of them, with probability `p`.

    >>> RandomApply([abs], p=0.0)(-2)
    -2
    """

    def __init__(self, transforms: Sequence[Callable[[Any], Any]], p: float = 0.5) -> None:
        """Take the transforms in order: a list, or a ModuleList."""
        super().__init__()
        self.transforms = transforms if isinstance(transforms, ModuleList) else list(transforms)
        self.p = probability("RandomApply", p)

    def forward(self, img: Any) -> Any:
        if self.p < rand(1).item():
            return img
        for transform in self.transforms:
            img = transform(img)
        return img

    def __repr__(self) -> str:
        lines = ["RandomApply(", f"    p={self.p}", *(f"    {t!r}" for t in self.transforms), ")"]
        return "\n".join(lines)


class RandomChoice:
    """Apply one of several transforms, drawn with the weights `p`, or evenly.

    >>> RandomChoice([abs, str], p=[1, 0])(-2)
    2
    """

    def __init__(
        self, transforms: Sequence[Callable[[Any], Any]], p: Sequence[float] | None = None
    ) -> None:
        if p is not None and len(p) != len(transforms):
            raise ValueError(f"[RandomChoice] {len(p)} weights for {len(transforms)} transforms")
        self.transforms = list(transforms)
        self.p = p

    def __call__(self, img: Any) -> Any:
        import random  # slow to import, seldom needed

        return random.choices(self.transforms, weights=self.p)[0](img)

    def __repr__(self) -> str:
        lines = ["RandomChoice(", *(f"    {t!r}" for t in self.transforms), f")(p={self.p})"]
        return "\n".join(lines)


class RandomHorizontalFlip(Module):
    """Mirror left and right with probability `p`.

    >>> RandomHorizontalFlip(1.0)(norch.tensor([[[1, 2, 3]]])).tolist()
    [[[3, 2, 1]]]
    """

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = probability("RandomHorizontalFlip", p)

    def forward(self, img: Image) -> Image:
        return hflip(img) if draw_chance(self.p) else img

    def __repr__(self) -> str:
        return f"RandomHorizontalFlip(p={self.p})"


class RandomVerticalFlip(Module):
    """Mirror top and bottom with probability `p`.

    >>> RandomVerticalFlip(1.0)(norch.tensor([[[1], [2]]])).tolist()
    [[[2], [1]]]
    """

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = probability("RandomVerticalFlip", p)

    def forward(self, img: Image) -> Image:
        return vflip(img) if draw_chance(self.p) else img

    def __repr__(self) -> str:
        return f"RandomVerticalFlip(p={self.p})"


class RandomGrayscale(Module):
    """Make an image grey with probability `p`; it keeps its number of channels.

    >>> tuple(RandomGrayscale(1.0)(norch.zeros(3, 2, 2)).shape)
    (3, 2, 2)
    """

    def __init__(self, p: float = 0.1) -> None:
        super().__init__()
        self.p = probability("RandomGrayscale", p)

    def forward(self, img: Image) -> Image:
        channels = read_dimensions(img, "RandomGrayscale")[0]
        return rgb_to_grayscale(img, channels) if draw_chance(self.p) else img

    def __repr__(self) -> str:
        return f"RandomGrayscale(p={self.p})"


# ---- turns and colours ---------------------------------------------------------------------------


class RandomRotation(Module):
    """Turn by a random angle between two, or between -degrees and degrees.

    >>> tuple(RandomRotation(30)(norch.zeros(3, 4, 5)).shape)
    (3, 4, 5)
    """

    def __init__(
        self,
        degrees: float | Sequence[float],
        interpolation: Interpolation = InterpolationMode.NEAREST,
        expand: bool = False,
        center: Sequence[float] | None = None,
        fill: Any = 0,
    ) -> None:
        """Choose the bounds; the other arguments are those of functional.rotate."""
        super().__init__()
        bounds = (-degrees, degrees) if isinstance(degrees, int | float) else degrees
        if len(bounds) != 2 or (isinstance(degrees, int | float) and degrees < 0):
            raise ValueError(
                f"[RandomRotation] degrees is a number of 0 or more, or a pair, not {degrees!r}"
            )
        self.degrees = [float(d) for d in bounds]
        self.interpolation = mode_of("RandomRotation", interpolation)
        self.expand = expand
        self.center = center
        self.fill = 0 if fill is None else fill

    @staticmethod
    def get_params(degrees: Sequence[float]) -> float:
        """Draw the angle of a rotation."""
        return uniform(float(degrees[0]), float(degrees[1]))

    def forward(self, img: Image) -> Image:
        angle = self.get_params(self.degrees)
        return rotate(img, angle, self.interpolation, self.expand, self.center, self.fill)

    def __repr__(self) -> str:
        center = "" if self.center is None else f", center={self.center}"
        return (
            f"RandomRotation(degrees={self.degrees}, interpolation={self.interpolation.value}, "
            f"expand={self.expand}{center}, fill={self.fill})"
        )


class ColorJitter(Module):
    """Change brightness, contrast, saturation and hue by random factors, in a random order.

    A number b draws a factor from [max(0, 1 - b), 1 + b], for hue from [-b, b]; a pair gives the
    bounds themselves.

    >>> tuple(ColorJitter(0.4, 0.4, 0.4, 0.1)(norch.rand(3, 4, 4)).shape)
    (3, 4, 4)
    """

    def __init__(
        self,
        brightness: float | Range = 0,
        contrast: float | Range = 0,
        saturation: float | Range = 0,
        hue: float | Range = 0,
    ) -> None:
        """Choose the bounds; those that change nothing are None."""
        super().__init__()
        self.brightness = _factors("brightness", brightness)
        self.contrast = _factors("contrast", contrast)
        self.saturation = _factors("saturation", saturation)
        self.hue = _factors("hue", hue, middle=0.0, most=0.5)

    @staticmethod
    def get_params(*bounds: Range | None) -> tuple[Tensor, *tuple[float | None, ...]]:
        """Draw the order of the four, then each one's factor."""
        return randperm(4), *(None if b is None else uniform(*b) for b in bounds)

    def forward(self, img: Image) -> Image:
        changes = (adjust_brightness, adjust_contrast, adjust_saturation, adjust_hue)
        bounds = (self.brightness, self.contrast, self.saturation, self.hue)
        order, *factors = self.get_params(*bounds)
        for i in order.tolist():
            if factors[i] is not None:
                img = changes[i](img, factors[i])
        return img

    def __repr__(self) -> str:
        return (
            f"ColorJitter(brightness={self.brightness}, contrast={self.contrast}, "
            f"saturation={self.saturation}, hue={self.hue})"
        )


def _factors(
    name: str, given: float | Sequence[float], middle: float = 1.0, most: float = math.inf
) -> Range | None:
    """Return the bounds of a jitter's factor, or None where it changes nothing."""
    if isinstance(given, int | float):
        if given < 0:
            raise ValueError(f"[ColorJitter] {name} must be 0 or more, not {given}")
        low = middle - given
        given = (max(low, 0.0) if middle else low, middle + given)
    low, high = _pair_of_floats(name, given)
    least = 0.0 if middle else -most
    if not least <= low <= high <= most:
        raise ValueError(
            f"[ColorJitter] {name} must rise and lie between {least} and {most}: ({low}, {high})"
        )
    return None if low == high == middle else (low, high)


def _pair_of_floats(name: str, given: Any) -> Range:
    """Return the pair of bounds that ColorJitter was given."""
    if not isinstance(given, list | tuple) or len(given) != 2:
        raise TypeError(f"[ColorJitter] {name} is a number or a pair, not {given!r}")
    return float(given[0]), float(given[1])
