"""Windows that slide over images and volumes: what is checked, and where the windows stop.

Convolution, pooling and im2col use them. An image (H, W) is a volume (D, H, W) of depth 1.
The rules and the messages are those of stage 2's `ops/window.h` and `ops/pool.cpp`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from norch_cpu_ops import DTypeError
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import is_real
from norch_cuda.launch.base import OperationsBase
from norch_cuda.launch.walks import Shape
from norch_cuda.runtime.backend import Window, Windows
from norch_strides import Layout, numel

Sizes = int | Sequence[int]

_MOST = 1 << 31  # places of a window
_LONGEST = 1 << 62  # of a line
_FLAT = Window(1, 1, 1, 0, 1, 1)  # the depth of an image


def for_each(op: str, what: str, value: Sizes, count: int) -> tuple[int, ...]:
    """Return an integer for each of two or three directions; one counts for all."""
    values = (value,) if isinstance(value, int) else tuple(value)
    if len(values) not in (1, count):
        number = {2: "two", 3: "three"}[count]
        raise RuntimeError(f"[{op}] expected {what} as one or {number} integers, got {len(values)}")
    return values * count if len(values) == 1 else values


def two_sizes(op: str, what: str, sizes: Sizes) -> tuple[int, int]:
    """Return the height and the width of an image; one integer is not enough."""
    values = (sizes,) if isinstance(sizes, int) else tuple(sizes)
    if len(values) != 2:
        raise ValueError(f"[{op}] expected {what} as two integers, got {len(values)}")
    return values[0], values[1]


def windows(
    op: str, sizes: Sequence[int], kernel: Sizes, stride: Sizes, padding: Sizes,
    dilation: Sizes, ceil_mode: bool = False,
) -> Windows:  # fmt: skip
    """Check the options of a window over (H, W) or (D, H, W); return its directions."""
    given = (kernel, stride, padding, dilation)
    options = (x if isinstance(x, int) else tuple(x) for x in given)
    return _windows(op, tuple(sizes), ceil_mode, *options)


@lru_cache(maxsize=1024)
def _windows(op: str, sizes: Shape, ceil_mode: bool, *given: int | Shape) -> Windows:
    """Do it for options that are found again."""
    names = ("kernel", "stride", "padding", "dilation")
    options = [for_each(op, *named, len(sizes)) for named in zip(names, given, strict=True)]
    directions = [_window(op, ceil_mode, *numbers) for numbers in zip(sizes, *options, strict=True)]
    return Windows(*directions) if len(directions) == 3 else Windows(_FLAT, *directions)


def outputs(cut: Windows, dims: int) -> Shape:
    """Return the places at which a window stops in each of the last `dims` directions."""
    return tuple(window.out for window in cut[-dims:])


def _window(
    op: str, ceil_mode: bool, size: int, kernel: int, stride: int, padding: int, dilation: int
) -> Window:
    """Check one direction of a window; return it with the number of its stops."""
    most = max(kernel, stride, dilation, padding)
    if min(stride, dilation, kernel) < 1 or padding < 0 or most > _MOST:
        raise RuntimeError(
            f"[{op}] expected kernel, stride and dilation of at least 1 and padding of at least 0, "
            f"none above 2^31, got kernel {kernel}, stride {stride}, dilation {dilation}, "
            f"padding {padding}"
        )
    if size > _LONGEST:
        raise RuntimeError(f"[{op}] an input of {size} is too long: expected at most 2^62")
    reach, padded = (kernel - 1) * dilation + 1, size + 2 * padding
    room = padded - reach + (stride - 1 if ceil_mode else 0)
    if room < 0:
        raise RuntimeError(
            f"[{op}] a kernel that reaches over {reach} does not fit into an input of {padded} "
            "(padding included)"
        )
    out = room // stride + 1
    if ceil_mode and (out - 1) * stride >= size + padding:
        out -= 1
    return Window(size, kernel, stride, padding, dilation, out)


def check_pooling(op: str, window: Window) -> None:
    """Refuse windows with nothing but padding under them."""
    size, kernel, stride, padding, dilation, out = window
    if padding > ((kernel - 1) * dilation + 1) // 2:
        raise RuntimeError(
            f"[{op}] padding {padding} is more than half of kernel {kernel} with dilation "
            f"{dilation}: some windows would hold nothing but padding"
        )
    starts = range(-padding, min(0, out * stride - padding), stride)  # those left of the image
    end = (kernel - 1) * dilation
    # The first place inside, if there is one, is start % dilation.
    if size == 0 or any(s % dilation >= min(size, s + end + 1) for s in starts):
        raise RuntimeError(
            f"[{op}] a window of kernel {kernel}, padding {padding} and dilation {dilation} over "
            f"an input of {size} would hold nothing but padding"
        )


def volume_layout(layout: Layout, dims: int) -> Layout:
    """Return a layout (..., D, H, W) without its offset; images of 2 dims get the depth 1."""
    shape, strides = layout.shape, layout.strides
    if dims == 3:
        return Layout(shape, strides)
    return Layout((*shape[:-2], 1, *shape[-2:]), (*strides[:-2], 0, *strides[-2:]))


def as_planes(ops: OperationsBase, x: CudaArray, dims: int = 2) -> CudaArray:
    """(..., H, W) as (planes, H, W), every image on its own; with dims 3 (..., D, H, W)."""
    return ops.reshape(x, (numel(x.shape[:-dims]), *x.shape[-dims:]))


def check_images(ops: OperationsBase, op: str, *arrays: CudaArray) -> None:
    """Refuse whole numbers, and two dtypes at once."""
    ops.check(op, *arrays)
    names = [a.dtype.name for a in arrays]
    if all(is_real(a.dtype) for a in arrays) and len(set(names)) > 1:
        raise RuntimeError(
            f"[{op}] dtypes {names[0]} and {names[1]} differ: cast one of them first"
        )
    if not is_real(arrays[0].dtype) or len(set(names)) > 1:
        same = ", the same for all" if len(names) > 1 else ""
        raise DTypeError(f"[{op}] expected a floating dtype{same}, got {' and '.join(names)}")


def check_grad(op: str, grad: CudaArray, expected: Shape) -> None:
    """Refuse a gradient of another shape than the result's."""
    if grad.shape != expected:
        raise RuntimeError(f"[{op}] expected grad of shape {expected}, got {grad.shape}")


def check_planes(ops: OperationsBase, op: str, a: CudaArray) -> None:
    """Refuse anything but images with channels, in a batch or alone."""
    check_images(ops, op, a)
    if a.ndim not in (3, 4):
        raise RuntimeError(f"[{op}] expected (N, C, H, W) or (C, H, W), got {a.shape}")
