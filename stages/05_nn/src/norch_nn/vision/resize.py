"""Resizing a picture along one dimension: every new pixel is a weighted sum of old ones.

The weights form a matrix (new, old), made once for each pair of sizes, so that resizing is a
product. Called by the transform Resize.
"""

from __future__ import annotations

import functools
import math

from norch_autograd import Tensor, float32, tensor


def nearest(old: int, new: int) -> list[int]:
    """Return the old pixel for each new one: the left end of what it covers."""
    return [min(i * old // new, old - 1) for i in range(new)]


@functools.lru_cache(maxsize=64)
def bilinear(old: int, new: int, antialias: bool) -> Tensor:
    """Return the weights (new, old): a triangle around each new pixel's place.

    The triangle is two old pixels wide; with `antialias`, two new ones where the picture shrinks,
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


def resize_dim(image: Tensor, dim: int, size: int, interpolation: str, antialias: bool) -> Tensor:
    """Return a float picture with `size` pixels along `dim`."""
    old = image.shape[dim]
    if old == size:
        return image
    if interpolation == "nearest":
        return image.index_select(dim, tensor(nearest(old, size), device=image.device))
    weights = bilinear(old, size, antialias).to(image.device, image.dtype)
    return (image.movedim(dim, -1) @ weights.t()).movedim(-1, dim)
