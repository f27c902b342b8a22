"""Counting: how often each value comes, and which values are among others."""

from __future__ import annotations

from typing import Any

from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import Operand, in_own_name
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.arrays import constant
from norch_autograd.ops.dtype.convert import detach, to
from norch_autograd.ops.dtype.promotion import common_dtype
from norch_autograd.ops.elementwise.where import clamp
from norch_autograd.ops.indexing.gather import index_select
from norch_autograd.ops.reduction.sort import searchsorted, sort
from norch_autograd.ops.shape.view import reshape


class Bincount(Node):
    """dweight[k] = dy[x[k]]."""

    def backward(self, grad: Tensor) -> Gradients:
        index, dtype = self.saved(0), self.context
        return (to(index_select(grad, 0, index), dtype),)


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each number 0, 1, 2, ... occurs, or the sum of its weights; `minlength` numbers at
    least.

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

    >>> norch.histc(norch.tensor([1., 2., 1.]), bins=4, min=0, max=3)
    tensor([0., 2., 1., 0.])
    """
    x = array_of(input)
    return plain(x.ops.histc(x, bins, min, max))


@in_own_name
def bucketize(
    input: Operand, boundaries: Tensor, *, out_int32: bool = False, right: bool = False
) -> Tensor:
    """Between which `boundaries` each element lies: `searchsorted` with one row for all.

    >>> norch.bucketize(norch.tensor([2, 7]), norch.tensor([1, 3, 5]))
    tensor([1, 3])
    """
    if array_of(boundaries).ndim != 1:
        shape = boundaries.array.shape
        raise RuntimeError(f"[bucketize] boundaries {shape}: expected one dimension")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


@in_own_name
def isin(
    elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False
) -> Tensor:
    """Where `elements` are among `test_elements` (with `invert`, where they are not); one of the
    two may be a number. `assume_unique` changes nothing here.

    >>> norch.isin(norch.tensor([1, 2, 3]), norch.tensor([3, 1]))
    tensor([ True, False,  True])
    """
    model: Any = elements if isinstance(elements, Tensor) else test_elements
    array_of(model, "isin")
    dtype = common_dtype(elements, test_elements)
    x, known = (
        constant(model, side, (), dtype) if isinstance(side, (int, float)) else to(side, dtype)
        for side in (elements, test_elements)
    )
    if dtype.name == "bool":
        raise RuntimeError("[isin] bools are not looked up: cast to uint8 first")
    x, known = detach(x), reshape(detach(known), -1)
    if not known.array.numel:
        return plain(x.array.ops.full(x.array.shape, invert, (x == x).dtype))
    known = sort(known[known == known]).values  # NaN equals nothing
    if not known.array.numel:
        return isin(x, known, invert=invert)
    line = reshape(x, -1)
    place = clamp(searchsorted(known, line), max=known.array.numel - 1)
    found = reshape(index_select(known, 0, place) == line, x.array.shape)
    return ~found if invert else found
