"""A layout says where each element of an array lives in a flat buffer.

Here: the `Layout` value and the plain facts about one layout (how many elements, which position,
which range, contiguous or not). Every other file of this stage makes new layouts out of old ones.
Nothing here ever touches an element.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import prod
from typing import NamedTuple

from norch_strides.cache import CACHE_SIZE
from norch_strides.dims import Ints, as_ints


class Layout(NamedTuple):
    """Where element `(i, j)` lives: at `offset + i * strides[0] + j * strides[1]`, and so on.

    Strides and offset count elements, not bytes. Strides may be negative or zero.

    >>> Layout(shape=(2, 3), strides=(3, 1))
    Layout(shape=(2, 3), strides=(3, 1), offset=0)
    """

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0

    def shifted(self, by: int) -> Layout:
        """Return the same walk, begun `by` elements later.

        >>> Layout((2,), (1,), offset=3).shifted(4)
        Layout(shape=(2,), strides=(1,), offset=7)
        """
        return Layout(self.shape, self.strides, self.offset + by) if by else self


def numel(shape: Ints) -> int:
    """Count the elements of an array of this shape; the shape `()` has one.

    >>> numel((2, 3)), numel(()), numel((4, 0))
    (6, 1, 0)
    """
    return prod(shape)


def row_major(shape: Ints) -> Ints:
    """Return the strides of an array stored row after row, as Python, C and PyTorch do.

    The last index moves by 1; each index before it moves by the size of all that follows.

    >>> row_major((2, 3, 4))
    (12, 4, 1)
    """
    return _contiguous(as_ints(shape, "row_major")).strides


def contiguous(shape: Ints, offset: int = 0) -> Layout:
    """Return the row-major layout of `shape`, beginning at `offset`.

    Raises RuntimeError when a size is negative.

    >>> contiguous((2, 3))
    Layout(shape=(2, 3), strides=(3, 1), offset=0)
    """
    return _contiguous(as_ints(shape, "contiguous")).shifted(offset)


@lru_cache(maxsize=CACHE_SIZE)
def _contiguous(shape: Ints) -> Layout:
    if any(size < 0 for size in shape):
        raise RuntimeError(f"[contiguous] shape {shape} has a negative size; sizes count from 0 up")
    return Layout(tuple(int(size) for size in shape), _row_major_strides(shape))


def _row_major_strides(shape: Ints) -> Ints:
    # ex 1.1 begin
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)  # an empty array still gets usable strides
    return tuple(reversed(strides))
    # ex 1.1 end


def is_contiguous(layout: Layout) -> bool:
    """Tell whether walking the elements in order walks the buffer one by one.

    The stride of a dimension of size 1 never counts, because no step is ever taken along it.

    >>> is_contiguous(Layout((2, 3), (3, 1))), is_contiguous(Layout((3, 2), (1, 3)))
    (True, False)
    """
    return _is_contiguous(layout.shape, layout.strides)


@lru_cache(maxsize=CACHE_SIZE)
def _is_contiguous(shape: Ints, strides: Ints) -> bool:
    # ex 1.3 begin
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size == 0:
            return True
        if size > 1 and stride != expected:
            # An outer size of 0 may still make the array empty, and empty is contiguous.
            return 0 in shape
        expected *= size
    return True
    # ex 1.3 end


def index(layout: Layout, idx: Ints) -> int:
    """Return the position of the element at `idx`; negative indices count back.

    Raises IndexError when `idx` has the wrong length or is out of range.

    >>> index(Layout((2, 3), (3, 1), offset=10), (1, 2))
    15
    """
    idx = as_ints(idx, "index")
    if len(idx) != len(layout.shape):
        raise IndexError(
            f"[index] {len(idx)} indices {idx} for shape {layout.shape}: give one index a dimension"
        )
    # ex 1.2 begin
    position = layout.offset
    for dim, i in enumerate(idx):
        size, stride = layout.shape[dim], layout.strides[dim]
        if not -size <= i < size:
            raise IndexError(
                f"[index] index {i} is out of bounds for dimension {dim} with size {size}"
            )
        position += (i + size if i < 0 else i) * stride
    return position
    # ex 1.2 end


def positions(layout: Layout) -> list[int]:
    """List the position in the buffer of every element, in row-major order of the indices.

    >>> positions(Layout((2, 3), (1, 2)))
    [0, 2, 4, 1, 3, 5]
    """
    steps = [
        range(0, size * stride, stride) if stride else (0,) * size
        for size, stride in zip(layout.shape, layout.strides, strict=True)
    ]
    return [layout.offset + sum(step) for step in product(*steps)]


def bounds(layout: Layout) -> tuple[int, int] | None:
    """Return the lowest and the highest position the layout touches, or None if it is empty.

    >>> bounds(Layout((2, 3), (3, 1))), bounds(Layout((3,), (-1,), offset=2))
    ((0, 5), (0, 2))
    >>> bounds(Layout((2, 0), (1, 1))) is None
    True
    """
    if 0 in layout.shape:
        return None
    reach = [(size - 1) * stride for size, stride in zip(layout.shape, layout.strides, strict=True)]
    lowest = layout.offset + sum(step for step in reach if step < 0)
    highest = layout.offset + sum(step for step in reach if step > 0)
    return lowest, highest


def check_layout(layout: Layout, size: int, op: str) -> None:
    """Raise unless every element of `layout` lies inside a buffer of `size` elements.

    Raises RuntimeError, as PyTorch's `as_strided` does.

    >>> check_layout(Layout((2, 3), (3, 1)), 6, "view")
    >>> check_layout(Layout((2, 3), (3, 1)), 5, "view")
    Traceback (most recent call last):
    RuntimeError: [view] the layout reaches positions 0 to 5, the buffer has 0 to 4
    """
    shape, strides, _ = layout
    if len(shape) != len(strides):
        raise RuntimeError(
            f"[{op}] shape {shape} and strides {strides} differ in length: one stride a dimension"
        )
    if any(length < 0 for length in shape):
        raise RuntimeError(f"[{op}] shape {shape} has a negative size; sizes count from 0 up")
    span = bounds(layout)
    if span is not None and (span[0] < 0 or span[1] >= size):
        have = f"0 to {size - 1}" if size else "none"
        raise RuntimeError(
            f"[{op}] the layout reaches positions {span[0]} to {span[1]}, the buffer has {have}"
        )
