"""Factorizations: Cholesky's and QR, written in Tensor operations, which know their derivatives."""

from __future__ import annotations

from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.elementwise.where import where
from norch_autograd.ops.linalg.solve import LinAlgError, identity, square
from norch_autograd.ops.shape.join import cat
from norch_autograd.types import return_types


def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """The lower triangle L with `L @ L.mT = A`, for a symmetric positive-definite A; with `upper`,
    its transpose. LinAlgError if A is not positive-definite.

    Only the lower triangle of A is read; the blame is shared with the upper one, so that a step
    keeps A symmetric.

    >>> import norch_autograd as norch
    >>> norch.linalg.cholesky(norch.tensor([[4., 2.], [2., 5.]]))
    tensor([[2., 0.],
            [1., 2.]])
    """
    n = square("cholesky", A)
    both = (A + A.mT) / 2
    rest, columns = both + (A - both).detach(), []
    for k in range(n):
        corner = rest[..., :1, :1]
        if bool((corner <= 0).any()) or bool(corner.isnan().any()):
            raise LinAlgError(f"[cholesky] the matrix is not positive-definite: minor {k + 1}")
        column = rest[..., :, :1] / corner.sqrt()
        columns.append(cat([column.new_zeros((*column.shape[:-2], k, 1)), column], -2))
        below = column[..., 1:, :]
        rest = rest[..., 1:, 1:] - below @ below.mT
    lower = cat(columns, -1) if columns else A
    return lower.mT if upper else lower


def qr(A: Tensor, mode: str = "reduced") -> return_types.qr:
    """Q with orthonormal columns and an upper triangle R, `Q @ R = A`, by Householder's mirrors.
    `mode` is "reduced", "complete" or "r".

    >>> import norch_autograd as norch
    >>> norch.linalg.qr(norch.tensor([[3., 1.], [4., 2.]])).R
    tensor([[-5.0000, -2.2000],
            [ 0.0000,  0.4000]])
    """
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(f"[qr] mode must be 'reduced', 'complete' or 'r', got '{mode}'")
    if array_of(A).ndim < 2:
        raise RuntimeError(f"[qr] expected matrices, got shape {A.array.shape}")
    m, n = A.shape[-2:]
    q = identity(A, m).expand((*A.shape[:-2], m, m))
    r = A
    for k in range(min(m - 1, n)):
        v = _mirror(r[..., k:, k : k + 1])
        v = cat([v.new_zeros((*v.shape[:-2], k, 1)), v], -2)
        r = r - v * 2 @ (v.mT @ r)
        q = q - (q @ v) * 2 @ v.mT
    size = m if mode == "complete" else min(m, n)
    r = r[..., :size, :].triu()
    return return_types.qr(q.new_empty((0,)) if mode == "r" else q[..., :, :size], r)


def _mirror(column: Tensor) -> Tensor:
    """The unit normal (..., k, 1) of the mirror that turns a column into a multiple of the first
    axis; zero where it is one already.
    """
    first = column[..., :1, :]
    flat = (column[..., 1:, :] == 0).all(-2, True)
    length = column.norm(2, -2, True)
    v = cat([first + where(first < 0, -length, length), column[..., 1:, :]], -2)
    return (v / where(flat, 1.0, v.norm(2, -2, True))).masked_fill(flat, 0)
