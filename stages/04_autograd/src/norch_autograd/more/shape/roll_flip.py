"""Elements moved around: roll, fliplr, flipud, rot90. Compositions of `flip`, `cat` and views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import norch_strides as strides
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.dtype.convert import clone, contiguous
from norch_autograd.ops.indexing.getitem import narrow
from norch_autograd.ops.shape.join import cat, flip
from norch_autograd.ops.shape.view import reshape, transpose


@in_own_name
def roll(input: Tensor, shifts: int | Sequence[int], dims: Any = None) -> Tensor:
    """Elements moved along `dims`, those pushed out come in at the other end.

    >>> norch.roll(norch.arange(4), 1)
    tensor([3, 0, 1, 2])
    """
    if dims is None or (isinstance(dims, (tuple, list)) and not dims):
        array_of(input)
        return reshape(roll(reshape(input, -1), shifts, 0), input.array.shape)
    moves, along = strides.as_dims(shifts, "roll"), strides.as_dims(dims, "roll")
    if len(moves) != len(along):
        raise RuntimeError(
            f"[roll] {len(moves)} shifts for {len(along)} dims: give as many of both"
        )
    rolled = input
    for shift, dim in zip(moves, along, strict=True):
        if not array_of(input).ndim:
            raise IndexError(f"[roll] dim {dim} is out of range: the tensor has no dimensions")
        size = input.array.shape[strides.normalize_dim(dim, input.array.ndim, "roll")]
        cut = -shift % size if size else 0
        if cut:
            parts = narrow(rolled, dim, cut, size - cut), narrow(rolled, dim, 0, cut)
            rolled = cat(parts, dim)
    return clone(rolled) if rolled is input else rolled


def fliplr(input: Tensor) -> Tensor:
    """The columns in reverse order.

    >>> norch.fliplr(norch.tensor([[1, 2]]))
    tensor([[2, 1]])
    """
    if array_of(input).ndim < 2:
        raise RuntimeError(f"[fliplr] expected at least 2 dimensions, got {input.array.ndim}")
    return flip(input, 1)


def flipud(input: Tensor) -> Tensor:
    """The rows in reverse order.

    >>> norch.flipud(norch.tensor([1, 2]))
    tensor([2, 1])
    """
    if array_of(input).ndim < 1:
        raise RuntimeError("[flipud] expected at least 1 dimension, got 0")
    return flip(input, 0)


@in_own_name
def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """`k` quarter turns from the first of `dims` towards the second.

    >>> norch.rot90(norch.tensor([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]])
    """
    if len(dims) != 2:
        raise RuntimeError(f"[rot90] expected 2 dims to turn between, got {len(dims)}")
    if array_of(input).ndim < 2:
        raise RuntimeError(f"[rot90] expected at least 2 dimensions, got {input.array.ndim}")
    first, second = (strides.normalize_dim(d, input.array.ndim, "rot90") for d in dims)
    if first == second:
        raise RuntimeError(f"[rot90] expected two different dims, got {dims[0]} and {dims[1]}")
    turns = k % 4
    if turns == 0:
        return clone(input)
    if turns == 2:
        return flip(input, first, second)
    turned = transpose(flip(input, second if turns == 1 else first), first, second)
    return contiguous(turned)
