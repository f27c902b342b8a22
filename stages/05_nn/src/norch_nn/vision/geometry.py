"""Transforms that move pixels: CenterCrop, RandomCrop, RandomHorizontalFlip, Resize.

Height and width are the first two dimensions of a uint8 image (H, W) or (H, W, C), the last two of
any other tensor (..., H, W). Random ones draw from the default generator. Resizing multiplies by a
matrix of weights (new, old), made once for each pair of sizes.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

from norch_autograd import Tensor, as_tensor, cat, float32, full, rand, randint, tensor, uint8
from norch_nn.functional.padding import border_rows


def _nearest(old: int, new: int) -> list[int]:
    """Return the old pixel for each new one: the left end of what it covers."""
    return [min(i * old // new, old - 1) for i in range(new)]


@functools.lru_cache(maxsize=64)
def bilinear(old: int, new: int, antialias: bool) -> Tensor:
    """Return the weights (new, old): a triangle around each new pixel's place.

    The triangle is two old pixels wide; with `antialias`, two new ones where the image shrinks,
    so that no old pixel is passed over.

    >>> bilinear(4, 2, False).tolist()
    [[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]]
    """
    scale = old / new
    reach = max(scale, 1.0) if antialias else 1.0
    rows = []
    for i in range(new):
        centre = (i + 0.5) * scale - 0.5
        if not antialias:
            centre = min(max(centre, 0.0), old - 1.0)
        row = [max(0.0, 1 - abs(j - centre) / reach) for j in range(old)]
        total = math.fsum(row)
        rows.append([weight / total for weight in row])
    return tensor(rows, dtype=float32)


def _resize_dim(image: Tensor, dim: int, size: int, interpolation: str, antialias: bool) -> Tensor:
    """Return a float image with `size` pixels along `dim`."""
    old = image.shape[dim]
    if old == size:
        return image
    if interpolation == "nearest":
        return image.index_select(dim, tensor(_nearest(old, size), device=image.device))
    weights = bilinear(old, size, antialias).to(image.device, image.dtype)
    return (image.movedim(dim, -1) @ weights.t()).movedim(-1, dim)


def _opened(name: str, img: Any) -> tuple[Tensor, int]:
    """Return an image as a tensor, and the dimension of its height; the width follows."""
    image = img if isinstance(img, Tensor) else as_tensor(img)
    if image.ndim < 2:
        raise ValueError(f"[{name}] an image is expected, not shape {tuple(image.shape)}")
    return image, 0 if image.dtype == uint8 and image.ndim == 3 else image.ndim - 2


def _pair(name: str, size: int | Sequence[int]) -> tuple[int, int]:
    """Return (height, width) for a number or two."""
    sizes = (size, size) if isinstance(size, int) else tuple(size)
    sizes = sizes * 2 if len(sizes) == 1 else sizes
    if len(sizes) != 2 or any(not isinstance(n, int) or n <= 0 for n in sizes):
        raise ValueError(f"[{name}] a size, or (height, width), above 0 is expected, not {size!r}")
    return sizes[0], sizes[1]


def padded(image: Tensor, dim: int, before: int, after: int, mode: str, fill: float) -> Tensor:
    """Add pixels on both sides of `dim`."""
    if before == after == 0:
        return image
    size = image.shape[dim]
    if mode != "constant":
        mode = "replicate" if mode == "edge" else mode
        return image.index_select(dim, tensor(border_rows(size, before, after, mode)))

    def block(count: int) -> Tensor:
        shape = [count if k == dim else n for k, n in enumerate(image.shape)]
        return full(shape, fill, dtype=image.dtype, device=image.device)

    return cat([block(before), image, block(after)], dim)


def pad_image(image: Tensor, dim: int, sides: Sequence[int], mode: str, fill: float) -> Tensor:
    """Add pixels on the sides (left, top, right, bottom) of an image with height `dim`."""
    left, top, right, bottom = sides
    image = padded(image, dim, top, bottom, mode, fill)
    return padded(image, dim + 1, left, right, mode, fill)


def _cut(image: Tensor, dim: int, top: int, left: int, height: int, width: int) -> Tensor:
    """Return a part of an image with height `dim`."""
    return image.narrow(dim, top, height).narrow(dim + 1, left, width)


class CenterCrop:
    """Cut out the middle; a smaller image gets a black margin first.

    >>> CenterCrop(2)(norch.arange(16).reshape(1, 4, 4)).tolist()
    [[[5, 6], [9, 10]]]
    """

    def __init__(self, size: int | Sequence[int]) -> None:
        """Choose the size of what is left: a number, or (height, width)."""
        self.size = _pair("CenterCrop", size)

    def __call__(self, img: Any) -> Tensor:
        """Crop one image."""
        image, dim = _opened("CenterCrop", img)
        height, width = self.size
        missing = [max(n - image.shape[dim + k], 0) for k, n in enumerate(self.size)]
        top, left = (n // 2 for n in missing)
        bottom, right = ((n + 1) // 2 for n in missing)
        image = pad_image(image, dim, (left, top, right, bottom), "constant", 0)
        # Python rounds a half to the even number, and so does torchvision.
        top, left = (round((image.shape[dim + k] - n) / 2) for k, n in enumerate(self.size))
        return _cut(image, dim, top, left, height, width)

    def __repr__(self) -> str:
        return f"CenterCrop(size={self.size})"


class RandomCrop:
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
        fill: float = 0,
        padding_mode: str = "constant",
    ) -> None:
        """Choose the size, and what is added around."""
        if padding_mode not in ("constant", "edge", "reflect", "symmetric"):
            raise ValueError(
                "[RandomCrop] padding_mode must be 'constant', 'edge', 'reflect' or 'symmetric', "
                f"not {padding_mode!r}"
            )
        self.size = _pair("RandomCrop", size)
        self.padding = padding
        self.pad_if_needed = pad_if_needed
        self.fill = fill
        self.padding_mode = padding_mode
        self._sides = sides(padding)

    def __call__(self, img: Any) -> Tensor:
        """Crop one image."""
        image, dim = _opened("RandomCrop", img)
        image = pad_image(image, dim, self._sides, self.padding_mode, self.fill)
        if self.pad_if_needed:
            high, wide = (max(n - image.shape[dim + k], 0) for k, n in enumerate(self.size))
            image = pad_image(image, dim, (wide, high, wide, high), self.padding_mode, self.fill)
        places: list[int] = []
        for k, n in enumerate(self.size):
            room = image.shape[dim + k] - n
            if room < 0:
                raise ValueError(
                    f"[RandomCrop] a part of {self.size} does not fit into "
                    f"{tuple(image.shape[dim : dim + 2])}: pad, or set pad_if_needed"
                )
            places.append(int(randint(0, room + 1, (1,)).item()))
        (top, left), (height, width) = places, self.size
        return _cut(image, dim, top, left, height, width)

    def __repr__(self) -> str:
        return f"RandomCrop(size={self.size}, padding={self.padding})"


def sides(padding: int | Sequence[int] | None) -> tuple[int, int, int, int]:
    """Return (left, top, right, bottom) for one number, two or four."""
    numbers = (padding or 0,) if padding is None or isinstance(padding, int) else tuple(padding)
    if len(numbers) not in (1, 2, 4) or any(n < 0 for n in numbers):
        raise ValueError(
            f"[RandomCrop] padding of 1, 2 or 4 numbers, 0 or more, is expected, not {padding!r}"
        )
    left, top, right, bottom = numbers * (4 // len(numbers))
    return left, top, right, bottom


class RandomHorizontalFlip:
    """Mirror left and right with probability `p`.

    >>> RandomHorizontalFlip(1.0)(norch.tensor([[1, 2, 3]])).tolist()
    [[3, 2, 1]]
    """

    def __init__(self, p: float = 0.5) -> None:
        """Choose the probability."""
        if not 0 <= p <= 1:
            raise ValueError(f"[RandomHorizontalFlip] p must lie between 0 and 1, not {p}")
        self.p = p

    def __call__(self, img: Any) -> Tensor:
        """Flip one image, or not."""
        image, dim = _opened("RandomHorizontalFlip", img)
        return image.flip([dim + 1]) if rand(1).item() < self.p else image

    def __repr__(self) -> str:
        return f"RandomHorizontalFlip(p={self.p})"


class Resize:
    """Give the image another size: (height, width), or a number for the shorter side.

    `interpolation` is "bilinear" or "nearest". `antialias` lets every old pixel count when a
    image shrinks.

    >>> Resize((1, 2), "nearest")(norch.tensor([[1, 2, 3, 4]])).tolist()
    [[1, 3]]
    """

    def __init__(
        self,
        size: int | Sequence[int],
        interpolation: str = "bilinear",
        antialias: bool = True,
    ) -> None:
        """Choose the size and how pixels between others are found."""
        if interpolation not in ("bilinear", "nearest"):
            raise ValueError(
                f"[Resize] interpolation must be 'bilinear' or 'nearest', not {interpolation!r}"
            )
        _pair("Resize", size)
        self.size = size
        self.interpolation = interpolation
        self.antialias = antialias

    def _target(self, height: int, width: int) -> tuple[int, int]:
        """Return the new height and width."""
        if not isinstance(self.size, int) and len(self.size) == 2:
            return self.size[0], self.size[1]
        short = self.size if isinstance(self.size, int) else self.size[0]
        if height <= width:
            return short, int(short * width / height)
        return int(short * height / width), short

    def __call__(self, img: Any) -> Tensor:
        """Resize one image."""
        image, dim = _opened("Resize", img)
        sizes = self._target(*image.shape[dim : dim + 2])
        exact = self.interpolation == "nearest" or image.is_floating_point()
        result = image if exact else image.float()
        for k, size in enumerate(sizes):
            result = _resize_dim(result, dim + k, size, self.interpolation, self.antialias)
        return result if exact else result.round().to(image.dtype)

    def __repr__(self) -> str:
        return (
            f"Resize(size={self.size}, interpolation={self.interpolation}, "
            f"antialias={self.antialias})"
        )
