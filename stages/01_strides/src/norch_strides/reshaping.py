"""Give the same elements, in the same order, another shape: as a view when one exists.

The rule: merge the old dimensions as far as they go (`coalesce`), then cut each merged run into
new dimensions. When a new dimension would straddle two runs, no strides describe it, and the
caller must copy. `reshape` then returns None; it never copies by itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from norch_strides.cache import CACHE_SIZE
from norch_strides.coalesce import coalesce
from norch_strides.dims import Ints, as_ints, normalize_dim
from norch_strides.layout import Layout, contiguous, is_contiguous, numel


def resolve_shape(shape: Iterable[int], count: int, op: str = "reshape") -> Ints:
    """Return `shape` with its -1 replaced by whatever makes it hold `count` elements.

    Raises RuntimeError when no size fits, when two sizes are -1, or when any size would do.

    >>> resolve_shape((2, -1), 6)
    (2, 3)
    >>> resolve_shape((4, -1), 6)
    Traceback (most recent call last):
    RuntimeError: [reshape] shape (4, -1) does not hold 6 elements
    """
    return _resolve_shape(as_ints(shape, op), count, op)


@lru_cache(maxsize=CACHE_SIZE)
def _resolve_shape(shape: Ints, count: int, op: str) -> Ints:
    if any(size < -1 for size in shape):
        raise RuntimeError(f"[{op}] shape {shape} has a negative size; only -1 may stand for one")
    if shape.count(-1) > 1:
        raise RuntimeError(f"[{op}] shape {shape} has more than one -1: only one can be inferred")
    known = numel(tuple(size for size in shape if size != -1))
    if -1 in shape and known == 0 and count == 0:
        raise RuntimeError(f"[{op}] shape {shape} of 0 elements: -1 could be any size, name it")
    missing = count // known if known else 0
    resolved = tuple(missing if size == -1 else int(size) for size in shape)
    if numel(resolved) != count:
        raise RuntimeError(f"[{op}] shape {shape} does not hold {count} elements")
    return resolved


def reshape(layout: Layout, shape: Iterable[int]) -> Layout | None:
    """Return the view with the new shape, or None when only a copy can have it.

    One size may be -1. Raises RuntimeError when the number of elements differs.

    >>> reshape(Layout((2, 6), (6, 1)), (3, -1))
    Layout(shape=(3, 4), strides=(4, 1), offset=0)
    >>> reshape(Layout((3, 2), (1, 3)), (6,)) is None
    True
    """
    found = _reshape(layout.shape, layout.strides, as_ints(shape, "reshape"))
    return None if found is None else found.shifted(layout.offset)


@lru_cache(maxsize=CACHE_SIZE)
def _reshape(shape: Ints, strides: Ints, wanted: Ints) -> Layout | None:
    target = resolve_shape(wanted, numel(shape))
    if target == shape:
        return Layout(shape, strides)
    if is_contiguous(Layout(shape, strides)):  # one run, or empty: any shape fits
        return contiguous(target)
    runs = coalesce(Layout(shape, strides))
    return _cut_runs(list(zip(runs.shape, runs.strides, strict=True)), target)


def _cut_runs(runs: list[tuple[int, int]], target: Ints) -> Layout | None:
    """Cut each (size, stride) run into dimensions of `target`, last first."""
    # ex 1.7 begin
    strides = []
    left, step = runs.pop() if runs else (1, 1)
    for size in reversed(target):
        if left == 1 and size > 1 and runs:
            left, step = runs.pop()
        strides.append(step)
        if left % size:
            return None  # this dimension would straddle two runs
        left //= size
        step *= size
    return Layout(target, tuple(reversed(strides)))
    # ex 1.7 end


def view(layout: Layout, shape: Iterable[int]) -> Layout:
    """Reshape, or raise RuntimeError where `reshape` would need a copy (PyTorch's `view`).

    >>> view(Layout((4,), (1,)), (2, 2))
    Layout(shape=(2, 2), strides=(2, 1), offset=0)
    """
    return _view(layout.shape, layout.strides, as_ints(shape, "view")).shifted(layout.offset)


@lru_cache(maxsize=CACHE_SIZE)
def _view(shape: Ints, strides: Ints, wanted: Ints) -> Layout:
    found = _reshape(shape, strides, resolve_shape(wanted, numel(shape), "view"))
    if found is None:
        raise RuntimeError(
            f"[view] shape {wanted} cannot be seen in shape {shape} with strides {strides} "
            "without a copy: use reshape"
        )
    return found


def flattened_shape(shape: Ints, start_dim: int = 0, end_dim: int = -1) -> Ints:
    """Return the shape in which dimensions `start_dim` to `end_dim` have become one.

    Raises RuntimeError when `start_dim` comes after `end_dim`.

    >>> flattened_shape((2, 3, 4), 1)
    (2, 12)
    """
    return _flattened_shape(shape, *as_ints((start_dim, end_dim), "flatten"))


@lru_cache(maxsize=CACHE_SIZE)
def _flattened_shape(shape: Ints, start_dim: int, end_dim: int) -> Ints:
    first = normalize_dim(start_dim, len(shape), "flatten")
    last = normalize_dim(end_dim, len(shape), "flatten")
    if first > last:
        raise RuntimeError(f"[flatten] start_dim {start_dim} comes after end_dim {end_dim}")
    return (*shape[:first], numel(shape[first : last + 1]), *shape[last + 1 :])


def unflattened_shape(shape: Ints, dim: int, sizes: Iterable[int]) -> Ints:
    """Return the shape in which dimension `dim` has become `sizes`; one of them may be -1.

    Raises RuntimeError when the sizes do not multiply to the size of `dim`.

    >>> unflattened_shape((2, 12), 1, (3, -1))
    (2, 3, 4)
    """
    if not shape:
        raise RuntimeError("[unflatten] an array without dimensions has nothing to unflatten")
    k = normalize_dim(dim, len(shape), "unflatten")
    return (*shape[:k], *resolve_shape(sizes, shape[k], "unflatten"), *shape[k + 1 :])


def as_strided(
    layout: Layout, size: Iterable[int], stride: Iterable[int], storage_offset: int | None = None
) -> Layout:
    """Return the layout of this size and these strides over the same buffer, begun where `layout`
    begins unless told otherwise.

    Nothing of the old shape counts, and elements may overlap. Whether all of them lie inside the
    buffer is for whoever knows the buffer (`check_layout`; stage 2's `Array.view`).
    Raises RuntimeError unless there is one stride a dimension, and for negative sizes or offsets.

    >>> as_strided(Layout((4,), (1,)), (3, 2), (1, 1))
    Layout(shape=(3, 2), strides=(1, 1), offset=0)
    """
    shape, strides = as_ints(size, "as_strided"), as_ints(stride, "as_strided")
    given = layout.offset if storage_offset is None else storage_offset
    (offset,) = as_ints((given,), "as_strided")
    if len(shape) != len(strides):
        raise RuntimeError(
            f"[as_strided] shape {shape} and strides {strides} differ in length: "
            "one stride a dimension"
        )
    if any(length < 0 for length in shape):
        raise RuntimeError(f"[as_strided] shape {shape} has a negative size; sizes count from 0 up")
    if offset < 0:
        raise RuntimeError(f"[as_strided] storage offset {offset} lies before the buffer")
    return Layout(shape, strides, offset)


def overlaps(layout: Layout) -> bool:
    """Tell whether two elements may share one place; never False when two of them do.

    Each stride, from the shortest on, must step over all that the shorter ones reach.

    >>> overlaps(Layout((3, 2), (1, 1))), overlaps(Layout((2, 3), (3, 1)))
    (True, False)
    """
    if 0 in layout.shape:
        return False
    reach = 0
    for stride, size in sorted(zip(map(abs, layout.strides), layout.shape, strict=True)):
        if size > 1 and stride <= reach:
            return True
        reach += (size - 1) * stride
    return False
