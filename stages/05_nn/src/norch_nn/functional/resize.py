"""Pictures of another size: adaptive pooling has windows as many as wanted, interpolation takes
numbers between pixels. Volumes are resized in depth first, then as images.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from norch_autograd import Tensor, cat, ops, tensor
from norch_nn.functional.resampling import resampled

Size = int | Sequence[int | None] | None


def _check_dims(op: str, input: Tensor, letters: str) -> None:
    """Refuse what is neither (N, C, *letters) nor (C, *letters)."""
    if input.ndim not in (len(letters) + 1, len(letters) + 2):
        sizes = ", ".join(letters)
        raise RuntimeError(
            f"[{op}] expected (N, C, {sizes}) or (C, {sizes}), got {tuple(input.shape)}"
        )


def _one(op: str, output_size: Any) -> int:
    """Return the length that is meant."""
    sizes = (output_size,) if isinstance(output_size, int) else tuple(output_size)
    if len(sizes) != 1:
        raise ValueError(f"[{op}] output_size needs one number, got {output_size}")
    return sizes[0]


def adaptive_avg_pool1d(input: Tensor, output_size: int | Sequence[int]) -> Tensor:
    """Return means of as many windows as `output_size` says, of (N, C, L) or (C, L).

    >>> adaptive_avg_pool1d(tensor([[1.0, 2.0, 6.0]]), 2).tolist()
    [[1.5, 4.0]]
    """
    _check_dims("adaptive_avg_pool1d", input, "L")
    size = (1, _one("adaptive_avg_pool1d", output_size))
    return ops.adaptive_avg_pool2d(input.unsqueeze(-2), size).squeeze(-2)


def adaptive_avg_pool2d(input: Tensor, output_size: Size) -> Tensor:
    """Return means of as many windows as `output_size` says; None in it keeps the size.

    Window i of n over a size s covers the places from ⌊i s / n⌋ to ⌈(i + 1) s / n⌉.

    >>> adaptive_avg_pool2d(norch.arange(6.0).reshape(1, 2, 3), (1, 2)).tolist()
    [[[2.0, 3.0]]]
    """
    return ops.adaptive_avg_pool2d(input, output_size)


def adaptive_avg_pool3d(input: Tensor, output_size: Size) -> Tensor:
    """Return means of as many windows as `output_size` says, of (N, C, D, H, W) or (C, D, H, W).

    >>> adaptive_avg_pool3d(norch.arange(8.0).reshape(1, 2, 2, 2), (None, 1, 1)).flatten().tolist()
    [1.5, 5.5]
    """
    _check_dims("adaptive_avg_pool3d", input, "DHW")
    wanted: Any = output_size
    sizes = (wanted,) * 3 if wanted is None or isinstance(wanted, int) else tuple(wanted)
    if len(sizes) != 3:
        raise ValueError(f"[adaptive_avg_pool3d] output_size needs three numbers, got {wanted}")
    return _in_depth(
        input,
        lambda sheets: ops.adaptive_avg_pool2d(sheets, (sizes[0], None)),
        lambda images: ops.adaptive_avg_pool2d(images, sizes[1:]),
    )


def adaptive_max_pool1d(
    input: Tensor, output_size: int | Sequence[int], return_indices: bool = False
) -> Any:
    """Return the largest elements under the windows of `adaptive_avg_pool1d`, and their places.

    >>> adaptive_max_pool1d(tensor([[1.0, 2.0, 6.0]]), 2).tolist()
    [[2.0, 6.0]]
    """
    _check_dims("adaptive_max_pool1d", input, "L")
    size = (1, _one("adaptive_max_pool1d", output_size))
    found = ops.adaptive_max_pool2d_with_indices(input.unsqueeze(-2), size)
    values, places = (each.squeeze(-2) for each in found)
    return (values, places) if return_indices else values


def adaptive_max_pool2d(input: Tensor, output_size: Size, return_indices: bool = False) -> Any:
    """Return the largest elements under the windows of `adaptive_avg_pool2d`, and their places.

    >>> adaptive_max_pool2d(norch.arange(6.0).reshape(1, 2, 3), (1, 2)).tolist()
    [[[4.0, 5.0]]]
    """
    found = ops.adaptive_max_pool2d_with_indices(input, output_size)
    return found if return_indices else found[0]


def adaptive_max_pool3d(input: Tensor, output_size: Size, return_indices: bool = False) -> Any:
    """Return the largest elements under the windows of `adaptive_avg_pool3d`, and their places.

    >>> adaptive_max_pool3d(norch.arange(8.0).reshape(1, 2, 2, 2), (None, 1, 1)).flatten().tolist()
    [3.0, 7.0]
    """
    _check_dims("adaptive_max_pool3d", input, "DHW")
    wanted: Any = output_size
    sizes = (wanted,) * 3 if wanted is None or isinstance(wanted, int) else tuple(wanted)
    if len(sizes) != 3:
        raise ValueError(f"[adaptive_max_pool3d] output_size needs three numbers, got {wanted}")
    deep, height, width = input.shape[-3:]
    count = deep if sizes[0] is None else sizes[0]
    flat = input.flatten(-4, -3)  # every sheet an image
    images, places = ops.adaptive_max_pool2d_with_indices(flat, sizes[1:])
    shape = (input.shape[-4], deep)
    images, places = images.unflatten(-3, shape), places.unflatten(-3, shape)
    slabs = []
    for i in range(count):
        first, last = i * deep // count, -(-(i + 1) * deep // count)
        values, sheet = images.narrow(-3, first, last - first).max(-3, keepdim=True)
        place = places.narrow(-3, first, last - first).gather(-3, sheet)
        slabs.append((values, place + (sheet + first) * height * width))
    values, index = (cat([slab[k] for slab in slabs], -3) for k in (0, 1))
    return (values, index) if return_indices else values


def _in_depth(
    volume: Tensor, deep: Callable[[Tensor], Tensor], flat: Callable[[Tensor], Tensor]
) -> Tensor:
    """Resize (..., C, D, H, W) with `deep` on (..., C, D, H W), then `flat` on (..., C D, H, W)."""
    height, width = volume.shape[-2:]
    sheets = deep(volume.flatten(-2))
    images = flat(sheets.unflatten(-1, (height, width)).flatten(-4, -3))
    return images.unflatten(-3, (volume.shape[-4], sheets.shape[-2]))


LINEAR = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}


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

    >>> interpolate(tensor([[[1.0, 3.0]]]), scale_factor=2, mode="linear").tolist()
    [[[1.0, 1.5, 2.5, 3.0]]]
    """
    dims = input.ndim - 2
    _check_mode(mode, dims, align_corners, antialias)
    sizes, factors = _sizes(input, size, scale_factor)
    if mode == "area":
        return (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)[dims - 1](
            input, sizes
        )
    steps = None if factors is None or recompute_scale_factor else [1 / f for f in factors]
    if mode == "bicubic" or antialias:
        return resampled(input, sizes, steps, mode, bool(align_corners), antialias)
    if mode == "nearest-exact":
        return _nearest_exact(input, sizes, steps)
    if steps is not None:
        steps = _tidied(steps, input.shape[2:], sizes, mode)
    return _upsampled(input, sizes, steps, mode, bool(align_corners))


def _upsampled(
    input: Tensor,
    sizes: Sequence[int],
    steps: Sequence[float] | None,
    mode: str,
    align_corners: bool,
) -> Tensor:
    """Resize by the kernels for images: a signal as an image of one row, a volume in two goes."""

    def resize(x: Tensor, size: Sequence[int], scale: Sequence[float] | None) -> Tensor:
        both = None if scale is None else (scale[0], scale[1])
        if mode == "nearest":
            return ops.upsample_nearest2d(x, size, both)
        return ops.upsample_bilinear2d(x, size, align_corners, both)

    if len(sizes) == 1:
        scale = None if steps is None else [1.0, *steps]
        return resize(input.unsqueeze(-2), [1, *sizes], scale).squeeze(-2)
    if len(sizes) == 2:
        return resize(input, sizes, steps)
    sheet = math.prod(input.shape[-2:])
    return _in_depth(
        input,
        lambda x: resize(x, [sizes[0], sheet], None if steps is None else [steps[0], 1.0]),
        lambda x: resize(x, sizes[1:], None if steps is None else steps[1:]),
    )


def _tidied(
    steps: Sequence[float], before: Sequence[int], after: Sequence[int], mode: str
) -> list[float]:
    """Return the steps, exact ones where PyTorch looks at the sizes and not at the factor: no
    change, and twice as many pixels of an image.
    """
    exact = {1: 1.0} if mode in LINEAR else {}
    if mode == "nearest" and len(steps) == 2:
        exact = {1: 1.0, 2: 0.5}
    times = [m // n if n and m % n == 0 else 0 for n, m in zip(before, after, strict=True)]
    return [exact.get(t, step) for t, step in zip(times, steps, strict=True)]


def _check_mode(mode: str, dims: int, align_corners: bool | None, antialias: bool) -> None:
    """Refuse what PyTorch refuses, and what is not written."""
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


def _sizes(input: Tensor, size: Any, scale_factor: Any) -> tuple[list[int], list[float] | None]:
    """Return the sizes of the result, and the factors where they were given."""
    dims, given = input.ndim - 2, size if size is not None else scale_factor
    if (size is None) == (scale_factor is None):
        raise ValueError("[interpolate] expected either size or scale_factor, not both or neither")
    each = [given] * dims if isinstance(given, int | float) else list(given)
    if len(each) != dims:
        raise ValueError(
            f"[interpolate] input {tuple(input.shape)} has {dims} sizes, but {len(each)} are given"
        )
    if size is not None:
        return [int(n) for n in each], None
    factors = [float(f) for f in each]
    return [math.floor(n * f) for n, f in zip(input.shape[2:], factors, strict=True)], factors


def _nearest_exact(input: Tensor, sizes: Sequence[int], steps: Sequence[float] | None) -> Tensor:
    """Choose along each direction the pixel whose middle is nearest."""
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
