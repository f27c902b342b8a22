"""`rearrange`: an array whose dimensions are split, reordered and merged, as a pattern says.

    rearrange(x, "rows (tile column) -> tile rows column", tile=4)

The whole file is yours; README.md has the task. It begins with the definition itself, which goes to
every element.
"""

import re
from itertools import product
from math import prod

from norch_strides import StridedArray, contiguous

Groups = list[list[str]]  # the names of each dimension, several where it is split or merged


def rearrange(x: StridedArray, pattern: str, **sizes: int) -> StridedArray:
    """Return `x` with its dimensions in the form on the right of the arrow."""
    left, right = map(groups, pattern.split("->"))
    size = all_sizes(left, x.shape, sizes)
    names = [name for group in right for name in group]
    elements = []
    for places in product(*(range(size[name]) for name in names)):
        at = dict(zip(names, places, strict=True))
        elements.append(x[tuple(joined(group, at, size) for group in left)])
    return StridedArray(elements, contiguous([prod(size[n] for n in group) for group in right]))


def groups(side: str) -> Groups:
    """Return the names on one side of the arrow: "a (b c)" is [["a"], ["b", "c"]]."""
    return [re.findall(r"\w+", part) for part in re.findall(r"\([^)]*\)|\w+", side)]


def all_sizes(left: Groups, shape: tuple[int, ...], given: dict[str, int]) -> dict[str, int]:
    """Return the size of every name; one name of a group may be left to be found."""
    size = dict(given)
    for group, whole in zip(left, shape, strict=True):
        for name in group:
            if name not in size:
                size[name] = whole // max(1, prod(size[n] for n in group if n in size))
    return size


def joined(group: list[str], at: dict[str, int], size: dict[str, int]) -> int:
    """Return the place in a dimension that several names share; the last one runs fastest."""
    place = 0
    for name in group:
        place = place * size[name] + at[name]
    return place
