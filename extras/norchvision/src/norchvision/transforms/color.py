"""What pixels are: brightness, contrast, saturation, hue, grey, and normalization.

PIL images are changed by Pillow, tensors (..., C, H, W) by formulas, as in torchvision.
transforms.functional hands these on; classes call them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from norch_autograd import (
    Tensor,
    as_tensor,
    cat,
    float32,
    maximum,
    minimum,
    uint8,
    where,
    zeros_like,
)
from norchvision.transforms.images import (
    LARGEST,
    Image,
    convert_image_dtype,
    get_dimensions,
    is_pil,
    pillow,
    read_dimensions,
)

ADVICE = {  # for images of the modes that Pillow does not convert to RGB
    "LAB": "PIL.ImageCms makes an RGB image of it",
    "La": "image.convert('LA') first",
    "RGBa": "image.convert('RGBA') first",
}
GREY = (0.2989, 0.587, 0.114)  # of red, green, blue: what the eye takes for equally bright


def normalize(
    tensor: Tensor, mean: Sequence[float], std: Sequence[float], inplace: bool = False
) -> Tensor:
    """Return (tensor - mean) / std, one number a channel, of a float tensor (..., C, H, W).

    >>> normalize(norch.ones(1, 1, 2), [0.5], [0.25]).tolist()
    [[[2.0, 2.0]]]
    """
    if not isinstance(tensor, Tensor) or not tensor.is_floating_point():
        given = tensor.dtype if isinstance(tensor, Tensor) else type(tensor).__name__
        raise TypeError(f"[normalize] a float tensor is expected, not {given}: ToTensor first")
    if tensor.ndim < 3:
        raise ValueError(f"[normalize] shape (..., C, H, W) is expected: {tuple(tensor.shape)}")
    middle, width = _channels(mean, tensor, "mean"), _channels(std, tensor, "std")
    if (width == 0).any():
        raise ValueError(f"[normalize] std must not contain 0: {width.flatten().tolist()}")
    return tensor.sub_(middle).div_(width) if inplace else (tensor - middle) / width


def _channels(numbers: Any, image: Tensor, name: str) -> Tensor:
    """Return one number, or one a channel, in the shape that fits the image."""
    values = as_tensor(numbers, dtype=image.dtype, device=image.device)
    if values.ndim == 1:
        if len(values) not in (1, image.shape[-3]) and image.shape[-3] != 1:
            raise ValueError(
                f"[normalize] {len(values)} numbers as {name} for {image.shape[-3]} channels"
            )
        values = values.reshape(-1, 1, 1)
    return values


@contextmanager
def _pillow_changes(name: str, img: Any) -> Iterator[None]:
    """Say what helps where Pillow cannot do this to an image of the mode of `img`."""
    try:
        yield
    except ValueError as error:
        advice = ADVICE.get(img.mode, "image.convert('RGB') first")
        raise ValueError(
            f"[{name}] an image of mode {img.mode!r} cannot be changed so: {advice} "
            f"(Pillow: {error})"
        ) from error


# ---- grey ----------------------------------------------------------------------------------------


def rgb_to_grayscale(img: Image, num_output_channels: int = 1) -> Image:
    """Make an image grey: 0.2989 R + 0.587 G + 0.114 B, in one channel or three equal ones.

    >>> rgb_to_grayscale(norch.tensor([[[250]], [[0]], [[0]]], dtype=norch.uint8)).tolist()
    [[[74]]]
    """
    if num_output_channels not in (1, 3):
        raise ValueError(
            f"[rgb_to_grayscale] num_output_channels is 1 or 3, not {num_output_channels}"
        )
    channels = read_dimensions(img, "rgb_to_grayscale")[0]
    if is_pil(img):
        with _pillow_changes("rgb_to_grayscale", img):
            grey = img.convert("L")
        return grey if num_output_channels == 1 else pillow().merge("RGB", [grey] * 3)
    if channels not in (1, 3) or img.ndim < 3:
        raise TypeError(f"[rgb_to_grayscale] 1 or 3 channels are expected, not {channels}")
    grey = img.clone() if channels == 1 else _grey(img).to(img.dtype)
    return grey if num_output_channels == 1 else grey.expand(*img.shape[:-3], 3, *img.shape[-2:])


def _grey(image: Tensor) -> Tensor:
    """Return the brightness (..., 1, H, W) of colours (..., 3, H, W)."""
    red, green, blue = image.split(1, -3)
    return GREY[0] * red + GREY[1] * green + GREY[2] * blue


def to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    """Make a PIL image grey; `rgb_to_grayscale` does so with tensors too.

    >>> to_grayscale(pillow().new("RGB", (1, 1), (255, 0, 0))).getpixel((0, 0))
    76
    """
    if not is_pil(img):
        raise TypeError(f"[to_grayscale] a PIL image is expected, not {type(img).__name__}")
    return rgb_to_grayscale(img, num_output_channels)


# ---- jitter --------------------------------------------------------------------------------------


def _blend(image: Tensor, other: Tensor | float, share: float) -> Tensor:
    """Return share * image + (1 - share) * other, kept in the bounds of the dtype."""
    share = float(share)  # a whole number would leave bytes bytes, which overflow
    bound = 1.0 if image.is_floating_point() else LARGEST.get(image.dtype, 1)
    return (image * share + other * (1.0 - share)).clamp(0, bound).to(image.dtype)


def _enhance(name: str, img: Image, factor: float, enhancer: str) -> Any:
    """Check a factor and an image; return what Pillow makes of a PIL image, None for a tensor."""
    channels = read_dimensions(img, name)[0]
    if factor < 0:
        raise ValueError(f"[{name}] a factor of 0 or more is expected, not {factor}")
    if is_pil(img):
        from PIL import ImageEnhance

        with _pillow_changes(name, img):
            return getattr(ImageEnhance, enhancer)(img).enhance(factor)
    if channels not in (1, 3):
        raise TypeError(f"[{name}] 1 or 3 channels are expected, not {channels}")
    return None


def adjust_brightness(img: Image, brightness_factor: float) -> Image:
    """Multiply an image by a factor: 0 makes it black, 1 changes nothing.

    >>> adjust_brightness(norch.tensor([[[0.25, 0.75]]]), 2).tolist()
    [[[0.5, 1.0]]]
    """
    made = _enhance("adjust_brightness", img, brightness_factor, "Brightness")
    return _blend(img, 0.0, brightness_factor) if made is None else made


def adjust_contrast(img: Image, contrast_factor: float) -> Image:
    """Pull an image towards its mean grey (a factor of 0), or away from it (above 1).

    >>> adjust_contrast(norch.tensor([[[0.25, 0.75]]]), 0).tolist()
    [[[0.5, 0.5]]]
    """
    made = _enhance("adjust_contrast", img, contrast_factor, "Contrast")
    if made is not None:
        return made
    grey = rgb_to_grayscale(img) if img.ndim > 2 else img
    grey = grey if img.is_floating_point() else grey.to(float32)
    dims = [-3, -2, -1] if img.ndim > 2 else [-2, -1]
    return _blend(img, grey.mean(dims, keepdim=True), contrast_factor)


def adjust_saturation(img: Image, saturation_factor: float) -> Image:
    """Pull colours towards grey (a factor of 0), or away from it (above 1).

    >>> adjust_saturation(norch.ones(3, 1, 1), 1).flatten().tolist()
    [1.0, 1.0, 1.0]
    """
    made = _enhance("adjust_saturation", img, saturation_factor, "Color")
    if made is not None:
        return made
    grey = get_dimensions(img)[0] == 1
    return img if grey else _blend(img, rgb_to_grayscale(img), saturation_factor)


def adjust_hue(img: Image, hue_factor: float) -> Image:
    """Turn the colours around the circle by `hue_factor` of it, from -0.5 to 0.5.

    >>> red = norch.tensor([1.0, 0.0, 0.0]).reshape(3, 1, 1)
    >>> adjust_hue(red, 1 / 3).flatten().round(decimals=4).tolist()
    [0.0, 1.0, 0.0]
    """
    channels = read_dimensions(img, "adjust_hue")[0]
    if not -0.5 <= hue_factor <= 0.5:
        raise ValueError(f"[adjust_hue] hue_factor lies between -0.5 and 0.5, not {hue_factor}")
    if is_pil(img):
        return _turn_pil(img, hue_factor)
    if channels not in (1, 3):
        raise TypeError(f"[adjust_hue] 1 or 3 channels are expected, not {channels}")
    if channels == 1:  # grey has no hue
        return img
    floats = convert_image_dtype(img, float32) if img.dtype == uint8 else img
    hue, saturation, value = _hsv(floats)
    return convert_image_dtype(_rgb((hue + hue_factor) % 1.0, saturation, value), img.dtype)


def _turn_pil(img: Any, hue_factor: float) -> Any:
    """Turn the hue of a PIL image, which Pillow counts from 0 to 255."""
    if img.mode in ("L", "1", "I", "F"):
        return img
    shift = int(hue_factor * 255)
    with _pillow_changes("adjust_hue", img):
        hue, saturation, value = img.convert("HSV").split()
        turned = hue.point([(h + shift) % 256 for h in range(256)])
        return pillow().merge("HSV", (turned, saturation, value)).convert(img.mode)


def _hsv(image: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return hue, saturation and value, in [0, 1], of (..., 3, H, W)."""
    red, green, blue = image.split(1, -3)
    value = maximum(maximum(red, green), blue)
    spread = value - minimum(minimum(red, green), blue)
    grey = spread == 0
    divisor = where(grey, 1.0, spread)
    saturation = spread / where(grey, 1.0, value)
    # How far each colour lies below the largest one; the hue is counted from that one.
    r, g, b = ((value - colour) / divisor for colour in (red, green, blue))
    hue = where(value == red, b - g, where(value == green, 2.0 + r - b, 4.0 + g - r))
    return (hue / 6.0 + 1.0) % 1.0, where(grey, zeros_like(value), saturation), value


def _rgb(hue: Tensor, saturation: Tensor, value: Tensor) -> Tensor:
    """Return the colours (..., 3, H, W): value, less what a colour lies away from the hue."""
    parts = []
    for place in (5.0, 3.0, 1.0):  # red, green, blue
        away = (place + hue * 6.0) % 6.0
        away = minimum(away, 4.0 - away).clamp(0.0, 1.0)
        parts.append(value - value * saturation * away)
    return cat(parts, -3).clamp(0.0, 1.0)
