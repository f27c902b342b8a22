"""Python's square brackets: `x[1:, None, ..., -1]` as a layout.

`basic_index` turns whole numbers, slices, None and `...` into one view. `plan_index` splits a key
that also holds arrays of indices: the basic part makes a view, the arrays are listed for a gather,
which is the business of the stages above.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from operator import index as as_int
from typing import Any, NamedTuple

from norch_strides.dims import Ints
from norch_strides.layout import Layout, index
from norch_strides.picking import select, slice_dim, slice_range
from norch_strides.rearrange import unsqueeze

MASKS = "bool", "norch.uint8"  # dtypes of other libraries, and bytes of norch, that say yes or no
PLAIN = frozenset({int, slice, type(None), type(...)})  # a key's usual items, told by their types


def is_basic_index(key: object) -> bool:
    """Tell whether `key` needs only a view: whole numbers, slices, None, `...`, tuples of these.

    True and False are not numbers here: as in PyTorch they pick elements, which needs a copy.

    >>> is_basic_index((slice(1, None), None, ..., -1)), is_basic_index([0, 2])
    (True, False)
    """
    if isinstance(key, tuple):
        return PLAIN.issuperset(map(type, key)) or all(map(_is_basic_item, key))
    return _is_basic_item(key)


def _is_basic_item(item: object) -> bool:
    return type(item) in PLAIN or _is_slice_or_number(item)


def _is_slice_or_number(item: Any) -> bool:
    if isinstance(item, slice):
        return True
    if isinstance(item, bool) or getattr(item, "shape", ()) != ():
        return False
    if str(getattr(item, "dtype", "")).endswith(MASKS):
        return False
    try:
        as_int(item)  # numbers of other libraries count too
    except TypeError:
        return False
    return True


def basic_index(layout: Layout, key: object) -> Layout:
    """Return the view `x[key]` for whole numbers, slices (any step), None, `...` and tuples.

    Raises IndexError for too many indices, an index out of range, or anything else in the key.

    >>> basic_index(Layout((3, 4), (4, 1)), (1, slice(None, None, -1)))
    Layout(shape=(4,), strides=(-1,), offset=7)
    >>> basic_index(Layout((3, 4), (4, 1)), (..., None, 0))
    Layout(shape=(3, 1), strides=(4, 1), offset=0)
    """
    if type(key) is int and layout.shape:
        return select(layout, 0, key)
    if type(key) is slice and layout.shape:
        return slice_dim(layout, 0, key.start, key.stop, key.step)
    if type(key) is tuple and len(key) == len(layout.shape) and all(type(i) is int for i in key):
        return Layout((), (), index(layout, key))
    items = _expand_ellipsis(key if isinstance(key, tuple) else (key,), layout.shape)
    shape: list[int] = []
    strides: list[int] = []
    offset, dim = layout.offset, 0
    for item in items:
        if item is None:
            continue
        size, stride = layout.shape[dim], layout.strides[dim]
        if isinstance(item, slice):
            first, count, step = slice_range(item, size)
            shape.append(count)
            strides.append(step * stride)
        else:
            first = _check(item, dim, size)
        offset += first * stride
        dim += 1
    found = Layout((*shape, *layout.shape[dim:]), (*strides, *layout.strides[dim:]), offset)
    return _insert_new_dims(found, items) if any(item is None for item in items) else found


def _expand_ellipsis(items: Sequence[Any], shape: Ints) -> list[Any]:
    """Replace `...` by as many full slices as the key leaves dimensions unnamed."""
    used = sum(item is not None and item is not ... for item in items)
    if used > len(shape):
        raise _too_many(used, shape)
    dots = [place for place, item in enumerate(items) if item is ...]
    if not dots:
        return list(items)
    if len(dots) > 1:
        raise IndexError("[index] more than one '...' in a key: only one can be filled in")
    before, after = items[: dots[0]], items[dots[0] + 1 :]
    return [*before, *([slice(None)] * (len(shape) - used)), *after]


def _check(item: Any, dim: int, size: int) -> int:
    if not _is_basic_item(item):
        raise IndexError(
            f"[index] {item!r} is no basic index: expected whole numbers, slices, None or '...'"
        )
    i = as_int(item)
    if not -size <= i < size:
        raise IndexError(f"[index] index {i} is out of bounds for dimension {dim} with size {size}")
    return i + size if i < 0 else i


def _insert_new_dims(layout: Layout, items: Sequence[Any]) -> Layout:
    place = 0
    for item in items:
        if item is None:
            layout = unsqueeze(layout, place)
        place += item is None or isinstance(item, slice)
    return layout


class IndexPlan(NamedTuple):
    """What `x[key]` means when the key holds arrays of indices.

    First see `x[basic]`. Then each `(dim, array)` of `arrays` picks along dimension `dim` of that
    view (and the ones after it, for a mask of several dimensions). The dimensions of the arrays,
    broadcast together, stand at `place` in the result.
    """

    basic: tuple[Any, ...]
    arrays: tuple[tuple[int, Any], ...]
    place: int


def plan_index(
    shape: Ints, key: object, dims_of: Callable[[Any], int] = lambda item: 1
) -> IndexPlan:
    """Split a key for an array of this shape into its basic part and its arrays of indices.

    `dims_of(item)` says how many dimensions an item that is not basic stands for (1 for an array
    of numbers, its rank for a mask). The arrays' dimensions go where the arrays stand, or first
    when another dimension stands between them, as in PyTorch.

    >>> plan = plan_index((3, 4, 5), (slice(1, None), [0, 2], 0))
    >>> plan.basic, plan.arrays, plan.place
    ((slice(1, None, None), slice(None, None, None), 0), ((1, [0, 2]),), 1)
    """

    basic: list[Any] = []
    arrays: list[tuple[int, int, Any]] = []  # dimension of the view, how many, the array
    dim, before_dots = 0, None
    for item in key if isinstance(key, tuple) else (key,):
        if _is_basic_item(item):
            basic.append(item)
            dim += item is None or isinstance(item, slice)
            before_dots = len(arrays) if item is ... else before_dots
        else:
            count = dims_of(item)
            basic += [slice(None)] * count
            arrays.append((dim, count, item))
            dim += count
    unnamed = len(shape) - sum(item is not None and item is not ... for item in basic)
    if unnamed < 0:
        raise _too_many(len(shape) - unnamed, shape)
    if before_dots is not None:  # '...' stands for the dimensions that are left
        behind = [(dim + unnamed, count, item) for dim, count, item in arrays[before_dots:]]
        arrays[before_dots:] = behind
    return IndexPlan(tuple(basic), tuple((dim, item) for dim, _, item in arrays), _place(arrays))


def _too_many(named: int, shape: Ints) -> IndexError:
    return IndexError(
        f"[index] too many indices: {named} for shape {shape} with {len(shape)} dimensions"
    )


def _place(arrays: list[tuple[int, int, Any]]) -> int:
    for (dim, count, _), (following, _, _) in pairwise(arrays):
        if following != dim + count:
            return 0
    return arrays[0][0] if arrays else 0
