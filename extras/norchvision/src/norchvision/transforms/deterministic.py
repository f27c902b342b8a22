"""Transforms without chance: conversions, sizes and margins, and what chains them.

An image is a PIL image or a tensor (..., C, H, W). Each class keeps its settings and calls a
function of transforms.functional; those that PyTorch lets stand in an nn.Sequential are modules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from norch_autograd import Tensor
from norch_cpu_ops import DType
from norch_nn.core.module import Module
from norchvision.transforms.color import normalize, rgb_to_grayscale
from norchvision.transforms.geometry import (
    Interpolation,
    InterpolationMode,
    center_crop,
    check_padding,
    mode_of,
    pad,
    pair,
    resize,
    sides,
)
from norchvision.transforms.images import (
    Image,
    convert_image_dtype,
    pil_to_tensor,
    to_pil_image,
    to_tensor,
)


class Compose:
    """Apply transforms one after the other.

    >>> Compose([abs, float])(-2)
    2.0
    """

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        self.transforms = list(transforms)

    def __call__(self, img: Any) -> Any:
        for transform in self.transforms:
            img = transform(img)
        return img

    def __repr__(self) -> str:
        return "\n".join(["Compose(", *(f"    {t!r}" for t in self.transforms), ")"])


class Lambda:
    """Use any function as a transform.

    >>> Lambda(len)("four")
    4
    """

    def __init__(self, lambd: Callable[[Any], Any]) -> None:
        if not callable(lambd):
            raise TypeError(f"[Lambda] a function is expected, not {type(lambd).__name__}")
        self.lambd = lambd

    def __call__(self, img: Any) -> Any:
        return self.lambd(img)

    def __repr__(self) -> str:
        return "Lambda()"


class Reshape:
    """Give a tensor another shape; one size may be -1.

    >>> tuple(Reshape([-1, 784, 1])(norch.zeros(1, 28, 28)).shape)
    (1, 784, 1)
    """

    def __init__(self, shape: Sequence[int]) -> None:
        self.shape = tuple(shape)

    def __call__(self, image: Tensor) -> Tensor:
        return image.reshape(*self.shape)

    def __repr__(self) -> str:
        return f"Reshape({list(self.shape)})"


# ---- conversions ---------------------------------------------------------------------------------


class ToTensor:
    """Make a float tensor (C, H, W) in [0, 1] of a PIL image, or of bytes (H, W) or (H, W, C).

    A number, such as a label, becomes a 0-d tensor.

    >>> from PIL import Image
    >>> ToTensor()(Image.new("RGB", (2, 1), (255, 0, 255))).flatten(1).tolist()
    [[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]]
    """

    def __call__(self, pic: Any) -> Tensor:
        return to_tensor(pic)

    def __repr__(self) -> str:
        return "ToTensor()"


class PILToTensor:
    """Make a tensor (C, H, W) of a PIL image, with the numbers that are in it.

    >>> from PIL import Image
    >>> PILToTensor()(Image.new("L", (2, 1), 7)).tolist()
    [[[7, 7]]]
    """

    def __call__(self, pic: Any) -> Tensor:
        return pil_to_tensor(pic)

    def __repr__(self) -> str:
        return "PILToTensor()"


class ToPILImage:
    """Make a PIL image of a tensor (C, H, W), floats in [0, 1] or bytes, or an array (H, W, C).

    >>> ToPILImage()(norch.ones(3, 4, 5)).size
    (5, 4)
    """

    def __init__(self, mode: str | None = None) -> None:
        """Choose Pillow's mode; None takes it from the channels."""
        self.mode = mode

    def __call__(self, pic: Any) -> Any:
        return to_pil_image(pic, self.mode)

    def __repr__(self) -> str:
        return "ToPILImage()" if self.mode is None else f"ToPILImage(mode={self.mode})"


class ConvertImageDtype(Module):
    """Change the dtype of a tensor and its scale: floats lie in [0, 1], bytes in 0 to 255.

    >>> ConvertImageDtype(norch.float32)(norch.tensor([0, 255], dtype=norch.uint8)).tolist()
    [0.0, 1.0]
    """

    def __init__(self, dtype: DType) -> None:
        super().__init__()
        self.dtype = dtype

    def forward(self, image: Tensor) -> Tensor:
        return convert_image_dtype(image, self.dtype)


class Normalize(Module):
    """Subtract `mean` and divide by `std`, one number a channel, of a float tensor (..., C, H, W).

    >>> Normalize([0.5], [0.5])(norch.ones(1, 2, 2)).max().item()
    1.0
    """

    def __init__(self, mean: Sequence[float], std: Sequence[float], inplace: bool = False) -> None:
        super().__init__()
        self.mean = mean
        self.std = std
        self.inplace = inplace

    def forward(self, tensor: Tensor) -> Tensor:
        return normalize(tensor, self.mean, self.std, self.inplace)

    def __repr__(self) -> str:
        return f"Normalize(mean={self.mean}, std={self.std})"


class Grayscale(Module):
    """Make an image grey, in one channel or three equal ones.

    >>> tuple(Grayscale(3)(norch.zeros(3, 4, 4)).shape)
    (3, 4, 4)
    """

    def __init__(self, num_output_channels: int = 1) -> None:
        super().__init__()
        self.num_output_channels = num_output_channels

    def forward(self, img: Image) -> Image:
        return rgb_to_grayscale(img, self.num_output_channels)

    def __repr__(self) -> str:
        return f"Grayscale(num_output_channels={self.num_output_channels})"


# ---- sizes ---------------------------------------------------------------------------------------


class Resize(Module):
    """Give the image another size: (height, width), or a number for the shorter side.

    >>> tuple(Resize(2)(norch.zeros(3, 4, 6)).shape)
    (3, 2, 3)
    """

    def __init__(
        self,
        size: int | Sequence[int],
        interpolation: Interpolation = InterpolationMode.BILINEAR,
        max_size: int | None = None,
        antialias: bool | None = True,
    ) -> None:
        """Choose the size, and how pixels between others are found: see functional.resize."""
        super().__init__()
        pair("Resize", size)
        self.size = size
        self.max_size = max_size
        self.interpolation = mode_of("Resize", interpolation)
        self.antialias = antialias

    def forward(self, img: Image) -> Image:
        return resize(img, self.size, self.interpolation, self.max_size, self.antialias)

    def __repr__(self) -> str:
        return (
            f"Resize(size={self.size}, interpolation={self.interpolation.value}, "
            f"max_size={self.max_size}, antialias={self.antialias})"
        )


class CenterCrop(Module):
    """Cut out the middle; a smaller image gets a black margin first.

    >>> CenterCrop(2)(norch.arange(16).reshape(1, 4, 4)).tolist()
    [[[5, 6], [9, 10]]]
    """

    def __init__(self, size: int | Sequence[int]) -> None:
        """Choose the size of what is left: a number, or (height, width)."""
        super().__init__()
        self.size = pair("CenterCrop", size)

    def forward(self, img: Image) -> Image:
        return center_crop(img, self.size)

    def __repr__(self) -> str:
        return f"CenterCrop(size={self.size})"


class Pad(Module):
    """Add pixels around an image.

    `padding` is one number, (left and right, top and bottom), or (left, top, right, bottom);
    `padding_mode` is "constant" (`fill`), "edge", "reflect" or "symmetric".

    >>> tuple(Pad((1, 2))(norch.zeros(3, 4, 4)).shape)
    (3, 8, 6)
    """

    def __init__(
        self, padding: int | Sequence[int], fill: Any = 0, padding_mode: str = "constant"
    ) -> None:
        super().__init__()
        sides("Pad", padding)
        check_padding("Pad", padding_mode)
        self.padding = padding
        self.fill = fill
        self.padding_mode = padding_mode

    def forward(self, img: Image) -> Image:
        return pad(img, self.padding, self.fill, self.padding_mode)

    def __repr__(self) -> str:
        return f"Pad(padding={self.padding}, fill={self.fill}, padding_mode={self.padding_mode})"
