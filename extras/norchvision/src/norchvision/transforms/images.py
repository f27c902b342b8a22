"""PIL images and tensors (..., C, H, W), and the ways from one to the other.

The other transforms, and the datasets, call this. Pillow is imported when the first image is made,
never before: who hands a PIL image in has imported it already.
"""

from __future__ import annotations

import sys
from typing import Any

from norch_autograd import (
    Tensor,
    as_tensor,
    float32,
    float64,
    get_default_dtype,
    int32,
    int64,
    tensor,
    uint8,
)
from norch_cpu_ops import DType
from norch_nn.serialization.files import from_bytes

Image = Any  # a PIL image or a Tensor (..., C, H, W)
BANDS = {1: ("L",), 2: ("LA",), 3: ("RGB", "YCbCr", "HSV"), 4: ("RGBA", "CMYK", "RGBX")}
LARGEST = {uint8: 255, int32: 2**31 - 1, int64: 2**63 - 1}


def pillow() -> Any:
    """Return the module PIL.Image, or say how to get it."""
    try:
        from PIL import Image
    except ImportError as error:
        raise ModuleNotFoundError(
            "[vision] PIL images are wanted, and Pillow is not installed: "
            "python -m pip install pillow (the extra norch[vision])"
        ) from error
    return Image


def is_pil(img: Any) -> bool:
    """Whether `img` is a PIL image, asked without importing Pillow."""
    module = sys.modules.get("PIL.Image")
    return module is not None and isinstance(img, module.Image)


def _is_array(img: Any) -> bool:
    """Whether `img` is a NumPy array, asked without importing NumPy."""
    module = sys.modules.get("numpy")
    return module is not None and isinstance(img, module.ndarray)


def get_dimensions(img: Image, name: str = "get_dimensions") -> list[int]:
    """Return [channels, height, width]; `name` is who asks, for the error about what is no image.

    >>> get_dimensions(norch.zeros(3, 2, 5))
    [3, 2, 5]
    """
    if is_pil(img):
        width, height = img.size
        return [len(img.getbands()), height, width]
    if not isinstance(img, Tensor):
        raise TypeError(
            f"[{name}] a PIL image or a tensor (..., C, H, W) is expected, not "
            f"{type(img).__name__}{_advice(img)}"
        )
    if img.ndim < 2:
        raise TypeError(f"[{name}] an image (..., C, H, W) is expected, not {tuple(img.shape)}")
    return [img.shape[-3] if img.ndim > 2 else 1, *img.shape[-2:]]


def _advice(img: Any) -> str:
    """Return advice on how to make an image of what is none."""
    if isinstance(img, str) or hasattr(img, "__fspath__"):
        return f": open the file with PIL.Image.open({str(img)!r})"
    if _is_array(img):
        return ": ToTensor() or ToPILImage() makes one of an array (H, W, C)"
    return ""


def read_dimensions(img: Image, name: str) -> list[int]:
    """Return what get_dimensions does of an image that is to be transformed, read to its end.

    Pillow reads a file when its pixels are first wanted: one that is cut or damaged is named here.
    """
    if is_pil(img):
        try:
            img.load()
        except Exception as error:  # a broken file may break its decoder in any way
            file = getattr(img, "filename", "") or "this image"
            raise OSError(f"[{name}] {file} is no whole image: {error}") from error
    return get_dimensions(img, name)


def get_image_size(img: Image) -> list[int]:
    """Return [width, height].

    >>> get_image_size(norch.zeros(3, 2, 5))
    [5, 2]
    """
    return get_dimensions(img, "get_image_size")[:0:-1]


def get_image_num_channels(img: Image) -> int:
    """Return the number of channels.

    >>> get_image_num_channels(norch.zeros(3, 2, 5))
    3
    """
    return get_dimensions(img, "get_image_num_channels")[0]


def pixels(img: Any, name: str = "to_tensor") -> Tensor:
    """Return the numbers in a PIL image as a tensor (C, H, W): uint8, or int32, or float32.

    An image of single bits has 0 and 255; one of 16 bits, a dtype that norch has not, is int32.
    """
    channels, height, width = read_dimensions(img, name)
    if img.mode == "1" or img.mode.startswith("I;16"):
        img = img.convert("L" if img.mode == "1" else "I")
    dtype = {"I": int32, "F": float32}.get(img.mode, uint8)
    flat = from_bytes(img.tobytes(), dtype, (height, width, channels))
    return flat.permute(2, 0, 1).contiguous()


# ---- to tensors ----------------------------------------------------------------------------------


def to_tensor(pic: Any) -> Tensor:
    """Make a tensor (C, H, W) of a PIL image or an array (H, W) or (H, W, C); bytes become [0, 1].

    Other numbers keep their values. A number, such as a label, becomes a 0-d tensor.

    >>> to_tensor(pillow().new("L", (5, 4), 255))[:, 0, :3].tolist()
    [[1.0, 1.0, 1.0]]
    """
    if isinstance(pic, bool | int | float):
        return tensor(pic)
    if is_pil(pic):
        image = pixels(pic)
    elif _is_array(pic):
        image = _array_pixels("to_tensor", pic)
    else:
        raise TypeError(f"[to_tensor] {_expectation(pic)}")
    return image.to(get_default_dtype()) / 255 if image.dtype == uint8 else image


def _array_pixels(name: str, array: Any) -> Tensor:
    """Return an array (H, W) or (H, W, C) as a tensor (C, H, W)."""
    if array.ndim not in (2, 3):
        raise ValueError(
            f"[{name}] an array (H, W) or (H, W, C) is expected, not shape {array.shape}"
        )
    image = as_tensor(array)
    image = image.unsqueeze(0) if image.ndim == 2 else image.permute(2, 0, 1)
    return image.contiguous()


def _expectation(pic: Any) -> str:
    """Say what to do with what ToTensor does not take."""
    wanted = "a PIL image or an array (H, W) or (H, W, C) is expected, not "
    if isinstance(pic, Tensor):
        return (
            f"{wanted}a Tensor {tuple(pic.shape)}, which needs no ToTensor: "
            "ConvertImageDtype(norch.float32) scales bytes (C, H, W) to [0, 1]"
        )
    return f"{wanted}{type(pic).__name__}{_advice(pic)}"


def pil_to_tensor(pic: Any) -> Tensor:
    """Make a tensor (C, H, W) of a PIL image, with the numbers that are in it.

    >>> pil_to_tensor(pillow().new("L", (2, 1), 7)).tolist()
    [[[7, 7]]]
    """
    if not is_pil(pic):
        raise TypeError(f"[pil_to_tensor] a PIL image is expected, not {type(pic).__name__}")
    image = pixels(pic, "pil_to_tensor")
    return image != 0 if pic.mode == "1" else image


def convert_image_dtype(image: Tensor, dtype: DType = float32) -> Tensor:
    """Change the dtype and the scale with it: floats lie in [0, 1], whole numbers fill their dtype.

    >>> convert_image_dtype(norch.tensor([0.0, 0.5, 1.0]), norch.uint8).tolist()
    [0, 127, 255]
    """
    if not isinstance(image, Tensor):
        raise TypeError(f"[convert_image_dtype] a tensor is expected, not {type(image).__name__}")
    if image.dtype == dtype or (image.is_floating_point() and dtype.is_floating_point):
        return image.to(dtype)
    if dtype.is_floating_point:
        return image.to(dtype) / LARGEST.get(image.dtype, 1)
    if not image.is_floating_point():
        return _rescale(image, dtype)
    if dtype == int64 or (dtype == int32 and image.dtype != float64):
        raise RuntimeError(
            f"[convert_image_dtype] {image.dtype} cannot hold the numbers of {dtype}: use uint8"
        )
    return (image * (LARGEST.get(dtype, 1) + 1.0 - 1e-3)).to(dtype)


def _rescale(image: Tensor, dtype: DType) -> Tensor:
    """Bring whole numbers to the scale of another dtype of whole numbers."""
    before, after = LARGEST.get(image.dtype, 1) + 1, LARGEST.get(dtype, 1) + 1
    if before > after:
        return (image // (before // after)).to(dtype)
    return image.to(dtype) * (after // before)


# ---- to PIL images -------------------------------------------------------------------------------


def to_pil_image(pic: Any, mode: str | None = None) -> Any:
    """Make a PIL image of a tensor (C, H, W) or (H, W), or of an array (H, W, C) or (H, W).

    Floats are taken for [0, 1] and become bytes, but for mode "F". One channel makes "L" (int32
    "I"), two "LA", three "RGB", four "RGBA".

    >>> to_pil_image(norch.ones(3, 1, 2)).getpixel((0, 0))
    (255, 255, 255)
    """
    if isinstance(pic, Tensor):
        if pic.ndim not in (2, 3):
            raise ValueError(
                f"[to_pil_image] a tensor (C, H, W) or (H, W) is expected, not {tuple(pic.shape)}"
            )
        image = pic.detach().cpu()
        image = image.unsqueeze(0) if image.ndim == 2 else image
    elif _is_array(pic):
        image = _array_pixels("to_pil_image", pic)
    else:
        raise TypeError(
            f"[to_pil_image] a tensor or an array is expected, not {type(pic).__name__}"
        )
    if image.is_floating_point() and mode != "F":
        image = (image * 255).to(uint8)
    _, height, width = image.shape
    mode = _mode_of(image, mode)
    flat = image.permute(1, 2, 0).contiguous()
    return pillow().frombytes(mode, (width, height), bytes(memoryview(flat.array)))


def _mode_of(image: Tensor, mode: str | None) -> str:
    """Return the PIL mode for a tensor (C, H, W), or refuse the one that was asked for."""
    channels = image.shape[0]
    if channels not in BANDS:
        raise ValueError(f"[to_pil_image] an image has 1 to 4 channels, not {channels}")
    if image.dtype == uint8:
        possible = BANDS[channels]
    else:
        possible = {int32: ("I",), float32: ("F",)}.get(image.dtype, ()) if channels == 1 else ()
    if not possible:
        raise TypeError(
            f"[to_pil_image] no PIL image has {channels} channels of {image.dtype}: use uint8"
        )
    if mode is not None and mode not in possible:
        raise ValueError(f"[to_pil_image] mode {mode!r}: {channels} channels make {possible}")
    return mode or possible[0]
