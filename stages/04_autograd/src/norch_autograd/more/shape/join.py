"""Tensors joined by direction (hstack, vstack, dstack, column_stack) and cut by direction (hsplit,
vsplit, dsplit, tensor_split); other shapes for that (atleast_1d and so on).

Compositions of `cat`, `split` and views.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import norch_strides as strides
from norch_autograd.graph.family import family
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.indexing.getitem import narrow
from norch_autograd.ops.shape.join import arrays_of, cat, check_list, split
from norch_autograd.ops.shape.view import reshape, unsqueeze
from norch_autograd.types.size import TENSOR_BYTES, check_room

Places = int | Sequence[int]


def _with_dims(tensor: Tensor, dims: int) -> Tensor:
    """A tensor of at least `dims` dimensions, for atleast_3d, hstack and their like."""
    if tensor.array.ndim >= dims:
        return tensor
    if dims == 3:
        return unsqueeze(_with_dims(tensor, 2), -1)
    return reshape(tensor, 1, -1) if dims == 2 else reshape(tensor, 1)


@family("atleast_{}d")
def _atleast_dims(dims: int, *tensors: Any) -> Any:
    """atleast_1d, 2d and 3d: one tensor, or several, of at least so many dimensions."""
    op = f"atleast_{dims}d"
    if len(tensors) == 1:
        if isinstance(tensors[0], Tensor):
            return _with_dims(tensors[0], dims)
        (tensors,) = tensors
    if not isinstance(tensors, (tuple, list)):
        raise TypeError(f"[{op}] expected tensors, got {type(tensors).__name__}")
    for tensor in tensors:
        array_of(tensor, op)
    return tuple(_with_dims(tensor, dims) for tensor in tensors)


atleast_1d = _atleast_dims(1)("""
    With at least one dimension, itself if it has them: one tensor, or a tuple of several or of a
    sequence.

    >>> norch.atleast_1d(norch.tensor(1))
    tensor([1])
    >>> norch.atleast_1d(norch.tensor(1), norch.tensor([2, 3]))
    (tensor([1]), tensor([2, 3]))
""")
atleast_2d = _atleast_dims(2)("""
    With at least two dimensions, itself if it has them: one tensor, or a tuple of several or of a
    sequence.

    >>> norch.atleast_2d(norch.tensor([1, 2]))
    tensor([[1, 2]])
""")
atleast_3d = _atleast_dims(3)("""
    With at least three dimensions, itself if it has them: one tensor, or a tuple of several or of a
    sequence.

    >>> norch.atleast_3d(norch.tensor([1, 2])).shape
    norch.Size([1, 2, 1])
""")

# For h, v and d: how many dimensions a tensor must have, and the one to join or cut along.
_DIRECTIONS = {"h": (1, 1), "v": (2, 0), "d": (3, 2)}


def _check_some(op: str, tensors: Any) -> None:
    """Raise RuntimeError or TypeError unless hstack or its like gets tensors, one at least."""
    if not check_list(op, tensors):
        raise RuntimeError(f"[{op}] expected a non-empty list of tensors")
    arrays_of(op, tensors)


@family("{}stack")
def _stack_by_direction(direction: str, tensors: Sequence[Tensor]) -> Tensor:
    _check_some(f"{direction}stack", tensors)
    least, dim = _DIRECTIONS[direction]
    parts = [_with_dims(tensor, least) for tensor in tensors]
    return cat(parts, min(dim, parts[0].array.ndim - 1))


hstack = _stack_by_direction("h")("""
    Side by side: along the columns, or end to end for vectors.

    >>> norch.hstack([norch.tensor([1]), norch.tensor([2, 3])])
    tensor([1, 2, 3])
""")
vstack = _stack_by_direction("v")("""
    One below the other; vectors are rows.

    >>> norch.vstack([norch.tensor([1, 2]), norch.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
""")
dstack = _stack_by_direction("d")("""
    One behind the other, along the third dimension.

    >>> norch.dstack([norch.tensor([1, 2]), norch.tensor([3, 4])])
    tensor([[[1, 3],
             [2, 4]]])
""")


def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Side by side; vectors are columns.

    >>> norch.column_stack([norch.tensor([1, 2]), norch.tensor([3, 4])])
    tensor([[1, 3],
            [2, 4]])
    """
    _check_some("column_stack", tensors)
    return cat([t if t.array.ndim > 1 else reshape(t, -1, 1) for t in tensors], 1)


@in_own_name
def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Another name of `split` by lengths: views of the lengths given.

    >>> norch.split_with_sizes(norch.arange(3), [1, 2])
    (tensor([0]), tensor([1, 2]))
    """
    return split(input, list(split_sizes), dim)


@in_own_name
def tensor_split(
    input: Tensor, indices_or_sections: Places | Tensor, dim: int = 0
) -> tuple[Tensor, ...]:
    """So many parts of nearly equal length, or the parts between the places given.

    >>> norch.tensor_split(norch.arange(5), 2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    >>> norch.tensor_split(norch.arange(5), (1, 4))
    (tensor([0]), tensor([1, 2, 3]), tensor([4]))
    """
    if not array_of(input).ndim:
        raise RuntimeError("[tensor_split] a tensor without dimensions cannot be split")
    return _split_at("tensor_split", input, indices_or_sections, dim)


def _split_at(op: str, input: Tensor, places: Any, dim: int) -> tuple[Tensor, ...]:
    """The parts of a tensor between places along `dim`, or so many of nearly one length."""
    shape = input.array.shape
    length = shape[strides.normalize_dim(dim, len(shape), op)]
    if isinstance(places, Tensor):
        if places.array.dtype.is_floating_point:
            raise RuntimeError(f"[{op}] places are whole numbers, not {places.dtype}")
        places = places.array.tolist()
    if not isinstance(places, (int, list, tuple)):
        kind = type(places).__name__
        raise TypeError(f"[{op}] expected a number of sections or a list of places, got {kind}")
    if isinstance(places, int):
        if places < 1:
            raise RuntimeError(f"[{op}] expected at least 1 section, got {places}")
        check_room(op, places, TENSOR_BYTES)
        short, longer = divmod(length, places)
        places = [i * short + min(i, longer) for i in range(1, places)]
    marks = (p + length if p < 0 else p for p in map(operator.index, places))
    ends = [0, *(min(max(mark, 0), length) for mark in marks), length]
    return tuple(narrow(input, dim, a, max(b - a, 0)) for a, b in pairwise(ends))


@family("{}split")
def _split_by_direction(
    direction: str, input: Tensor, indices_or_sections: Places
) -> tuple[Tensor, ...]:
    """hsplit, vsplit and dsplit: a tensor cut along the dimension of this direction."""
    op, (least, dim) = f"{direction}split", _DIRECTIONS[direction]
    shape, places = array_of(input, op).shape, indices_or_sections
    if len(shape) < least:
        raise RuntimeError(f"[{op}] expected at least {least} dimensions, got shape {shape}")
    dim = min(dim, len(shape) - 1)
    if isinstance(places, int) and (places < 1 or shape[dim] % places):
        raise RuntimeError(f"[{op}] {places} sections do not divide size {shape[dim]} of dim {dim}")
    return _split_at(op, input, places, dim)


hsplit = _split_by_direction("h")("""
    `tensor_split` along the columns (the only dimension of a vector).

    >>> norch.hsplit(norch.arange(4), 2)
    (tensor([0, 1]), tensor([2, 3]))
""")
vsplit = _split_by_direction("v")("""
    `tensor_split` along the rows.

    >>> norch.vsplit(norch.zeros(4, 2), 2)[0].shape
    norch.Size([2, 2])
""")
dsplit = _split_by_direction("d")("""
    `tensor_split` along the third dimension.

    >>> norch.dsplit(norch.zeros(1, 1, 4), 2)[0].shape
    norch.Size([1, 1, 2])
""")
