"""Transforms: small callables from an image to a tensor, chained by Compose.

An image is a uint8 Tensor (or NumPy array) of shape (H, W) or (H, W, C); after ToTensor it is a
float32 Tensor (C, H, W) between 0 and 1, as in torchvision.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from norch_autograd import Tensor, as_tensor, float32, tensor, uint8
from norch_nn.vision.geometry import CenterCrop, RandomCrop, RandomHorizontalFlip, Resize

__all__ = [
    "CenterCrop",
    "Compose",
    "Lambda",
    "Normalize",
    "RandomCrop",
    "RandomHorizontalFlip",
    "Reshape",
    "Resize",
    "ToTensor",
]


class Compose:
    """Apply transforms one after the other.

    >>> Compose([abs, float])(-2)
    2.0
    """

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        """Take the transforms in order."""
        self.transforms = list(transforms)

    def __call__(self, img: Any) -> Any:
        """Transform one image (or label)."""
        for transform in self.transforms:
            img = transform(img)
        return img

    def __repr__(self) -> str:
        return "\n".join(["Compose(", *(f"    {t!r}" for t in self.transforms), ")"])


class ToTensor:
    """Make a float32 Tensor (C, H, W) in [0, 1] of a uint8 image (H, W) or (H, W, C).

    Images of other dtypes keep their values; a number, such as a label, becomes a 0-d tensor.

    >>> image = norch.full((28, 28), 255, dtype=norch.uint8)
    >>> tuple(ToTensor()(image).shape), ToTensor()(image).max().item()
    ((1, 28, 28), 1.0)
    """

    def __call__(self, pic: Any) -> Tensor:
        """Convert one image or number."""
        if isinstance(pic, bool | int | float):
            return tensor(pic)
        image = pic if isinstance(pic, Tensor) else as_tensor(pic)
        if image.ndim not in (2, 3):
            raise ValueError(
                "[ToTensor] an image (H, W) or (H, W, C) is expected, "
                f"not shape {tuple(image.shape)}"
            )
        image = image.unsqueeze(0) if image.ndim == 2 else image.permute(2, 0, 1)
        return image.to(float32) / 255 if image.dtype == uint8 else image.contiguous()

    def __repr__(self) -> str:
        return "ToTensor()"


class Normalize:
    """Subtract `mean` and divide by `std`, one number a channel, of a float tensor (..., C, H, W).

    >>> Normalize([0.5], [0.5])(norch.ones(1, 2, 2)).max().item()
    1.0
    """

    def __init__(self, mean: Sequence[float], std: Sequence[float], inplace: bool = False) -> None:
        """Choose the numbers; a std of 0 raises ValueError."""
        if any(value == 0 for value in std):
            raise ValueError(f"[Normalize] std must not contain 0: {list(std)}")
        self.mean = list(mean)
        self.std = list(std)
        self.inplace = inplace

    def __call__(self, image: Tensor) -> Tensor:
        """Normalise one image, or a batch."""
        if not isinstance(image, Tensor) or not image.is_floating_point():
            given = image.dtype if isinstance(image, Tensor) else type(image).__name__
            raise TypeError(f"[Normalize] a float tensor is expected, not {given}: ToTensor first")
        if image.ndim < 3:
            raise ValueError(f"[Normalize] shape (..., C, H, W) is expected: {tuple(image.shape)}")
        mean, std = (
            tensor(values, dtype=image.dtype, device=image.device).reshape(-1, 1, 1)
            for values in (self.mean, self.std)
        )
        return image.sub_(mean).div_(std) if self.inplace else (image - mean) / std

    def __repr__(self) -> str:
        return f"Normalize(mean={self.mean}, std={self.std})"


class Reshape:
    """Give the image another shape; one size may be -1.

    >>> tuple(Reshape([-1, 784, 1])(norch.zeros(1, 28, 28)).shape)
    (1, 784, 1)
    """

    def __init__(self, shape: Sequence[int]) -> None:
        """Choose the shape."""
        self.shape = tuple(shape)

    def __call__(self, image: Tensor) -> Tensor:
        """Reshape one image."""
        return image.reshape(*self.shape)

    def __repr__(self) -> str:
        return f"Reshape({list(self.shape)})"


class Lambda:
    """Use any function as a transform.

    >>> Lambda(len)("four")
    4
    """

    def __init__(self, lambd: Callable[[Any], Any]) -> None:
        """Take the function."""
        if not callable(lambd):
            raise TypeError(f"[Lambda] a function is expected, not {type(lambd).__name__}")
        self.lambd = lambd

    def __call__(self, img: Any) -> Any:
        """Call the function."""
        return self.lambd(img)

    def __repr__(self) -> str:
        return "Lambda()"
