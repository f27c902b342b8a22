"""Where pixels go: resize, pad, crop, flip, rotate, erase.

An image is a PIL image or a tensor (..., C, H, W). Pillow moves PIL images, tensor operations move
tensors, as in torchvision; so the two differ by roundings, here as there. transforms.functional
hands these functions on, and the classes call them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum
from typing import Any

from norch_autograd import Tensor, cat, float32, float64, int64, linspace, ones_like, stack, tensor
from norch_autograd.more import meshgrid
from norch_extras.nn.grid_sample import grid_sample
from norch_extras.nn.upsampling import interpolate
from norch_nn.functional.padding import border_rows, pad as pad_tensor
from norchvision.transforms.images import Image, is_pil, pillow, pixels, read_dimensions


class InterpolationMode(Enum):
    """How a pixel between others is found; the last three are Pillow's alone."""

    NEAREST = "nearest"
    NEAREST_EXACT = "nearest-exact"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"
    BOX = "box"
    HAMMING = "hamming"
    LANCZOS = "lanczos"


# Pillow's own numbers for its ways: programs hand over Image.BICUBIC as well.
PILLOW = {"nearest": 0, "lanczos": 1, "bilinear": 2, "bicubic": 3, "box": 4, "hamming": 5}
MODES = {number: name for name, number in PILLOW.items()}
Interpolation = InterpolationMode | str | int


def mode_of(name: str, given: Interpolation) -> InterpolationMode:
    """Return an interpolation mode for itself, its name or Pillow's number.

    >>> mode_of("resize", 3)
    <InterpolationMode.BICUBIC: 'bicubic'>
    """
    if isinstance(given, InterpolationMode):
        return given
    known = [mode.value for mode in InterpolationMode]
    value = MODES.get(given, given) if isinstance(given, int) else given
    if value not in known:
        raise ValueError(f"[{name}] interpolation must be one of {known}, not {given!r}")
    return InterpolationMode(value)


def _pillow_mode(name: str, given: Interpolation) -> int:
    """Return Pillow's number for an interpolation mode."""
    mode = mode_of(name, given).value
    return PILLOW["nearest" if mode == "nearest-exact" else mode]


def pair(name: str, size: int | Sequence[int]) -> tuple[int, int]:
    """Return the (height, width) of an image for a number or two.

    >>> pair("crop", 3)
    (3, 3)
    """
    sizes = (size, size) if isinstance(size, int) else tuple(size)
    sizes = sizes * 2 if len(sizes) == 1 else sizes
    if len(sizes) != 2 or any(not isinstance(n, int) or n <= 0 for n in sizes):
        raise ValueError(f"[{name}] a size, or (height, width), above 0 is expected, not {size!r}")
    return sizes[0], sizes[1]


def check_pixels(name: str, img: Image) -> list[int]:
    """Return [channels, height, width] of an image that has pixels, or refuse it.

    >>> check_pixels("resize", norch.zeros(3, 2, 5))
    [3, 2, 5]
    """
    sizes = read_dimensions(img, name)
    if 0 in sizes[1:]:
        raise ValueError(f"[{name}] an image of {sizes[1]} x {sizes[2]} has no pixels")
    return sizes


# ---- another size --------------------------------------------------------------------------------


def resize(
    img: Image,
    size: int | Sequence[int],
    interpolation: Interpolation = InterpolationMode.BILINEAR,
    max_size: int | None = None,
    antialias: bool | None = True,
) -> Image:
    """Give an image another size: (height, width), or a number for the shorter side.

    `max_size` bounds the longer side then. `antialias` lets every pixel of a tensor count where it
    shrinks; Pillow always does so.

    >>> resize(norch.tensor([[[1, 2, 3, 4]]]), (1, 2), "nearest").tolist()
    [[[1, 3]]]
    """
    mode = mode_of("resize", interpolation)
    _, height, width = check_pixels("resize", img)
    target = _new_size(height, width, size, max_size)
    if target == (height, width):
        return img
    if is_pil(img):
        return img.resize(target[::-1], _pillow_mode("resize", mode))
    return _resize_tensor(img, target, mode, bool(antialias))


def _new_size(
    height: int, width: int, size: int | Sequence[int], max_size: int | None
) -> tuple[int, int]:
    """Return the (height, width) of a resized image."""
    wanted = pair("resize", size)
    if not isinstance(size, int) and len(size) == 2:
        if max_size is not None:
            raise ValueError("[resize] max_size goes with one number for the shorter side")
        return wanted
    short, long = wanted[0], int(wanted[0] * max(height, width) / min(height, width))
    if max_size is not None:
        if max_size <= short:
            raise ValueError(f"[resize] max_size {max_size} must be above the size {short}")
        if long > max_size:
            short, long = int(max_size * short / long), max_size
    return (short, long) if height <= width else (long, short)


def _resize_tensor(
    image: Tensor, size: tuple[int, int], mode: InterpolationMode, antialias: bool
) -> Tensor:
    """Resize images in a tensor; whole numbers are computed as floats and rounded."""
    if mode.value in ("box", "hamming", "lanczos"):
        raise ValueError(f"[resize] {mode} is for PIL images; a tensor takes bilinear or bicubic")
    smooth = mode in (InterpolationMode.BILINEAR, InterpolationMode.BICUBIC)
    batch = image.reshape(1, -1, *image.shape[-2:])
    batch = batch if image.dtype in (float32, float64) else batch.to(float32)
    corners = False if smooth else None
    batch = interpolate(batch, size, None, mode.value, corners, antialias=smooth and antialias)
    if not image.is_floating_point():
        if mode == InterpolationMode.BICUBIC:  # its weights overshoot
            batch = batch.clamp(0, 255)
        batch = batch.round()
    return batch.reshape(*image.shape[:-2], *size).to(image.dtype)


# ---- margins and parts ---------------------------------------------------------------------------


def sides(name: str, padding: int | Sequence[int]) -> tuple[int, int, int, int]:
    """Return an image's margins (left, top, right, bottom) for one number, two or four.

    >>> sides("pad", (1, 2))
    (1, 2, 1, 2)
    """
    numbers = (padding,) if isinstance(padding, int) else tuple(padding)
    if len(numbers) not in (1, 2, 4) or not all(isinstance(n, int) for n in numbers):
        raise ValueError(
            f"[{name}] padding is one whole number, two (left and right, top and bottom) or four "
            f"(left, top, right, bottom), not {padding!r}"
        )
    left, top, right, bottom = numbers * (4 // len(numbers))
    return left, top, right, bottom


def pad(
    img: Image, padding: int | Sequence[int], fill: Any = 0, padding_mode: str = "constant"
) -> Image:
    """Add pixels around an image: `padding` on all sides, or see `sides`; below 0 cuts some off.

    `padding_mode` is "constant" (`fill`: a number, or one a channel), "edge", "reflect" or
    "symmetric", which mirrors with the border repeated.

    >>> pad(norch.tensor([[[1, 2, 3]]]), (2, 0), padding_mode="symmetric").tolist()
    [[[2, 1, 1, 2, 3, 3, 2]]]
    """
    check_padding("pad", padding_mode)
    left, top, right, bottom = sides("pad", padding)
    read_dimensions(img, "pad")
    if not is_pil(img):
        return _pad_tensor(img, (left, top, right, bottom), fill, padding_mode)
    if padding_mode == "constant":
        return _pad_pil(img, (left, top, right, bottom), fill)
    padded = _pad_tensor(pixels(img), (left, top, right, bottom), 0, padding_mode)
    return _like_pil(padded, img)


def check_padding(name: str, mode: str) -> None:
    """Refuse a mode of padding images that does not exist."""
    if mode not in ("constant", "edge", "reflect", "symmetric"):
        raise ValueError(
            f"[{name}] padding_mode must be 'constant', 'edge', 'reflect' or 'symmetric', "
            f"not {mode!r}"
        )


def _pad_pil(img: Any, around: Sequence[int], fill: Any) -> Any:
    """Paste a PIL image into one full of `fill`; the colours of a palette stay."""
    left, top, right, bottom = around
    size = (img.width + left + right, img.height + top + bottom)
    padded = pillow().new(img.mode, size, colour("pad", img, fill))
    if img.mode == "P":
        padded.putpalette(img.getpalette())
    padded.paste(img, (left, top))
    return padded


def colour(name: str, img: Any, fill: Any) -> Any:
    """Return what Pillow takes for a colour: a number, or one for every band."""
    bands = len(img.getbands())
    if isinstance(fill, Tensor | list | tuple):
        numbers = tuple(fill.tolist() if isinstance(fill, Tensor) else fill)
        numbers = numbers * bands if len(numbers) == 1 else numbers
    else:
        numbers = (fill or 0,) * bands
    if len(numbers) != bands:
        raise ValueError(f"[{name}] fill {fill!r} for the {bands} bands of mode {img.mode}")
    numbers = numbers if img.mode == "F" else tuple(int(n) for n in numbers)
    return numbers if bands > 1 else numbers[0]


def _like_pil(image: Tensor, img: Any) -> Any:
    """Make a PIL image in the mode, and with the palette, of another."""
    _, height, width = image.shape
    mode = {"1": "L"}.get(img.mode, "I" if img.mode.startswith("I") else img.mode)
    flat = image.permute(1, 2, 0).contiguous()
    made = pillow().frombytes(mode, (width, height), bytes(memoryview(flat.array)))
    if img.mode == "P":
        made.putpalette(img.getpalette())
    return made if img.mode in (mode, "P") else made.convert(img.mode)


def _pad_tensor(image: Tensor, around: Sequence[int], fill: Any, mode: str) -> Tensor:
    """Pad images in a tensor."""
    left, top, right, bottom = around
    if mode == "constant":
        numbers = fill if isinstance(fill, list | tuple) else [fill]
        if len(numbers) != 1:
            raise ValueError(f"[pad] one number fills the margin of a tensor, not {fill!r}")
        return pad_tensor(image, (left, right, top, bottom), value=numbers[0])
    _, height, width = check_pixels("pad", image)
    if mode == "reflect" and (max(left, right) >= width or max(top, bottom) >= height):
        raise ValueError(f"[pad] {tuple(around)} is too much to mirror from ({height}, {width})")
    for dim, size, before, after in ((-2, height, top, bottom), (-1, width, left, right)):
        rows = border_rows(size, before, after, "replicate" if mode == "edge" else mode)
        image = image.index_select(dim, tensor(rows, dtype=int64, device=image.device))
    return image


def crop(img: Image, top: int, left: int, height: int, width: int) -> Image:
    """Cut out a part; what lies outside the image is 0.

    >>> crop(norch.arange(6).reshape(1, 2, 3), 1, 1, 2, 2).tolist()
    [[[4, 5], [0, 0]]]
    """
    _, high, wide = read_dimensions(img, "crop")
    if is_pil(img):
        return img.crop((left, top, left + width, top + height))
    around = (-left, left + width - wide, -top, top + height - high)
    if max(around) > 0:
        return pad_tensor(img, around)
    return img[..., top : top + height, left : left + width]


def center_crop(img: Image, output_size: int | Sequence[int]) -> Image:
    """Cut out the middle; a smaller image gets a black margin first.

    >>> center_crop(norch.arange(16).reshape(1, 4, 4), 2).tolist()
    [[[5, 6], [9, 10]]]
    """
    height, width = pair("center_crop", output_size)
    _, high, wide = read_dimensions(img, "center_crop")
    if width > wide or height > high:
        spare = (max(width - wide, 0), max(height - high, 0))
        before, after = [n // 2 for n in spare], [(n + 1) // 2 for n in spare]
        img = pad(img, (*before, *after))
        high, wide = max(high, height), max(wide, width)
    # Python rounds a half to the even number, and so does torchvision.
    return crop(img, round((high - height) / 2), round((wide - width) / 2), height, width)


def resized_crop(
    img: Image,
    top: int,
    left: int,
    height: int,
    width: int,
    size: int | Sequence[int],
    interpolation: Interpolation = InterpolationMode.BILINEAR,
    antialias: bool | None = True,
) -> Image:
    """Cut out a part and resize it.

    >>> resized_crop(norch.arange(4).reshape(1, 2, 2), 1, 0, 1, 2, (1, 1), "nearest").tolist()
    [[[2]]]
    """
    return resize(crop(img, top, left, height, width), size, interpolation, None, antialias)


# ---- mirrors and turns ---------------------------------------------------------------------------


def hflip(img: Image) -> Image:
    """Mirror left and right.

    >>> hflip(norch.tensor([[[1, 2, 3]]])).tolist()
    [[[3, 2, 1]]]
    """
    read_dimensions(img, "hflip")
    return img.transpose(pillow().FLIP_LEFT_RIGHT) if is_pil(img) else img.flip([-1])


def vflip(img: Image) -> Image:
    """Mirror top and bottom.

    >>> vflip(norch.tensor([[[1], [2]]])).tolist()
    [[[2], [1]]]
    """
    read_dimensions(img, "vflip")
    return img.transpose(pillow().FLIP_TOP_BOTTOM) if is_pil(img) else img.flip([-2])


def rotate(
    img: Image,
    angle: float,
    interpolation: Interpolation = InterpolationMode.NEAREST,
    expand: bool = False,
    center: Sequence[float] | None = None,
    fill: Any = None,
) -> Image:
    """Turn an image by `angle` degrees, counter-clockwise, around its middle or `center` (x, y).

    What comes in from outside is `fill` (0). `expand` makes the image as large as it takes to show
    every pixel.

    >>> rotate(norch.tensor([[[1, 2], [3, 4]]]), 90).tolist()
    [[[2, 4], [1, 3]]]
    """
    _, height, width = read_dimensions(img, "rotate")
    mode = mode_of("rotate", interpolation)
    if is_pil(img):
        filled = None if fill is None else colour("rotate", img, fill)
        return img.rotate(angle, _pillow_mode("rotate", mode), expand, center, fillcolor=filled)
    if mode not in (InterpolationMode.NEAREST, InterpolationMode.BILINEAR):
        raise ValueError(f"[rotate] a tensor is turned by nearest or bilinear, not {mode}")
    x, y = (0.0, 0.0) if center is None else (center[0] - width / 2, center[1] - height / 2)
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    # Where a new pixel comes from: turned back around (x, y), which lies off the image's middle.
    matrix = [[cos, -sin, x - cos * x + sin * y], [sin, cos, y - sin * x - cos * y]]
    size = _turn_size(matrix, width, height) if expand else (width, height)
    return _warp(img, matrix, size, mode.value, fill)


def _turn_size(matrix: list[list[float]], width: int, height: int) -> tuple[int, int]:
    """Return the (width, height) that holds all corners of a turned image, in whole pixels."""
    found = []
    for size, (a, b, c) in zip((width, height), matrix, strict=True):
        reach = (abs(a) * width + abs(b) * height) / 2
        ends = (size / 2 + c - reach, size / 2 + c + reach)
        low, high = (round(end, 4) for end in ends)  # 1e-15 is no pixel
        found.append(math.ceil(high) - math.floor(low))
    return found[0], found[1]


def _warp(
    image: Tensor, matrix: list[list[float]], size: tuple[int, int], mode: str, fill: Any
) -> Tensor:
    """Return a tensor of (width, height) `size` whose pixel at (x, y) comes from matrix (x, y, 1).

    Places are counted from the middle of the image.
    """
    height, width = image.shape[-2:]
    batch = image.reshape(1, -1, height, width)
    batch = batch if batch.dtype in (float32, float64) else batch.to(float32)
    lines = [linspace((1 - n) / 2, (n - 1) / 2, n, dtype=batch.dtype) for n in size[::-1]]
    y, x = meshgrid(*lines, indexing="ij")
    half = tensor([width / 2, height / 2], dtype=batch.dtype)
    theta = tensor(matrix, dtype=batch.dtype).mT / half  # (3, 2)
    grid = (stack([x, y, ones_like(x)], -1) @ theta).unsqueeze(0).to(image.device)
    inside = ones_like(batch[:, :1])
    sampled = grid_sample(cat([batch, inside], 1), grid, mode, "zeros", align_corners=False)
    moved, inside = sampled[:, :-1], sampled[:, -1:]
    if fill is not None:
        numbers = fill if isinstance(fill, list | tuple) else [fill]
        outside = tensor(numbers, dtype=batch.dtype, device=image.device).reshape(1, -1, 1, 1)
        if mode == "nearest":
            inside = (inside >= 0.5).to(batch.dtype)
        moved = moved * inside + (1 - inside) * outside
    moved = moved if image.is_floating_point() else moved.round()
    return moved.reshape(*image.shape[:-2], *size[::-1]).to(image.dtype)


def erase(
    img: Tensor, i: int, j: int, h: int, w: int, v: Tensor | float, inplace: bool = False
) -> Tensor:
    """Write `v` over the part of a tensor with its corner at row `i`, column `j`.

    >>> erase(norch.ones(1, 2, 2), 0, 1, 1, 1, norch.tensor(0.0)).tolist()
    [[[1.0, 0.0], [1.0, 1.0]]]
    """
    if not isinstance(img, Tensor):
        raise TypeError(f"[erase] a tensor is expected, not {type(img).__name__}: ToTensor first")
    img = img if inplace else img.clone()
    img[..., i : i + h, j : j + w] = v
    return img
