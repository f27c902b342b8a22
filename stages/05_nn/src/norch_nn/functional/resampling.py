"""Resizing by matrices: each new pixel is a weighted sum of old ones, one direction at a time.

`interpolate` calls it for bicubic, and for `antialias`, where a filter as wide as the new pixel
smooths what would flicker. The weights follow from the sizes alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from norch_autograd import Tensor, tensor

Weights = dict[int, float]  # of old pixels, by their place


def cubic(x: float, a: float) -> float:
    """The cubic of Keys (1981): 1 at 0, 0 at the other whole numbers and beyond 2."""
    x = abs(x)
    if x < 1:
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a if x < 2 else 0.0


def triangle(x: float) -> float:
    """1 at 0, 0 at 1 and beyond."""
    return max(0.0, 1 - abs(x))


def step_of(before: int, after: int, factor: float | None, align_corners: bool) -> float:
    """Return how many old pixels one new pixel is away from the next."""
    if align_corners:
        return (before - 1) / (after - 1) if after > 1 else 0.0
    return before / after if factor is None else factor


def near(place: int, before: int, step: float, align_corners: bool) -> Weights:
    """Weigh the four old pixels around a new one; those beyond the end count at the end."""
    x = place * step if align_corners else (place + 0.5) * step - 0.5
    left = math.floor(x)
    found: Weights = {}
    for k in range(left - 1, left + 3):
        at = min(max(k, 0), before - 1)
        found[at] = found.get(at, 0.0) + cubic(x - k, -0.75)
    return found


def smoothed(place: int, before: int, step: float, kernel: Callable[[float], float], reach: int
             ) -> Weights:  # fmt: skip
    """Weigh the old pixels under a filter as wide as a new one; the weights add up to 1."""
    wide, middle = max(step, 1.0), step * (place + 0.5)
    first = max(int(middle - reach * wide + 0.5), 0)
    last = min(int(middle + reach * wide + 0.5), before)
    found = {k: kernel((k - middle + 0.5) / wide) for k in range(first, last)}
    total = sum(found.values())
    return {k: weight / total for k, weight in found.items()} if total else found


def resampled(
    input: Tensor,
    sizes: Sequence[int],
    steps: Sequence[float] | None,
    mode: str,
    align_corners: bool,
    antialias: bool,
) -> Tensor:
    """Return images (N, C, H, W) of `sizes`, in mode "bilinear" or "bicubic".

    >>> image = tensor([[[[0.0, 4.0]]]])
    >>> resampled(image, (1, 1), None, "bilinear", False, antialias=True).item()
    2.0
    """
    if min(*sizes, *input.shape[2:]) < 1:
        raise RuntimeError(
            f"[interpolate] sizes should be greater than 0, got {tuple(input.shape[2:])} to "
            f"{tuple(sizes)}"
        )
    for i, after in enumerate(sizes):
        dim, before = i + 2, input.shape[i + 2]
        step = step_of(before, after, None if steps is None else steps[i], align_corners)
        rows = [[0.0] * before for _ in range(after)]
        for place, row in enumerate(rows):
            if not antialias:
                weights = near(place, before, step, align_corners)
            elif mode == "bicubic":
                weights = smoothed(place, before, step, lambda x: cubic(x, -0.5), 2)
            else:
                weights = smoothed(place, before, step, triangle, 1)
            for k, weight in weights.items():
                row[k] = weight
        matrix = tensor(rows, dtype=input.dtype, device=input.device)
        input = (input.movedim(dim, -1) @ matrix.mT).movedim(-1, dim)
    return input
