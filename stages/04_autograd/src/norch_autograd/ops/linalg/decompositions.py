"""Factorizations: Cholesky's and QR. Compositions: the operations inside record themselves."""

from __future__ import annotations

from norch_autograd.graph import return_types
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.constants import constant
from norch_autograd.ops.dtype.convert import detach
from norch_autograd.ops.elementwise.comparison import isnan
from norch_autograd.ops.elementwise.power import sqrt
from norch_autograd.ops.elementwise.where import masked_fill, where
from norch_autograd.ops.linalg.solve import LinAlgError, identity, square
from norch_autograd.ops.linalg.triangular import triu
from norch_autograd.ops.reduction.norm import norm
from norch_autograd.ops.reduction.sum import all, any
from norch_autograd.ops.shape.join import cat
from norch_autograd.ops.shape.view import expand, matrix_transpose


def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """The lower triangle L with `L @ L.mT = A`, for a symmetric positive-definite A; with `upper`,
    its transpose. LinAlgError if A is not positive-definite.

    Only the lower triangle of A is read; the gradient is shared with the upper one, so that a
    step keeps A symmetric.

    >>> norch.linalg.cholesky(norch.tensor([[4., 2.], [2., 5.]]))
    tensor([[2., 0.],
            [1., 2.]])
    """
    n = square("cholesky", A)
    both = (A + matrix_transpose(A)) / 2
    rest, columns = both + detach(A - both), []
    for k in range(n):
        corner = rest[..., :1, :1]
        if bool(any(corner <= 0)) or bool(any(isnan(corner))):
            raise LinAlgError(f"[cholesky] the matrix is not positive-definite: minor {k + 1}")
        column = rest[..., :, :1] / sqrt(corner)
        columns.append(cat([constant(column, 0, (*column.shape[:-2], k, 1)), column], -2))
        below = column[..., 1:, :]
        rest = rest[..., 1:, 1:] - below @ matrix_transpose(below)
    lower = cat(columns, -1) if columns else A
    return matrix_transpose(lower) if upper else lower


def qr(A: Tensor, mode: str = "reduced") -> return_types.qr:
    """Q with orthonormal columns and an upper triangle R, `Q @ R = A`, by Householder reflections.
    `mode` is "reduced", "complete" or "r".

    >>> norch.linalg.qr(norch.tensor([[3., 1.], [4., 2.]])).R
    tensor([[-5.0000, -2.2000],
            [ 0.0000,  0.4000]])
    """
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(f"[qr] mode must be 'reduced', 'complete' or 'r', got '{mode}'")
    if array_of(A).ndim < 2:
        raise RuntimeError(f"[qr] expected matrices, got shape {A.array.shape}")
    m, n = A.shape[-2:]
    q = expand(identity(A, m), (*A.shape[:-2], m, m))
    r = A
    for k in range(min(m - 1, n)):
        v = _householder(r[..., k:, k : k + 1])
        v = cat([constant(v, 0, (*v.shape[:-2], k, 1)), v], -2)
        r = r - v * 2 @ (matrix_transpose(v) @ r)
        q = q - (q @ v) * 2 @ matrix_transpose(v)
    size = m if mode == "complete" else min(m, n)
    r = triu(r[..., :size, :])
    return return_types.qr(constant(q, 0, (0,)) if mode == "r" else q[..., :, :size], r)


def _householder(column: Tensor) -> Tensor:
    """The unit vector (..., k, 1) whose reflection turns a column into a multiple of the first
    axis; zero where it is one already.
    """
    first = column[..., :1, :]
    flat = all(column[..., 1:, :] == 0, -2, True)
    length = norm(column, 2, -2, True)
    v = cat([first + where(first < 0, -length, length), column[..., 1:, :]], -2)
    return masked_fill(v / where(flat, 1.0, norm(v, 2, -2, True)), flat, 0)
