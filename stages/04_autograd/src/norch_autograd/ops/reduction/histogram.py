"""Looking up places in a sorted row: searchsorted. Counting is in more/reduction."""

from __future__ import annotations

import norch_cpu_ops
from norch_autograd.graph.operands import Operand, in_own_name
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.constants import constant
from norch_autograd.ops.dtype.convert import detach, to
from norch_autograd.ops.indexing.gather import gather


@in_own_name
def searchsorted(
    sorted_sequence: Tensor,
    input: Operand,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Where along the last dimension each of `input` could be inserted to keep it sorted: before
    equal ones, or (`right`, or side="right") behind them.

    >>> norch.searchsorted(norch.tensor([1, 3, 5]), norch.tensor([3, 6]))
    tensor([1, 3])
    """
    if side not in (None, "left", "right"):
        raise RuntimeError(f"[searchsorted] side is {side!r}: expected 'left' or 'right'")
    if side == "left" and right:
        raise RuntimeError("[searchsorted] side is 'left' but right is True: give one of them")
    rows = plain(array_of(sorted_sequence))
    if sorter is not None:
        if array_of(sorter).shape != rows.array.shape:
            sizes = f"{sorter.array.shape} and {rows.array.shape}"
            raise RuntimeError(f"[searchsorted] sorter and sequence differ in shape: {sizes}")
        rows = gather(rows, -1, sorter)
    values = detach(input if isinstance(input, Tensor) else constant(rows, 0, ()) + input)
    dtype = norch_cpu_ops.promote_types(rows.array.dtype, values.array.dtype)
    rows, values = to(rows, dtype), to(values, dtype)
    found = rows.array.ops.searchsorted(rows.array, values.array, right or side == "right")
    return to(plain(found), norch_cpu_ops.int32) if out_int32 else plain(found)
