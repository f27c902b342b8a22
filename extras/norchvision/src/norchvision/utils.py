"""Many images as one, and an image as a file: make_grid and save_image."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any, BinaryIO

from norch_autograd import Tensor, cat, no_grad, stack
from norch_nn.serialization.files import explain_full_disk
from norchvision.transforms.images import to_pil_image


@no_grad()
def make_grid(
    tensor: Tensor | Sequence[Tensor],
    nrow: int = 8,
    padding: int = 2,
    normalize: bool = False,
    value_range: tuple[float, float] | None = None,
    scale_each: bool = False,
    pad_value: float = 0.0,
) -> Tensor:
    """Lay images (N, C, H, W), or a list of (C, H, W), side by side: one image, `nrow` in a row.

    `normalize` stretches the values to [0, 1], from `value_range` or else from the least and the
    largest of all images, of each with `scale_each`. Grey images come out with three channels.

    >>> tuple(make_grid(norch.zeros(5, 1, 4, 4), nrow=3).shape)
    (3, 14, 20)
    """
    images = _as_batch(tensor)
    if normalize:
        images = _stretch(images.clone(), value_range, scale_each)
    count, channels, height, width = images.shape
    if count == 1:
        return images.squeeze(0)
    columns = min(nrow, count)
    rows = math.ceil(count / columns)
    height, width = height + padding, width + padding
    shape = (channels, height * rows + padding, width * columns + padding)
    grid = images.new_full(shape, pad_value)
    for i, image in enumerate(images):
        top, left = i // columns * height + padding, i % columns * width + padding
        grid[:, top : top + height - padding, left : left + width - padding] = image
    return grid


def _as_batch(tensor: Tensor | Sequence[Tensor]) -> Tensor:
    """Return images (N, C, H, W) of (H, W), (C, H, W), (N, C, H, W) or a list of (C, H, W)."""
    listed = isinstance(tensor, list | tuple) and all(isinstance(t, Tensor) for t in tensor)
    if not isinstance(tensor, Tensor) and not (listed and tensor):
        raise TypeError(
            f"[make_grid] a tensor or a list of tensors is expected, not {type(tensor).__name__}"
        )
    images = tensor if isinstance(tensor, Tensor) else stack(list(tensor), 0)
    if images.ndim not in (2, 3, 4):
        raise ValueError(f"[make_grid] images (N, C, H, W) are expected, not {tuple(images.shape)}")
    images = images.unsqueeze(0) if images.ndim == 2 else images
    images = images.unsqueeze(0) if images.ndim == 3 else images
    return cat([images] * 3, 1) if images.shape[1] == 1 else images


def _stretch(images: Tensor, bounds: tuple[float, float] | None, each: bool) -> Tensor:
    """Bring the values of a grid's images to [0, 1], in place."""
    if bounds is not None and not isinstance(bounds, tuple):
        raise TypeError(f"[make_grid] value_range is a tuple (least, largest), not {bounds!r}")
    for part in images if each else [images]:
        low, high = bounds or (part.min().item(), part.max().item())
        part.clamp_(low, high).sub_(low).div_(max(high - low, 1e-5))
    return images


@no_grad()
def save_image(
    tensor: Tensor | Sequence[Tensor],
    fp: str | os.PathLike[str] | BinaryIO,
    format: str | None = None,
    **kwargs: Any,
) -> None:
    """Write an image, or the grid that `make_grid(tensor, **kwargs)` makes of several, to a file.

    Values lie in [0, 1]. `format` is Pillow's name of the format; None takes the file's ending.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_image(norch.rand(4, 3, 8, 8), f"{folder}/a.png")
    ...     os.listdir(folder)
    ['a.png']
    """
    grid = make_grid(tensor, **kwargs)
    image = to_pil_image((grid * 255 + 0.5).clamp(0, 255).to("cpu").byte())
    with explain_full_disk(fp):
        image.save(fp, format=format)
