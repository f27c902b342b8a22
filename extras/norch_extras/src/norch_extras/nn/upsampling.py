"""interpolate: images of another size, by the nearest pixel or by weights of those around it.

Volumes are resized in depth first, then as images. Bicubic and antialiased resizing multiply by
matrices: each new pixel is a weighted sum of old ones, one direction at a time.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

from norch_autograd import Tensor, arange, float32, float64, more, tensor, uint8, where
from norch_autograd.graph.operands import in_own_name, number
from norch_autograd.types.size import check_room
from norch_cpu_ops import DType
from norch_extras.nn.adaptive_pooling import adaptive_avg_pool1d, adaptive_avg_pool3d, resize_volume
from norch_nn.core.module import Module
from norch_nn.core.sizes import Sizes

Scale = float | Sequence[float] | None
Weights = dict[int, float]  # of old pixels, by their place
LINEAR = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}


@in_own_name
def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Return (N, C, *sizes) of another size: to `size`, or `scale_factor` times as large.

    `mode` "nearest" takes the pixel at or before each place, "nearest-exact" the one whose middle
    is nearest; "linear", "bilinear" and "trilinear" (for one, two, three sizes) weigh the pixels
    around it, "area" is adaptive average pooling. `align_corners` keeps the outermost pixels where
    they are. "bicubic" weighs sixteen pixels of an image; `antialias` smooths a smaller one.
    Of whole numbers only uint8 is resized, by "nearest" or as images: along the rows, then along
    the columns, both times rounded and kept within 0 and 255.

    >>> interpolate(tensor([[[1.0, 3.0]]]), scale_factor=2, mode="linear").tolist()
    [[[1.0, 1.5, 2.5, 3.0]]]
    """
    shape, dtype = tuple(input.shape), input.dtype
    dims, options = len(shape) - 2, (mode, align_corners, recompute_scale_factor, antialias)
    sizes, steps = _plan(shape, dtype.itemsize, _plain(size), _plain(scale_factor), *options)
    if not dtype.is_floating_point:
        _check_byte_mode(input, mode, dims)
        return _resize_bytes(input, size, scale_factor, *options)
    if mode == "area":
        return (adaptive_avg_pool1d, more.adaptive_avg_pool2d, adaptive_avg_pool3d)[dims - 1](
            input, sizes
        )
    if mode == "bicubic" or antialias:
        return _resize_by_weights(input, sizes, steps, mode, bool(align_corners), antialias)
    if mode == "nearest-exact":
        return _nearest_exact(input, sizes, steps)
    return _upsample(input, sizes, steps, mode, bool(align_corners))


def _upsample(
    input: Tensor, sizes: tuple[int, ...], steps: Any, mode: str, align_corners: bool
) -> Tensor:
    """interpolate by the kernels for images: signals are one row, volumes take two goes."""
    if len(sizes) == 2:
        if mode == "nearest":
            return more.upsample_nearest2d(input, sizes, steps)
        return more.upsample_bilinear2d(input, sizes, align_corners, steps)
    if len(sizes) == 1:
        scale = None if steps is None else (1.0, *steps)
        rows = _upsample(input.unsqueeze(-2), (1, *sizes), scale, mode, align_corners)
        return rows.squeeze(-2)
    sheet = math.prod(input.shape[-2:])
    deep, flat = (None, None) if steps is None else ((steps[0], 1.0), steps[1:])
    return resize_volume(
        input,
        lambda x: _upsample(x, (sizes[0], sheet), deep, mode, align_corners),
        lambda x: _upsample(x, sizes[1:], flat, mode, align_corners),
    )


def _plain(given: Any) -> Any:
    """What interpolate was given as `size` or `scale_factor`, as what can be looked up: a number,
    or a tuple of numbers.
    """
    given = number(given)
    return given if isinstance(given, int | float | None) else tuple(map(number, given))


@functools.lru_cache(maxsize=256, typed=True)
def _plan(
    shape: tuple[int, ...],
    itemsize: int,
    size: Any,
    scale_factor: Any,
    mode: str,
    align_corners: bool | None,
    recompute: bool | None,
    antialias: bool,
) -> tuple[tuple[int, ...], tuple[float, ...] | None]:
    """Check all that interpolate does not read from the pixels; return sizes, and steps if exact.

    The same for each image of a shape, so it is worked out once.
    """
    _check_mode(mode, len(shape) - 2, align_corners, antialias)
    sizes, steps = _numbers(shape, size, scale_factor), None
    if size is None:
        exact = "" if antialias or recompute else mode
        sizes, steps = _sizes_and_steps(shape[2:], sizes, exact)
    check_room("interpolate", math.prod((*shape[:2], *sizes)), itemsize)
    return sizes, None if recompute else steps


def _sizes_and_steps(
    before: tuple[int, ...], factors: tuple[float, ...], exact: str
) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Return the sizes of interpolate's image and its steps; in the mode `exact` these are exact
    where PyTorch looks at the sizes and not at the factor: no change, and twice as many pixels.
    """
    after = tuple(math.floor(n * f) for n, f in zip(before, factors, strict=True))
    known = {1: 1.0} if exact in LINEAR and exact != "bicubic" else {}
    if exact == "nearest" and len(factors) == 2:
        known = {1: 1.0, 2: 0.5}
    times = [m // n if n and m % n == 0 else 0 for n, m in zip(before, after, strict=True)]
    steps = (known.get(t, 1 / f if f else math.inf) for t, f in zip(times, factors, strict=True))
    return after, tuple(steps)


def _check_byte_mode(input: Tensor, mode: str, dims: int) -> None:
    """interpolate's refusal of whole numbers, but for bytes in the modes PyTorch has for them."""
    images = mode in ("bilinear", "bicubic") or mode.startswith("nearest")
    if input.dtype != uint8 or not images:
        raise NotImplementedError(
            f"[interpolate] mode '{mode}' of {dims} sizes has no {input.dtype}: "
            "cast to float32 first"
        )


def _resize_bytes(input: Tensor, size: Any, scale_factor: Any, mode: str, *options: Any) -> Tensor:
    """interpolate's resizing of bytes as floats, one direction after the other."""
    if mode.startswith("nearest"):
        return interpolate(input.float(), size, scale_factor, mode, *options).to(uint8)
    given = scale_factor if size is None else size
    down, across = [given] * 2 if isinstance(given, int | float) else given
    for each in ([None, across], [down, None]):
        kept = input.shape[2:] if scale_factor is None else (1, 1)
        whole: Any = [old if new is None else new for new, old in zip(each, kept, strict=True)]
        sizes, factors = (whole, None) if scale_factor is None else (None, whole)
        found = interpolate(input.float(), sizes, factors, mode, *options)
        input = (found + 0.5).floor().clamp(0, 255).to(uint8)
    return input


def _check_mode(mode: str, dims: int, align_corners: bool | None, antialias: bool) -> None:
    """Refuse the modes of interpolate that PyTorch refuses."""
    known = ("nearest", "nearest-exact", "area", *LINEAR)
    if antialias and (mode not in ("bilinear", "bicubic") or dims != 2):
        raise ValueError("[interpolate] antialias is for images, in mode bilinear or bicubic")
    if mode not in known:
        raise NotImplementedError(f"[interpolate] mode '{mode}': expected one of {known}")
    if mode not in LINEAR and align_corners is not None:
        raise ValueError(
            "[interpolate] align_corners can only be set with the modes linear, bilinear, bicubic, "
            "trilinear"
        )
    if dims not in (1, 2, 3) or LINEAR.get(mode, dims) != dims:
        wanted = f"{LINEAR[mode]} sizes" if mode in LINEAR else "one, two or three sizes"
        raise NotImplementedError(
            f"[interpolate] mode '{mode}' expects (N, C, *sizes) with {wanted}, got {dims + 2} "
            "dimensions"
        )


def _numbers(shape: tuple[int, ...], size: Any, scale_factor: Any) -> tuple[Any, ...]:
    """Return what interpolate was given for each size of an input: sizes, whole, or factors."""
    dims, given = len(shape) - 2, size if size is not None else scale_factor
    if (size is None) == (scale_factor is None):
        raise ValueError("[interpolate] expected either size or scale_factor, not both or neither")
    each = (given,) * dims if isinstance(given, int | float) else given
    if len(each) != dims:
        raise ValueError(f"[interpolate] input {shape} has {dims} sizes, but {len(each)} are given")
    if size is not None:
        return tuple(map(int, each))
    factors = tuple(map(float, each))
    if not all(map(math.isfinite, factors)):
        raise RuntimeError(f"[interpolate] scale_factor must be finite, got {scale_factor}")
    return factors


def _nearest_exact(input: Tensor, sizes: Sequence[int], steps: Sequence[float] | None) -> Tensor:
    """interpolate's "nearest-exact": along each direction the pixel whose middle is nearest."""
    if min(*sizes, *input.shape[2:]) < 1:
        raise RuntimeError(
            f"[interpolate] sizes should be greater than 0, got {tuple(input.shape[2:])} to "
            f"{tuple(sizes)}"
        )
    for i, count in enumerate(sizes):
        dim, size = i + 2, input.shape[i + 2]
        step = size / count if steps is None else steps[i]
        places = [min(math.floor((k + 0.5) * step), size - 1) for k in range(count)]
        input = input.index_select(dim, tensor(places, device=input.device))
    return input


@in_own_name
def upsample(
    input: Tensor,
    size: Sizes | None = None,
    scale_factor: Scale = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """Return `interpolate` of the same arguments.

    >>> upsample(norch.tensor([[[1.0, 2.0]]]), scale_factor=2).tolist()
    [[[1.0, 1.0, 2.0, 2.0]]]
    """
    return interpolate(input, size, scale_factor, mode, align_corners)


@in_own_name
def upsample_nearest(
    input: Tensor, size: Sizes | None = None, scale_factor: Scale = None
) -> Tensor:
    """Return `interpolate` in mode "nearest".

    >>> upsample_nearest(norch.tensor([[[1.0, 2.0]]]), 4).tolist()
    [[[1.0, 1.0, 2.0, 2.0]]]
    """
    return interpolate(input, size, scale_factor, "nearest")


@in_own_name
def upsample_bilinear(
    input: Tensor, size: Sizes | None = None, scale_factor: Scale = None
) -> Tensor:
    """Return `interpolate` in mode "bilinear", corners aligned.

    >>> upsample_bilinear(norch.tensor([[[[1.0, 3.0]]]]), (1, 3)).tolist()
    [[[[1.0, 2.0, 3.0]]]]
    """
    return interpolate(input, size, scale_factor, "bilinear", align_corners=True)


def _cubic(x: float, a: float) -> float:
    """The curve of interpolate's mode "bicubic", by Keys (1981): 1 at 0, 0 at 1 and from 2 on."""
    x = abs(x)
    if x < 1:
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a if x < 2 else 0.0


def _pixel_step(before: int, after: int, factor: float | None, align_corners: bool) -> float:
    """interpolate's step: how many old pixels one new pixel is away from the next."""
    if align_corners:
        return (before - 1) / (after - 1) if after > 1 else 0.0
    return before / after if factor is None else factor


def _cubic_weights(place: int, before: int, step: float, align_corners: bool) -> Weights:
    """interpolate's weights of the four old pixels around a new one; the ends are repeated."""
    x = place * step if align_corners else (place + 0.5) * step - 0.5
    left = math.floor(x)
    found: Weights = {}
    for k in range(left - 1, left + 3):
        at = min(max(k, 0), before - 1)
        found[at] = found.get(at, 0.0) + _cubic(x - k, -0.75)
    return found


def _antialias_weights(before: int, after: int, step: float, mode: str, dtype: DType) -> Tensor:
    """interpolate's weights (after, before) of a filter as wide as a new pixel; a row adds up to 1.

    Computed in the precision of the image, as PyTorch does, so that halves of bytes round alike.
    """
    dtype = float64 if dtype == float64 else float32
    middle = (arange(after, dtype=dtype).unsqueeze(1) + 0.5) * tensor(step, dtype=dtype)
    wide = tensor(max(step, 1.0), dtype=dtype)
    reach = wide * (2.0 if mode == "bicubic" else 1.0)
    old = arange(before, dtype=dtype)
    x = ((old - middle + 0.5) * (1.0 / wide)).abs()
    weights = _antialias_cubic(x) if mode == "bicubic" else (1.0 - x).clamp(min=0.0)
    first, last = (middle - reach + 0.5).clamp(min=0.0).floor(), (middle + reach + 0.5).floor()
    weights = where((old >= first) & (old < last), weights, 0.0)
    total = weights.sum(1, keepdim=True)
    return weights / where(total == 0.0, 1.0, total)


def _antialias_cubic(x: Tensor) -> Tensor:
    """`_cubic` with a = -0.5 of many distances, for interpolate's antialias."""
    near = (1.5 * x - 2.5) * x * x + 1.0
    far = (((x - 5.0) * x + 8.0) * x - 4.0) * -0.5
    return where(x < 1.0, near, where(x < 2.0, far, 0.0))


def _resize_by_weights(
    input: Tensor,
    sizes: Sequence[int],
    steps: Sequence[float] | None,
    mode: str,
    align_corners: bool,
    antialias: bool,
) -> Tensor:
    """Return images (N, C, H, W) of `sizes`, in mode "bilinear" or "bicubic".

    >>> image = tensor([[[[0.0, 4.0]]]])
    >>> _resize_by_weights(image, (1, 1), None, "bilinear", False, antialias=True).item()
    2.0
    """
    if min(*sizes, *input.shape[2:]) < 1:
        raise RuntimeError(
            f"[interpolate] sizes should be greater than 0, got {tuple(input.shape[2:])} to "
            f"{tuple(sizes)}"
        )
    if not input.numel():  # no weights for nothing: the sizes may be anything
        return input.reshape(*input.shape[:2], *sizes)
    for dim, after in ((3, sizes[1]), (2, sizes[0])):
        before = input.shape[dim]
        step = _pixel_step(before, after, None if steps is None else steps[dim - 2], align_corners)
        if antialias:
            matrix = _antialias_weights(before, after, step, mode, input.dtype)
        else:
            matrix = tensor(_cubic_rows(before, after, step, align_corners), dtype=float64)
        matrix = matrix.to(input.device, input.dtype)
        input = (input.movedim(dim, -1) @ matrix.mT).movedim(-1, dim)
    return input


def _cubic_rows(before: int, after: int, step: float, align_corners: bool) -> list[list[float]]:
    """interpolate's weights (after, before) of the four old pixels around each new one."""
    rows = [[0.0] * before for _ in range(after)]
    for place, row in enumerate(rows):
        for k, weight in _cubic_weights(place, before, step, align_corners).items():
            row[k] = weight
    return rows


class Upsample(Module):
    """Images (N, C, *sizes) of another size, by `functional.interpolate`.

    >>> Upsample(scale_factor=2)(norch.tensor([[[1.0, 2.0]]])).tolist()
    [[[1.0, 1.0, 2.0, 2.0]]]
    """

    def __init__(
        self,
        size: Sizes | None = None,
        scale_factor: float | Sequence[float] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        """Choose the size or the factor, and how what lies between pixels is made up."""
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        self.scale_factor = scale_factor
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        options = (self.mode, self.align_corners, self.recompute_scale_factor)
        return interpolate(input, self.size, self.scale_factor, *options)

    def extra_repr(self) -> str:
        given = (
            f"size={self.size}"
            if self.scale_factor is None
            else f"scale_factor={float(self.scale_factor)}"
            if isinstance(self.scale_factor, int | float)
            else f"scale_factor={tuple(map(float, self.scale_factor))}"
        )
        return f"{given}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Images (N, C, H, W) of another size, each pixel repeated.

    >>> tuple(UpsamplingNearest2d(scale_factor=2)(norch.zeros(1, 3, 4, 5)).shape)
    (1, 3, 8, 10)
    """

    def __init__(
        self, size: Sizes | None = None, scale_factor: float | Sequence[float] | None = None
    ) -> None:
        """Choose the size or the factor."""
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Images (N, C, H, W) of another size, weighted between pixels; the corners stay.

    >>> UpsamplingBilinear2d((1, 3))(norch.tensor([[[[1.0, 2.0]]]])).tolist()
    [[[[1.0, 1.5, 2.0]]]]
    """

    def __init__(
        self, size: Sizes | None = None, scale_factor: float | Sequence[float] | None = None
    ) -> None:
        """Choose the size or the factor."""
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
