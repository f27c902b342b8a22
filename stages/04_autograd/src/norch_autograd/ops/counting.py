"""Counting and searching: bincount, histc, searchsorted, bucketize. Only weights are to blame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import norch_cpu_ops
from norch_autograd.graph import Gradients, Node, TensorBase, array_of, plain, unary
from norch_autograd.ops.gather import gather, index_select

if TYPE_CHECKING:
    from norch_autograd.ops.arithmetic import Operand
    from norch_autograd.tensors import Tensor


class Bincount(Node):
    """Each weight went into one sum: it reads its blame there."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        index, dtype = self.saved(0), self.context
        return (index_select(grad, 0, index).to(dtype),)


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each number 0, 1, 2, ... occurs, or the sum of its weights; `minlength` numbers at
    least.

    >>> import norch_autograd as norch
    >>> norch.bincount(norch.tensor([1, 3, 1]))
    tensor([0, 2, 0, 1])
    """
    x = array_of(input)
    if weights is None:
        return plain(x.ops.bincount(x, None, minlength))
    sums = x.ops.bincount(x, array_of(weights), minlength)
    return unary(Bincount, sums, weights, (input,), weights.array.dtype)


def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements fall into each of `bins` equal steps from `min` to `max`; if these are
    equal, from the smallest to the largest element.

    >>> import norch_autograd as norch
    >>> norch.histc(norch.tensor([1., 2., 1.]), bins=4, min=0, max=3)
    tensor([0., 2., 1., 0.])
    """
    x = array_of(input)
    return plain(x.ops.histc(x, bins, min, max))


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

    >>> import norch_autograd as norch
    >>> norch.searchsorted(norch.tensor([1, 3, 5]), norch.tensor([3, 6]))
    tensor([1, 3])
    """
    if side not in (None, "left", "right"):
        raise RuntimeError(f"[searchsorted] side is {side!r}: expected 'left' or 'right'")
    if side == "left" and right:
        raise RuntimeError("[searchsorted] side is 'left' but right is True: give one of them")
    rows = plain(array_of(sorted_sequence))
    if sorter is not None:
        rows = gather(rows, -1, sorter)
    values = plain(input.array) if isinstance(input, TensorBase) else _number(rows, input)
    dtype = norch_cpu_ops.promote_types(rows.array.dtype, values.array.dtype)
    rows, values = rows.to(dtype), values.to(dtype)
    found = rows.array.ops.searchsorted(rows.array, values.array, right or side == "right")
    return plain(found).to(norch_cpu_ops.int32) if out_int32 else plain(found)


def _number(rows: Tensor, value: float) -> Tensor:
    """A number as a tensor of the dtype that it and `rows` make together."""
    return plain((rows.new_zeros(()) + value).array)


def bucketize(
    input: Operand, boundaries: Tensor, *, out_int32: bool = False, right: bool = False
) -> Tensor:
    """Between which `boundaries` each element lies: `searchsorted` with one row for all.

    >>> import norch_autograd as norch
    >>> norch.bucketize(norch.tensor([2, 7]), norch.tensor([1, 3, 5]))
    tensor([1, 3])
    """
    if array_of(boundaries).ndim != 1:
        shape = boundaries.array.shape
        raise RuntimeError(f"[bucketize] boundaries {shape}: expected one dimension")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)
