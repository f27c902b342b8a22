"""Views that keep every element and rearrange the dimensions.

`permute`, `transpose`, `movedim`, `squeeze`, `unsqueeze` and `flip`: each returns a new `Layout`
over the same buffer. The private functions are cached on shape and strides, never on the offset,
so that the rows of a large array share one entry.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from norch_strides.cache import CACHE_SIZE
from norch_strides.dims import Ints, as_dims, as_ints, normalize_dim, normalize_dims
from norch_strides.layout import Layout


def permute(layout: Layout, dims: Iterable[int]) -> Layout:
    """Reorder the dimensions: dimension `k` of the result is dimension `dims[k]` of `layout`.

    Raises RuntimeError unless `dims` names every dimension once.

    >>> permute(Layout((2, 3, 4), (12, 4, 1)), (2, 0, 1))
    Layout(shape=(4, 2, 3), strides=(1, 12, 4), offset=0)
    """
    shape, strides, offset = layout
    return _permute(shape, strides, as_ints(dims, "permute")).shifted(offset)


@lru_cache(maxsize=CACHE_SIZE)
def _permute(shape: Ints, strides: Ints, dims: Ints) -> Layout:
    ndim = len(shape)
    if len(dims) != ndim:
        raise RuntimeError(
            f"[permute] dims {dims} for shape {shape}: name each of the {ndim} dimensions"
        )
    # ex 1.4 begin
    raise NotImplementedError("exercise 1.4 is yours to write")
    # ex 1.4 end


def transpose(layout: Layout, dim0: int, dim1: int) -> Layout:
    """Swap two dimensions, and nothing else.

    >>> transpose(Layout((2, 3), (3, 1)), 0, 1)
    Layout(shape=(3, 2), strides=(1, 3), offset=0)
    """
    shape, strides, offset = layout
    return _transpose(shape, strides, *as_ints((dim0, dim1), "transpose")).shifted(offset)


@lru_cache(maxsize=CACHE_SIZE)
def _transpose(shape: Ints, strides: Ints, dim0: int, dim1: int) -> Layout:
    first = normalize_dim(dim0, len(shape), "transpose")
    second = normalize_dim(dim1, len(shape), "transpose")
    order = list(range(len(shape)))
    if order:
        order[first], order[second] = order[second], order[first]
    return _permute(shape, strides, tuple(order))


def movedim(
    layout: Layout, source: int | Iterable[int], destination: int | Iterable[int]
) -> Layout:
    """Move dimensions to new places; the others keep their order and close the gaps.

    >>> movedim(Layout((2, 3, 4), (12, 4, 1)), 0, -1).shape
    (3, 4, 2)
    """
    ndim = len(layout.shape)
    sources, targets = as_dims(source, "movedim"), as_dims(destination, "movedim")
    if len(sources) != len(targets):
        raise RuntimeError(
            f"[movedim] source {sources} and destination {targets} differ in length: "
            "give each dimension one new place"
        )
    normalize_dims(sources, ndim, "movedim")
    normalize_dims(targets, ndim, "movedim")
    place = {
        normalize_dim(target, ndim, "movedim"): normalize_dim(dim, ndim, "movedim")
        for dim, target in zip(sources, targets, strict=True)
    }
    moved = set(place.values())
    others = iter([dim for dim in range(ndim) if dim not in moved])
    return permute(layout, [place[k] if k in place else next(others) for k in range(ndim)])


def squeeze(layout: Layout, dim: int | Iterable[int] | None = None) -> Layout:
    """Drop dimensions of size 1: all of them, or only those named. Other sizes stay.

    >>> squeeze(Layout((1, 3, 1), (3, 1, 1)))
    Layout(shape=(3,), strides=(1,), offset=0)
    >>> squeeze(Layout((1, 3, 1), (3, 1, 1)), 0).shape
    (3, 1)
    """
    named = None if dim is None else as_dims(dim, "squeeze")
    return _squeeze(layout.shape, layout.strides, named).shifted(layout.offset)


@lru_cache(maxsize=CACHE_SIZE)
def _squeeze(shape: Ints, strides: Ints, dim: int | Ints | None) -> Layout:
    named = normalize_dims(dim, len(shape), "squeeze")
    kept = [k for k, size in enumerate(shape) if size != 1 or k not in named]
    return Layout(tuple(shape[k] for k in kept), tuple(strides[k] for k in kept))


def unsqueeze(layout: Layout, dim: int) -> Layout:
    """Insert a dimension of size 1 before dimension `dim`; -1 puts it last.

    >>> unsqueeze(Layout((3, 4), (4, 1)), 0)
    Layout(shape=(1, 3, 4), strides=(12, 4, 1), offset=0)
    """
    (place,) = as_ints((dim,), "unsqueeze")
    return _unsqueeze(layout.shape, layout.strides, place).shifted(layout.offset)


@lru_cache(maxsize=CACHE_SIZE)
def _unsqueeze(shape: Ints, strides: Ints, dim: int) -> Layout:
    k = normalize_dim(dim, len(shape) + 1, "unsqueeze")
    # No step is ever taken along it, so any stride would do; this one keeps the row-major look.
    stride = shape[k] * strides[k] if k < len(shape) else 1
    return Layout((*shape[:k], 1, *shape[k:]), (*strides[:k], stride, *strides[k:]))


def flip(layout: Layout, dims: int | Iterable[int]) -> Layout:
    """Walk the named dimensions backwards: start at the far end, step with the sign turned.

    Unlike PyTorch, which copies, this is a view.

    >>> flip(Layout((2, 3), (3, 1)), (1,))
    Layout(shape=(2, 3), strides=(3, -1), offset=2)
    """
    named = as_dims(dims, "flip")
    return _flip(layout.shape, layout.strides, named).shifted(layout.offset)


@lru_cache(maxsize=CACHE_SIZE)
def _flip(shape: Ints, strides: Ints, dims: Ints) -> Layout:
    # ex 1.9 begin
    turned = list(strides)
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        start = max(shape[dim] - 1, 0) * strides[dim]
        turned[dim] = -strides[dim]
    return Layout(shape, tuple(turned), start)
    # ex 1.9 end
