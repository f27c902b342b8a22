"""Sizes: one number for all directions, or one each; _pair and the like make the tuple of it.

Scripts with layers of their own import those from `nn.modules.utils`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

Sizes = int | Sequence[int]


def _ntuple(n: int) -> Callable[[Any], tuple[Any, ...]]:
    """Return the function that makes n equal numbers of one, and a tuple of several.

    >>> _ntuple(3)(2), _ntuple(3)([1, 2, 3])
    ((2, 2, 2), (1, 2, 3))
    """

    def repeat(value: Any) -> tuple[Any, ...]:
        return tuple(value) if isinstance(value, Iterable) else (value,) * n

    return repeat


_single, _pair, _triple, _quadruple = _ntuple(1), _ntuple(2), _ntuple(3), _ntuple(4)
