"""A tensor's shape as the user sees it: a tuple of ints that prints as PyTorch's does and can
count.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from norch_cpu_ops import ops as cpu_ops, uint8
from norch_strides import as_ints


class Size(tuple[int, ...]):
    """A shape.

    >>> Size((2, 3)), Size((2, 3)).numel(), Size((2, 3)) == (2, 3)
    (norch.Size([2, 3]), 6, True)
    """

    __slots__ = ()

    def __new__(cls, iterable: Iterable[int] = (), /) -> Size:
        """Take whole numbers, also in tensors of one element; TypeError for others."""
        return tuple.__new__(cls, as_ints(iterable, "Size"))

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

    def __mul__(self, times: Any) -> Size:
        return Size(super().__mul__(times))

    __rmul__ = __mul__

    def __reduce__(self) -> tuple[Any, ...]:
        return Size, (tuple(self),)


TENSOR_BYTES = 512  # of a view in Python: the object, its array, shape and strides


def check_room(op: str, count: int, each: int) -> None:
    """Refuse at once what needs more memory than there is: `count` things of `each` bytes.

    Whoever makes them one by one, or on the way to a result, asks here before it begins; what is
    one array is asked for by allocating it. RuntimeError past 2^63 bytes, MemoryError below.

    >>> check_room("eye", 10**6, 4)
    """
    needed = int(count * each)
    if needed >= 2**63:
        raise RuntimeError(f"[{op}] {count} times {each} bytes are more than 2^63 bytes")
    if needed <= 1 << 26:
        return
    try:
        cpu_ops.empty((needed,), uint8)  # untouched memory costs nothing, and goes back
    except MemoryError:
        raise MemoryError(
            f"[{op}] out of memory: {count} times {each} bytes are {needed} bytes"
        ) from None
