"""Matrices from their diagonals and back: diag_embed, diag, trace. Compositions of the view
`diagonal` (indexing/getitem.py).
"""

from __future__ import annotations

import norch_strides as strides
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.graph.views import relayout
from norch_autograd.ops.dtype.convert import clone
from norch_autograd.ops.indexing import getitem
from norch_autograd.ops.reduction.sum import sum
from norch_autograd.ops.shape.view import reshape


@in_own_name
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The last dimension as the diagonal of matrices that are zero elsewhere; the matrices lie in
    the dimensions `dim1` (rows) and `dim2` (columns) of the result.

    >>> norch.diag_embed(norch.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    ndim = array_of(input).ndim + 1
    rows, columns = (strides.normalize_dim(dim, ndim, "diag_embed") for dim in (dim1, dim2))
    if rows == columns:
        raise RuntimeError(
            f"[diag_embed] dim1 and dim2 must be two dimensions, got {dim1} and {dim2}"
        )
    *shape, n = input.array.shape
    for place in sorted((rows, columns)):
        shape.insert(place, n + abs(offset))
    whole = strides.contiguous(tuple(shape))
    return relayout(input, strides.diagonal(whole, offset, rows, columns), whole)


@in_own_name
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """The diagonal of a matrix; or the matrix with a vector as its diagonal.

    >>> norch.diag(norch.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    """
    if array_of(input).ndim not in (1, 2):
        raise RuntimeError(f"[diag] expected a vector or a matrix, got shape {input.array.shape}")
    if input.array.ndim == 1:
        return diag_embed(input, diagonal)
    return clone(getitem.diagonal(input, diagonal))


def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix.

    >>> norch.trace(norch.tensor([[1, 2], [3, 4]]))
    tensor(5)
    """
    if array_of(input).ndim != 2:
        raise RuntimeError(f"[trace] a matrix is expected, not shape {input.array.shape}")
    return sum(getitem.diagonal(input))


@in_own_name
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """A matrix with all elements of `input` as its diagonal.

    >>> norch.diagflat(norch.tensor([[1], [2]]))
    tensor([[1, 0],
            [0, 2]])
    """
    array_of(input)
    return diag_embed(reshape(input, -1), offset)
