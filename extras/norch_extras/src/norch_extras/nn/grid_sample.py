"""affine_grid and grid_sample: images resampled at places that a grid gives for each pixel.

Places are told from -1 (one end) to 1 (the other). Everything is gathered from the flat image, so
gradients flow into the image and into the places.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from itertools import product

import norch_autograd as autograd
from norch_autograd import Tensor, stack, where
from norch_autograd.graph.operands import in_own_name
from norch_autograd.types.size import check_room

MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")


def _middles(count: int, like: Tensor, align_corners: bool) -> Tensor:
    """Return the places of `count` pixels between -1 and 1: ends at the corners, or half inside."""
    steps = autograd.arange(count, dtype=like.dtype, device=like.device)
    if align_corners:
        return steps * 0 if count == 1 else steps * (2 / (count - 1)) - 1
    return (steps * 2 + 1) / count - 1


@in_own_name
def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """Return the map (N, H, W, 2) of affine maps theta (N, 2, 3), for images of `size`.

    Volumes have theta (N, 3, 4), size (N, C, D, H, W) and the map (N, D, H, W, 3).

    >>> theta = norch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    >>> affine_grid(theta, (1, 1, 1, 2), align_corners=False).tolist()
    [[[[-0.5, 0.0], [0.5, 0.0]]]]
    """
    dims = len(size) - 2
    if not theta.is_floating_point():
        raise ValueError(f"[affine_grid] theta must be floating-point, not {theta.dtype}")
    if dims not in (2, 3) or tuple(theta.shape) != (size[0], dims, dims + 1):
        raise ValueError(
            f"[affine_grid] theta {tuple(theta.shape)} and size {tuple(size)} do not fit: "
            "(N, 2, 3) and (N, C, H, W), or (N, 3, 4) and (N, C, D, H, W) are expected"
        )
    if align_corners is None:
        _warn_of_corners("affine_grid")
    check_room("affine_grid", size[0] * math.prod(size[2:]) * (dims + 1), theta.element_size())
    lines = [_middles(n, theta, bool(align_corners)) for n in size[2:]]
    places = autograd.meshgrid(*lines, indexing="ij")[::-1]  # x comes first
    base = stack([*places, autograd.ones_like(places[0])], -1).reshape(-1, dims + 1)
    return autograd.matmul(base, theta.mT).reshape(size[0], *size[2:], dims)


def _warn_of_corners(name: str) -> None:
    """Warn that align_corners was chosen for the caller of a grid's function."""
    warnings.warn(f"[{name}] align_corners is False when left out: say so", stacklevel=3)


@in_own_name
def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Return the pixels of `input` (N, C, H, W) at places `grid` (N, H', W', 2): (N, C, H', W').

    A place is (x, y); between pixels the mode decides, outside the image the padding_mode. Volumes
    are (N, C, D, H, W) with a grid (N, D', H', W', 3), without bicubic.

    >>> image = norch.tensor([[[[1.0, 3.0]]]])
    >>> grid_sample(image, norch.tensor([[[[0.0, 0.0]]]]), align_corners=True).item()
    2.0
    """
    _check(input, grid, mode, padding_mode)
    if align_corners is None:
        _warn_of_corners("grid_sample")
    corners, sizes = bool(align_corners), input.shape[2:]
    # One tensor of coordinates, in pixels, a direction of the image: (N, places)
    axes = [grid[..., -1 - i].flatten(1) for i in range(len(sizes))]
    axes = [_in_pixels(x, n, corners) for x, n in zip(axes, sizes, strict=True)]
    if mode != "bicubic":
        axes = [_fold(x, n, padding_mode, corners) for x, n in zip(axes, sizes, strict=True)]
    neighbours = [{"bilinear": _two, "nearest": one, "bicubic": four}[mode](x) for x in axes]
    total = None
    for chosen in product(*neighbours):
        weight = chosen[0][1]
        for _, share in chosen[1:]:
            weight = weight * share
        places = [place for place, _ in chosen]
        if mode == "bicubic":
            pairs = zip(places, sizes, strict=True)
            places = [_fold(x, n, padding_mode, corners) for x, n in pairs]
        part = pick(input, places) * weight.unsqueeze(1)
        total = part if total is None else total + part
    assert total is not None  # an image has a direction
    return total.reshape(*input.shape[:2], *grid.shape[1:-1])


def _check(input: Tensor, grid: Tensor, mode: str, padding_mode: str) -> None:
    """Refuse images and grids that PyTorch refuses."""
    for what, given, known in (("mode", mode, MODES), ("padding_mode", padding_mode, PADDINGS)):
        if given not in known:
            raise ValueError(f"[grid_sample] {what} must be one of {known}, not {given!r}")
    dims = input.ndim - 2
    if dims not in (2, 3) or grid.ndim != input.ndim or grid.shape[-1] != dims:
        raise RuntimeError(
            f"[grid_sample] input {tuple(input.shape)} and grid {tuple(grid.shape)} do not fit: "
            "(N, C, H, W) and (N, H', W', 2), or one direction more and 3, are expected"
        )
    if input.shape[0] != grid.shape[0]:
        raise RuntimeError(
            f"[grid_sample] {input.shape[0]} images and {grid.shape[0]} grids: one each is expected"
        )
    if input.dtype is not grid.dtype:
        raise RuntimeError(
            f"[grid_sample] input is {input.dtype} and grid {grid.dtype}: cast one of them"
        )
    if dims == 3 and mode == "bicubic":
        raise RuntimeError("[grid_sample] bicubic is for images only")
    if 0 in input.shape[1:]:
        raise RuntimeError(f"[grid_sample] an image of shape {tuple(input.shape)} has no pixels")


def _in_pixels(x: Tensor, size: int, align_corners: bool) -> Tensor:
    """Turn places of a grid, from -1 to 1, into numbers of pixels."""
    return (x + 1) / 2 * (size - 1) if align_corners else ((x + 1) * size - 1) / 2


def _fold(x: Tensor, size: int, padding_mode: str, align_corners: bool) -> Tensor:
    """Bring places outside of the image back: to its edges, or mirrored at them."""
    if padding_mode == "zeros":
        return x
    if padding_mode == "reflection":
        low, high = (0.0, size - 1.0) if align_corners else (-0.5, size - 0.5)
        span = high - low
        if span == 0:
            return x * 0
        away = (x - low).abs()
        turns = (away / span).floor().detach()
        rest = away - turns * span
        x = where(turns.remainder(2) == 0, rest + low, high - rest)
    return x.clamp(0, size - 1)


@in_own_name
def one(x: Tensor) -> list[tuple[Tensor, Tensor]]:
    """The pixel nearest to a place of the grid; an even one where two are as near."""
    return [(x.detach().round(), x * 0 + 1)]


def _two(x: Tensor) -> list[tuple[Tensor, Tensor]]:
    """Both pixels beside a place of the grid, each by its nearness."""
    left = x.detach().floor()
    return [(left, left + 1 - x), (left + 1, x - left)]


@in_own_name
def four(x: Tensor) -> list[tuple[Tensor, Tensor]]:
    """Four pixels around a place of the grid, by the cubic of Keys (1981) with a = -3/4."""
    a, left = -0.75, x.detach().floor()
    t = x - left

    def near(d: Tensor) -> Tensor:
        return ((a + 2) * d - (a + 3)) * d * d + 1

    def far(d: Tensor) -> Tensor:
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a

    shares = [far(t + 1), near(t), near(1 - t), far(2 - t)]
    return [(left + k - 1, share) for k, share in enumerate(shares)]


@in_own_name
def pick(input: Tensor, places: list[Tensor]) -> Tensor:
    """Return the pixels at whole places (N, P), zero outside of the image: (N, C, P)."""
    sizes = input.shape[2:]
    inside = places[0] == places[0]
    index = places[0].new_zeros(tuple(places[0].shape), dtype=autograd.int64)
    for place, size in zip(places, sizes, strict=True):
        here = (place >= 0) & (place <= size - 1)  # NaN is nowhere
        inside = inside & here
        # Counted in whole numbers: a float32 cannot tell the pixels of a large image apart.
        index = index * size + where(here, place, 0.0).detach().long()
    rows = input.reshape(*input.shape[:2], math.prod(sizes))
    found = rows.gather(2, index.unsqueeze(1).expand(-1, input.shape[1], -1))
    return where(inside.unsqueeze(1), found, 0.0)
