"""One answer: a stride for each name, then a view, or one copy where there is none."""

import re
from math import prod

from norch_strides import Layout, StridedArray


def rearrange(x, pattern, **sizes):
    """Return `x` with its dimensions in the form on the right of the arrow."""
    if pattern.count("->") != 1:
        raise ValueError(f"[rearrange] pattern {pattern!r}: expected one arrow, ->")
    left, right = (groups(side) for side in pattern.split("->"))
    check(pattern, left, right, sizes)
    if len(left) != len(x.shape):
        raise ValueError(f"[rearrange] shape {x.shape}: {pattern!r} has {len(left)} dimensions")
    size, stride = {}, {}
    for group, whole, step in zip(left, x.shape, x.strides):
        for name in reversed(group):
            others = prod(sizes.get(other, 1) for other in group if other != name)
            size[name] = sizes[name] if name in sizes else whole // max(1, others)
            stride[name], step = step, step * size[name]
        if prod(size[name] for name in group) != whole or sum(n not in sizes for n in group) > 1:
            raise ValueError(f"[rearrange] {group} cannot split a dimension of {whole}: name sizes")
    names = [name for group in right for name in group]
    layout = Layout(tuple(size[n] for n in names), tuple(stride[n] for n in names), x.offset)
    return StridedArray(x.buffer, layout).reshape(*(prod(size[n] for n in g) for g in right))


def groups(side):
    """Return the names on one side of the arrow, a list for each dimension."""
    parts = re.findall(r"\([^()]*\)|\w+|\S", side)
    if any(not part[0].isalnum() and part[0] not in "(_" or part == "(" for part in parts):
        raise ValueError(f"[rearrange] cannot read {side!r}: expected names, (names in groups)")
    return [re.findall(r"\w+", part) for part in parts]


def check(pattern, left, right, sizes):
    """Refuse what does not name each dimension once on each side."""
    sides = [[name for group in side for name in group] for side in (left, right)]
    if sorted(sides[0]) != sorted(sides[1]) or len(set(sides[0])) != len(sides[0]):
        raise ValueError(f"[rearrange] pattern {pattern!r}: each name once on each side")
    if unknown := set(sizes) - set(sides[0]):
        raise ValueError(f"[rearrange] sizes of {sorted(unknown)}: not in {pattern!r}")
