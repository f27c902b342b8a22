"""Merge neighbouring dimensions that one longer walk covers just as well.

Kernels call this before they loop: a contiguous array of any rank becomes one long line, and a
sum over a middle dimension never has more than three. `reshape` needs it too.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from norch_strides.cache import CACHE_SIZE
from norch_strides.dims import Ints
from norch_strides.layout import Layout


def coalesce(layout: Layout) -> Layout:
    """Return the same walk with as few dimensions as possible.

    Two neighbours merge when one step of the outer equals a full run of the inner. Dimensions of
    size 1 disappear. An empty array becomes shape `(0,)`.

    >>> coalesce(Layout((2, 3, 4), (12, 4, 1)))
    Layout(shape=(24,), strides=(1,), offset=0)
    >>> coalesce(Layout((3, 2, 4), (4, 12, 1)))
    Layout(shape=(3, 2, 4), strides=(4, 12, 1), offset=0)
    """
    shape, (strides,) = _coalesce_all(layout.shape, (layout.strides,))
    return Layout(shape, strides, layout.offset)


def coalesce_all(shape: Ints, strides_list: Iterable[Ints]) -> tuple[Ints, tuple[Ints, ...]]:
    """Merge dimensions for several operands of one shape, only where all of them agree.

    >>> coalesce_all((2, 3, 4), [(12, 4, 1), (0, 4, 1)])
    ((2, 12), ((12, 1), (0, 1)))
    """
    return _coalesce_all(tuple(shape), tuple(map(tuple, strides_list)))


@lru_cache(maxsize=CACHE_SIZE)
def _coalesce_all(shape: Ints, strides_list: tuple[Ints, ...]) -> tuple[Ints, tuple[Ints, ...]]:
    if 0 in shape:
        return (0,), ((1,),) * len(strides_list)
    sizes: list[int] = []
    walks: list[Ints] = []  # one stride per operand, for each dimension kept
    for k, size in enumerate(shape):
        steps = tuple(strides[k] for strides in strides_list)
        if size == 1:
            continue
        if sizes and all(
            outer == size * inner for outer, inner in zip(walks[-1], steps, strict=True)
        ):
            sizes[-1] *= size
            walks[-1] = steps
        else:
            sizes.append(size)
            walks.append(steps)
    merged = tuple(tuple(steps[i] for steps in walks) for i in range(len(strides_list)))
    return tuple(sizes), merged
