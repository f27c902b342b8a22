"""Broadcasting: let a small array stand for a large one by not moving along some dimensions.

A repeated dimension has stride 0. `broadcast_strides` is what the C++ and CUDA stages call when
the shapes of two operands differ; they loop over the strides it returns and copy nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from norch_strides.cache import CACHE_SIZE
from norch_strides.dims import Ints, as_ints
from norch_strides.layout import Layout


def broadcast_shapes(*shapes: Iterable[int]) -> Ints:
    """Return the one shape that all the shapes stretch to.

    Shapes are lined up at their last dimension; where sizes differ, one of them must be 1.
    Raises RuntimeError when they do not fit.

    >>> broadcast_shapes((3, 1), (5,), (2, 1, 1))
    (2, 3, 5)
    """
    return _broadcast_shapes(*(as_ints(shape, "broadcast") for shape in shapes))


@lru_cache(maxsize=CACHE_SIZE)
def _broadcast_shapes(*shapes: Ints) -> Ints:
    ndim = max(map(len, shapes), default=0)
    result = [1] * ndim
    for shape in shapes:
        for k, size in enumerate(shape, start=ndim - len(shape)):
            if size != 1 and result[k] not in (1, size):
                raise RuntimeError(_mismatch(shapes, k - ndim, result[k], size))
            if size != 1:
                result[k] = size
    return tuple(result)


def _mismatch(shapes: tuple[Ints, ...], dim: int, size: int, other: int) -> str:
    names = " and ".join(str(shape) for shape in shapes)
    return (
        f"[broadcast] shapes {names} do not match: in dimension {dim} the sizes are {size} and "
        f"{other}; they must be equal, or one of them 1"
    )


def broadcast_to(layout: Layout, shape: Iterable[int]) -> Layout:
    """See `layout` as the larger `shape`: repeated dimensions get stride 0.

    Raises RuntimeError when `layout` does not stretch to `shape`.

    >>> broadcast_to(Layout((3, 1), (1, 1)), (2, 3, 4))
    Layout(shape=(2, 3, 4), strides=(0, 1, 0), offset=0)
    """
    target = as_ints(shape, "broadcast_to")
    found = _broadcast_to(layout.shape, layout.strides, target, "broadcast_to")
    return found.shifted(layout.offset)


@lru_cache(maxsize=CACHE_SIZE)
def _broadcast_to(shape: Ints, strides: Ints, target: Ints, op: str) -> Layout:
    new = len(target) - len(shape)
    fits = new >= 0 and all(
        size in (1, wanted) for size, wanted in zip(shape, target[new:], strict=True)
    )
    if not fits or any(size < 0 for size in target):
        raise RuntimeError(
            f"[{op}] shape {shape} does not stretch to {target}: "
            "line them up at the end; each size must be equal, or 1 in the first"
        )
    return Layout(tuple(map(int, target)), _stretch(shape, strides, target))


def _stretch(shape: Ints, strides: Ints, target: Ints) -> Ints:
    # ex 1.6 begin
    new = len(target) - len(shape)
    kept = zip(shape, strides, target[new:], strict=True)
    return (0,) * new + tuple(stride if size == wanted else 0 for size, stride, wanted in kept)
    # ex 1.6 end


@lru_cache(maxsize=CACHE_SIZE)
def broadcast_strides(
    shape_a: Ints, strides_a: Ints, shape_b: Ints, strides_b: Ints
) -> tuple[Ints, Ints, Ints]:
    """Return the shape two operands share and the strides that walk each of them through it.

    Raises RuntimeError when the shapes do not fit.

    >>> broadcast_strides((2, 3), (3, 1), (3,), (1,))
    ((2, 3), (3, 1), (0, 1))
    """
    shape = _broadcast_shapes(shape_a, shape_b)
    return shape, _stretch(shape_a, strides_a, shape), _stretch(shape_b, strides_b, shape)


def expand(layout: Layout, sizes: Iterable[int]) -> Layout:
    """Broadcast to `sizes`, where -1 keeps the size that is there (PyTorch's `expand`).

    Raises RuntimeError when a size does not fit or -1 stands before the first dimension.

    >>> expand(Layout((3, 1), (1, 1)), (-1, 4))
    Layout(shape=(3, 4), strides=(1, 0), offset=0)
    """
    wanted = as_ints(sizes, "expand")
    new = len(wanted) - len(layout.shape)
    if new < 0 or -1 in wanted[:new]:
        raise RuntimeError(
            f"[expand] sizes {wanted} for shape {layout.shape}: give one size a dimension; "
            "-1 keeps a size only where there is one"
        )
    if -1 in wanted:
        kept = zip(wanted[new:], layout.shape, strict=True)
        wanted = wanted[:new] + tuple(have if size == -1 else size for size, have in kept)
    return _broadcast_to(layout.shape, layout.strides, wanted, "expand").shifted(layout.offset)
