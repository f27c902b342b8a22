"""Tensors joined by direction (hstack, vstack, dstack, column_stack), and given more dimensions
(atleast_1d and so on) or fewer (ravel). Compositions of `cat` and views.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.dtype.convert import contiguous
from norch_autograd.ops.shape.join import arrays_of, cat, check_list
from norch_autograd.ops.shape.view import reshape, unsqueeze, view


def ravel(input: Tensor) -> Tensor:
    """All elements as a vector.

    >>> norch.ravel(norch.tensor([[1, 2], [3, 4]]))
    tensor([1, 2, 3, 4])
    """
    array_of(input)
    return view(contiguous(input), -1)


def atleast_1d(*tensors: Any) -> Any:
    """With at least one dimension: one tensor, or a tuple of several or of a sequence.

    >>> norch.atleast_1d(norch.tensor(1))
    tensor([1])
    >>> norch.atleast_1d(norch.tensor(1), norch.tensor([2, 3]))
    (tensor([1]), tensor([2, 3]))
    """
    return _each(tensors, _as_1d, "atleast_1d")


def atleast_2d(*tensors: Any) -> Any:
    """With at least two dimensions: one tensor, or a tuple of several or of a sequence.

    >>> norch.atleast_2d(norch.tensor([1, 2]))
    tensor([[1, 2]])
    """
    return _each(tensors, _as_2d, "atleast_2d")


def atleast_3d(*tensors: Any) -> Any:
    """With at least three dimensions: one tensor, or a tuple of several or of a sequence.

    >>> norch.atleast_3d(norch.tensor([1, 2])).shape
    norch.Size([1, 2, 1])
    """
    return _each(tensors, _as_3d, "atleast_3d")


def _each(tensors: tuple[Any, ...], lift: Callable[[Tensor], Tensor], op: str) -> Any:
    """`lift` of the only tensor, or of each of several."""
    if len(tensors) == 1:
        if isinstance(tensors[0], Tensor):
            return lift(tensors[0])
        (tensors,) = tensors
    if not isinstance(tensors, (tuple, list)):
        raise TypeError(f"[{op}] expected tensors, got {type(tensors).__name__}")
    for tensor in tensors:
        array_of(tensor, op)
    return tuple(map(lift, tensors))


def _as_1d(tensor: Tensor) -> Tensor:
    """A number as a vector of one element."""
    return reshape(tensor, 1) if tensor.array.ndim == 0 else tensor


def _as_2d(tensor: Tensor) -> Tensor:
    """A vector as a matrix of one row."""
    return tensor if tensor.array.ndim > 1 else reshape(tensor, 1, -1)


def _as_3d(tensor: Tensor) -> Tensor:
    """A matrix with a third dimension of size 1."""
    return tensor if tensor.array.ndim > 2 else unsqueeze(_as_2d(tensor), -1)


def _some(op: str, tensors: Any) -> Any:
    """The tensors, of which there must be one at least."""
    if not check_list(op, tensors):
        raise RuntimeError(f"[{op}] expected a non-empty list of tensors")
    arrays_of(op, tensors)
    return tensors


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Side by side: along the columns, or end to end for vectors.

    >>> norch.hstack([norch.tensor([1]), norch.tensor([2, 3])])
    tensor([1, 2, 3])
    """
    lifted = [_as_1d(tensor) for tensor in _some("hstack", tensors)]
    return cat(lifted, 0 if lifted[0].array.ndim == 1 else 1)


@in_own_name
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """One below the other; vectors are rows.

    >>> norch.vstack([norch.tensor([1, 2]), norch.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    return cat([_as_2d(tensor) for tensor in _some("vstack", tensors)], 0)


def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """One behind the other, along the third dimension.

    >>> norch.dstack([norch.tensor([1, 2]), norch.tensor([3, 4])])
    tensor([[[1, 3],
             [2, 4]]])
    """
    return cat([_as_3d(tensor) for tensor in _some("dstack", tensors)], 2)


def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Side by side; vectors are columns.

    >>> norch.column_stack([norch.tensor([1, 2]), norch.tensor([3, 4])])
    tensor([[1, 3],
            [2, 4]])
    """
    columns = _some("column_stack", tensors)
    return cat([t if t.array.ndim > 1 else reshape(t, -1, 1) for t in columns], 1)
