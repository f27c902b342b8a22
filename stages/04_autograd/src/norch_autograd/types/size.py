"""A tensor's shape as the user sees it: a tuple of ints that prints as PyTorch's does and can
count.
"""

from __future__ import annotations

import math
from typing import Any


class Size(tuple[int, ...]):
    """A shape.

    >>> Size((2, 3)), Size((2, 3)).numel(), Size((2, 3)) == (2, 3)
    (norch.Size([2, 3]), 6, True)
    """

    __slots__ = ()

    def numel(self) -> int:
        """How many elements a tensor of this shape has."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"norch.Size({list(self)})"

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return Size(found) if isinstance(key, slice) else found

    def __add__(self, other: Any) -> Size:
        return Size(super().__add__(other))

    def __reduce__(self) -> tuple[Any, ...]:
        return Size, (tuple(self),)
