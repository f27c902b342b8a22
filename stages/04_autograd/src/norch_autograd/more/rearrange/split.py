"""Tensors cut into views, in PyTorch's many spellings: tensor_split, hsplit, vsplit, dsplit.

`split`, `chunk` and `unbind` are in shape/join.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import norch_strides as strides
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.more.rearrange.windows import Places
from norch_autograd.ops.indexing.getitem import narrow
from norch_autograd.ops.shape.join import split
from norch_autograd.types.size import TENSOR_BYTES, check_room


@in_own_name
def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Views of the lengths given.

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
    """The parts between places, which a number of sections stands for."""
    shape = input.array.shape
    length = shape[strides.normalize_dim(dim, len(shape), op)]
    if isinstance(places, Tensor):
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
    ends = [0, *(min(max(p + length if p < 0 else p, 0), length) for p in places), length]
    return tuple(narrow(input, dim, a, max(b - a, 0)) for a, b in pairwise(ends))


@in_own_name
def hsplit(input: Tensor, indices_or_sections: Places) -> tuple[Tensor, ...]:
    """`tensor_split` along the columns (the only dimension of a vector).

    >>> norch.hsplit(norch.arange(4), 2)
    (tensor([0, 1]), tensor([2, 3]))
    """
    return _split_evenly(
        "hsplit", input, indices_or_sections, 0 if array_of(input).ndim == 1 else 1, 1
    )


@in_own_name
def vsplit(input: Tensor, indices_or_sections: Places) -> tuple[Tensor, ...]:
    """`tensor_split` along the rows.

    >>> norch.vsplit(norch.zeros(4, 2), 2)[0].shape
    norch.Size([2, 2])
    """
    return _split_evenly("vsplit", input, indices_or_sections, 0, 2)


@in_own_name
def dsplit(input: Tensor, indices_or_sections: Places) -> tuple[Tensor, ...]:
    """`tensor_split` along the third dimension.

    >>> norch.dsplit(norch.zeros(1, 1, 4), 2)[0].shape
    norch.Size([1, 1, 2])
    """
    return _split_evenly("dsplit", input, indices_or_sections, 2, 3)


def _split_evenly(
    op: str, input: Tensor, places: Places, dim: int, least: int
) -> tuple[Tensor, ...]:
    """`tensor_split`, where a number of sections must divide the length."""
    shape = array_of(input, op).shape
    if len(shape) < least:
        raise RuntimeError(f"[{op}] expected at least {least} dimensions, got shape {shape}")
    if isinstance(places, int) and (places < 1 or shape[dim] % places):
        raise RuntimeError(f"[{op}] {places} sections do not divide size {shape[dim]} of dim {dim}")
    return _split_at(op, input, places, dim)
