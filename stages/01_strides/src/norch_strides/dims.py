"""Which dimension is meant: negative numbers, several at once, and what a reduction leaves.

Every function of this stage, and every operation of the stages above, passes the dimensions it
is given through here first, so they all accept the same spellings and raise the same errors.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from operator import index as as_int

from norch_strides.cache import CACHE_SIZE

Ints = tuple[int, ...]  # sizes, strides or dimensions, one for each dimension
NO_LISTS = (dict, set, frozenset)  # what has no order, or holds something else


def as_ints(values: Iterable[int], op: str) -> Ints:
    """Return `values` as a tuple of ints; floats, strings and sets are refused, never rounded.

    >>> as_ints([2, 3], "reshape")
    (2, 3)
    >>> as_ints([2.0, 3], "reshape")
    Traceback (most recent call last):
    TypeError: [reshape] expected whole numbers, got [2.0, 3]
    """
    try:
        if type(values) is tuple or not isinstance(values, NO_LISTS):
            return tuple(map(as_int, values))
    except TypeError:
        pass
    raise TypeError(f"[{op}] expected whole numbers, got {values!r}")


def as_dims(dims: int | Iterable[int], op: str) -> Ints:
    """Return one dimension or several as a tuple of ints. What counts as a whole number is one
    dimension, also if it could be listed, as a tensor of one element can.

    >>> as_dims(-1, "flip"), as_dims([0, 1], "flip")
    ((-1,), (0, 1))
    """
    if not isinstance(dims, (tuple, list)):
        try:
            return (as_int(dims),)  # type: ignore[arg-type]  # a TypeError tells
        except TypeError:
            pass
    return as_ints(dims, op)  # type: ignore[arg-type]  # or refused there


def normalize_dim(dim: int, ndim: int, op: str) -> int:
    """Return `dim` counted from the front; -1 is the last of `ndim` dimensions.

    An array without dimensions accepts 0 and -1, as in PyTorch.
    Raises IndexError when there is no such dimension, TypeError when `dim` is no whole number.

    >>> normalize_dim(-1, 3, "sum"), normalize_dim(0, 3, "sum")
    (2, 0)
    >>> normalize_dim(3, 3, "sum")
    Traceback (most recent call last):
    IndexError: [sum] dim 3 is out of range for 3 dimensions: expected -3 to 2
    """
    try:
        dim = int(as_int(dim))
    except TypeError:
        raise TypeError(f"[{op}] a dim must be a whole number, got {dim!r}") from None
    limit = ndim or 1
    if not -limit <= dim < limit:
        raise IndexError(
            f"[{op}] dim {dim} is out of range for {ndim} dimensions: "
            f"expected {-limit} to {limit - 1}"
        )
    return dim + limit if dim < 0 else dim


def normalize_dims(dims: int | Iterable[int] | None, ndim: int, op: str) -> Ints:
    """Return the dimensions sorted, counted from the front; None means all of them.

    An array without dimensions has none to list, whatever is asked.
    Raises RuntimeError when a dimension is named twice.

    >>> normalize_dims((-1, 0), 3, "sum"), normalize_dims(None, 2, "sum")
    ((0, 2), (0, 1))
    >>> normalize_dims((1, -1), 2, "sum")
    Traceback (most recent call last):
    RuntimeError: [sum] dim 1 appears twice in (1, -1): name each dimension once
    """
    if dims is None:
        return tuple(range(ndim))
    return _normalize_dims(as_dims(dims, op), ndim, op)


@lru_cache(maxsize=CACHE_SIZE)
def _normalize_dims(given: Ints, ndim: int, op: str) -> Ints:
    found = sorted(normalize_dim(dim, ndim, op) for dim in given)
    for first, second in pairwise(found):
        if first == second:
            raise RuntimeError(
                f"[{op}] dim {first} appears twice in {given}: name each dimension once"
            )
    return tuple(found) if ndim else ()


def reduced_shape(
    shape: Ints, dims: int | Iterable[int] | None, keepdim: bool, op: str = "reduce"
) -> Ints:
    """Return the shape that is left when `dims` are summed away (kept as 1 with `keepdim`).

    None and the empty tuple both mean all dimensions, as in PyTorch.

    >>> reduced_shape((2, 3, 4), 1, keepdim=False), reduced_shape((2, 3, 4), (0, 2), keepdim=True)
    ((2, 4), (1, 3, 1))
    """
    return _reduced_shape(shape, normalize_dims(dims, len(shape), op), keepdim)


@lru_cache(maxsize=CACHE_SIZE)
def _reduced_shape(shape: Ints, dims: Ints, keepdim: bool) -> Ints:
    everything = tuple(range(len(shape)))
    gone = dims or everything
    if keepdim:
        return tuple(1 if dim in gone else shape[dim] for dim in everything)
    return tuple(shape[dim] for dim in everything if dim not in gone)
