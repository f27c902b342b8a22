"""Windows that slide over images: what convolution and pooling check, where the windows stop.

The rules and the messages are those of stage 2's `ops/window.h` and `ops/pool.cpp`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

Sizes = int | Sequence[int]

_MOST = 1 << 31  # places of a window
_LONGEST = 1 << 62  # of a line


class Window(NamedTuple):
    """One direction of a window over `size` places; it stops at `out` of them."""

    size: int
    kernel: int
    stride: int
    padding: int
    dilation: int
    out: int


def for_each(op: str, what: str, value: Sizes, count: int) -> tuple[int, ...]:
    """Return an integer for each of two or three directions; one counts for all."""
    values = (value,) if isinstance(value, int) else tuple(value)
    if len(values) not in (1, count):
        number = {2: "two", 3: "three"}[count]
        raise RuntimeError(f"[{op}] expected {what} as one or {number} integers, got {len(values)}")
    return values * count if len(values) == 1 else values


def windows(
    op: str,
    sizes: Sequence[int],
    kernel: Sizes,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    ceil_mode: bool = False,
) -> tuple[Window, ...]:
    """Check the options of a window over (H, W) or (D, H, W); return its directions."""
    named = {"kernel": kernel, "stride": stride, "padding": padding, "dilation": dilation}
    options = [for_each(op, what, value, len(sizes)) for what, value in named.items()]
    each = zip(sizes, *options, strict=True)
    return tuple(_window(op, *numbers, ceil_mode) for numbers in each)


def _window(
    op: str, size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool
) -> Window:
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
