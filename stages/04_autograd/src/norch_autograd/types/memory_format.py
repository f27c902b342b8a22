"""In which order the elements of a tensor lie in memory: PyTorch's memory formats.

Every kernel of norch takes any strides, so a format changes no result; it is for scripts that ask.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

import norch_strides as strides


class memory_format(Enum):
    """In which order the elements lie: as they are, row by row, or with the channels innermost.

    >>> norch.channels_last
    norch.channels_last
    """

    preserve_format = "norch.preserve_format"
    contiguous_format = "norch.contiguous_format"
    channels_last = "norch.channels_last"
    channels_last_3d = "norch.channels_last_3d"

    def __repr__(self) -> str:
        return self.value

    __str__ = __repr__


preserve_format = memory_format.preserve_format
contiguous_format = memory_format.contiguous_format
channels_last = memory_format.channels_last
channels_last_3d = memory_format.channels_last_3d
RANKS = {channels_last: 4, channels_last_3d: 5}


def lies_in(input: Any, order: memory_format) -> bool:
    """Whether the elements lie in memory in that order already; TypeError for what is none."""
    if not isinstance(order, memory_format):
        known = ", ".join(map(str, memory_format))
        raise TypeError(f"[memory_format] {order!r} is none: expected one of {known}")
    if order is contiguous_format or order is preserve_format:
        return bool(input.array.is_contiguous)
    layout = input.array.layout
    ndim = len(layout.shape)
    if ndim != RANKS[order]:
        return False
    return strides.is_contiguous(strides.permute(layout, (0, *range(2, ndim), 1)))
