"""Order: sort, argsort, topk, kthvalue, median, nanmedian; places in a sorted row: searchsorted.

The gradient goes back to the places the indices name (`Picked`, minmax.py). NaN is larger than
every number; equal elements keep their order, so that every sort is stable.
"""

from __future__ import annotations

from typing import Any

import norch_cpu_ops
import norch_strides as strides
from norch_autograd.graph import return_types
from norch_autograd.graph.operands import Operand, in_own_name
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.arrays import constant, reshape_array
from norch_autograd.ops.dtype.convert import detach, to
from norch_autograd.ops.elementwise.comparison import isnan
from norch_autograd.ops.elementwise.rounding import floor_divide
from norch_autograd.ops.elementwise.where import clamp
from norch_autograd.ops.indexing.gather import gather
from norch_autograd.ops.reduction.minmax import SharedByEquals, record_picks
from norch_autograd.ops.reduction.sum import sum
from norch_autograd.ops.shape.view import squeeze


def sort(
    input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool | None = None
) -> return_types.sort:
    """The elements in order along `dim`, and where they stood.

    The sort is stable whether asked to be or not.

    >>> values, indices = norch.sort(norch.tensor([3, 1, 2]))
    >>> values, indices
    (tensor([1, 2, 3]), tensor([1, 2, 0]))
    """
    x = array_of(input)
    found = x.ops.sort(x, dim, descending, True)
    return return_types.sort(*record_picks("SortBackward0", input, found, dim, True))


@in_own_name
def argsort(
    input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False
) -> Tensor:
    """Where the elements of a sorted line stand: `sort(...).indices`.

    >>> norch.argsort(norch.tensor([3, 1, 2]), descending=True)
    tensor([0, 2, 1])
    """
    x = array_of(input)
    return plain(x.ops.sort(x, dim, descending, True)[1])


@in_own_name
def msort(input: Tensor) -> Tensor:
    """The elements in order along the first dimension.

    >>> norch.msort(norch.tensor([[3, 1], [2, 4]]))
    tensor([[2, 1],
            [3, 4]])
    """
    return sort(input, 0).values


def topk(
    input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> return_types.topk:
    """The `k` largest (or smallest) elements along `dim`, best first, and where they stood.

    They are in order whether asked to be or not. RuntimeError if `dim` has fewer than `k`.

    >>> norch.topk(norch.tensor([1., 5., 3.]), 2).values
    tensor([5., 3.])
    """
    x = array_of(input)
    found = x.ops.topk(x, k, dim, largest, sorted)
    return return_types.topk(*record_picks("TopkBackward0", input, found, dim, True))


def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> return_types.kthvalue:
    """The `k`-th smallest element along `dim`, counted from 1, and where it stood.

    >>> norch.kthvalue(norch.tensor([3., 1., 2.]), 2).values
    tensor(2.)
    """
    x = array_of(input)
    found = x.ops.kthvalue(x, k, dim, keepdim)
    return return_types.kthvalue(*record_picks("KthvalueBackward0", input, found, dim, keepdim))


def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The middle element when sorted, the lower one of two; NaN if there is one. With `dim`, the
    pair (values, indices).

    >>> norch.median(norch.tensor([4., 1., 3., 2.]))
    tensor(2.)
    """
    x = array_of(input)
    if dim is None:
        y = _median_of_nothing(x) if x.numel == 0 else x.ops.median(reshape_array(x, (x.numel,)))[0]
        return unary(SharedByEquals, y, input, (input, y), "MedianBackward0")
    found = x.ops.median(x, dim, keepdim)
    return return_types.median(*record_picks("MedianBackward1", input, found, dim, keepdim))


def _median_of_nothing(array: Any) -> Any:
    """What `median` gives where there is nothing to sort: NaN; RuntimeError for whole numbers."""
    if array.dtype.is_floating_point:
        return array.ops.full((), float("nan"), array.dtype)
    raise RuntimeError("[median] shape (0,) has no elements: expected at least one")


@in_own_name
def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """`median`, the middle element when sorted, of what is not NaN.

    >>> norch.nanmedian(norch.tensor([4., float("nan"), 3.]))
    tensor(3.)
    """
    if dim is None:
        return _nanmedian_of_all(input)
    x = array_of(input)
    if not x.dtype.is_floating_point:
        return return_types.nanmedian(*median(input, dim, keepdim))
    place = strides.normalize_dim(dim, x.ndim, "nanmedian")
    if x.ndim and x.shape[place] == 0:
        raise IndexError(f"[nanmedian] dim {place} of shape {x.shape} has size 0")
    numbers = sum(~isnan(input), place, True)  # NaN is last: the middle of what comes before it
    rank = floor_divide(clamp(numbers - 1, min=0), 2)
    indices = gather(plain(x.ops.sort(x, place)[1]), place, rank)
    values = gather(plain(x), place, indices)
    if not keepdim and x.ndim:
        indices, values = squeeze(indices, place), squeeze(values, place)
    found = values.array, indices.array
    return return_types.nanmedian(*record_picks("NanmedianBackward0", input, found, place, keepdim))


def _nanmedian_of_all(input: Tensor) -> Tensor:
    """`nanmedian` of all elements, sorted; those equal to it share the gradient."""
    x = array_of(input, "nanmedian")
    line = plain(reshape_array(x, (x.numel,)))
    y = nanmedian(line, 0).values.array if x.numel else _median_of_nothing(x)
    return unary(SharedByEquals, y, input, (input, y), "MedianBackward0")


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
    """Where along a sorted last dimension each of `input` could be inserted: before equal ones, or
    (`right`, or side="right") behind them.

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
