"""Matrices from their diagonals and back: diag_embed, diag, block_diag, trace, the identity.
Compositions of the view `diagonal` (indexing/getitem.py).
"""

from __future__ import annotations

from itertools import accumulate

import norch_cpu_ops
import norch_strides as strides
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.graph.views import relayout
from norch_autograd.ops.arrays import constant
from norch_autograd.ops.dtype.convert import clone, to
from norch_autograd.ops.dtype.promotion import common_dtype
from norch_autograd.ops.indexing import getitem
from norch_autograd.ops.reduction.sum import sum
from norch_autograd.ops.shape.join import cat
from norch_autograd.ops.shape.view import reshape
from norch_autograd.types.dtype import get_default_dtype


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


def identity(like: Tensor, n: int) -> Tensor:
    """The matrix with ones as its diagonal, in the dtype and on the device of another tensor."""
    return diag(constant(like, 1, (n,)))


@in_own_name
def block_diag(*tensors: Tensor) -> Tensor:
    """One matrix with the given ones along its diagonal and zeros elsewhere.

    >>> norch.block_diag(norch.tensor([[1, 2]]), norch.tensor([[3]]))
    tensor([[1, 2, 0],
            [0, 0, 3]])
    """
    if not tensors:
        return plain(norch_cpu_ops.ops.zeros((1, 0), get_default_dtype()))
    dtype = common_dtype(*tensors)
    matrices = [to(reshape(t, 1, -1) if array_of(t).ndim < 2 else t, dtype) for t in tensors]
    ends, rows = [0, *accumulate(m.array.shape[1] for m in matrices)], []
    for m, before, end in zip(matrices, ends, ends[1:], strict=False):
        left, right = (
            constant(m, 0, (m.array.shape[0], width)) for width in (before, ends[-1] - end)
        )
        rows.append(cat([left, m, right], 1))
    return cat(rows, 0)
