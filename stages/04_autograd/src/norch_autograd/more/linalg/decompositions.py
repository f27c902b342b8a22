"""Factorizations into triangles: Cholesky's, QR, LU. The first two are written out here, with
operations that record themselves; LAPACK computes them faster where it is there.
"""

from __future__ import annotations

from norch_autograd.graph import return_types
from norch_autograd.graph.composite import fused
from norch_autograd.graph.multi_output import MultiOutputNode, OutputGrads, record_many
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.more.linalg.lapack import (
    LinAlgError,
    check_info,
    check_matrices,
    check_square,
    lapack_computes,
    lapack_matrices,
)
from norch_autograd.more.linalg.solve import solve_triangular
from norch_autograd.more.shape.diagonal import identity
from norch_autograd.more.shape.tile import take_along_dim
from norch_autograd.ops.arrays import arange_like, constant
from norch_autograd.ops.dtype.convert import detach, to
from norch_autograd.ops.elementwise.comparison import isnan
from norch_autograd.ops.elementwise.power import sqrt
from norch_autograd.ops.elementwise.where import masked_fill, tril, triu, where
from norch_autograd.ops.linalg.norm import norm
from norch_autograd.ops.reduction.sort import argsort
from norch_autograd.ops.reduction.sum import all, any
from norch_autograd.ops.shape.join import cat
from norch_autograd.ops.shape.view import expand, matrix_transpose, unsqueeze
from norch_cpu_ops import int32, lapack

# ---- Cholesky ----


def _cholesky_reference(A: Tensor) -> Tensor:
    """Column by column: the corner's root, the column below divided by it, and what is left."""
    n = A.shape[-1]
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
    return cat(columns, -1) if columns else A


class LinalgCholesky(Node):
    """dA = (S + S^T) / 2, S = L^-T F L^-1, where F is the lower triangle of L^T dL with half of its
    diagonal.
    """

    def backward(self, grad: Tensor) -> Gradients:
        lower = self.saved(0)
        inner = tril(matrix_transpose(lower) @ grad)
        inner = inner * (1 - identity(lower, lower.shape[-1]) / 2)
        inner = solve_triangular(matrix_transpose(lower), inner, upper=True)
        da = solve_triangular(lower, inner, upper=False, left=False)
        return ((da + matrix_transpose(da)) / 2,)


@fused(_cholesky_reference)
def _lower_triangle(A: Tensor) -> Tensor:
    """Cholesky's L of A, by LAPACK where that is there."""
    if not lapack_computes(A):
        return _cholesky_reference(A)
    lower, info = lapack.cholesky(A.array)
    check_info("cholesky", info, "is not positive-definite: minor {code}")
    return unary(LinalgCholesky, lower, A, (lower,))


def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """The lower triangle L with `L @ L.mT = A`, for a symmetric positive-definite A; with `upper`,
    its transpose. LinAlgError if A is not positive-definite.

    Only that triangle of A is read; the gradient is shared with the other one, so that a step
    keeps A symmetric.

    >>> norch.linalg.cholesky(norch.tensor([[4., 2.], [2., 5.]]))
    tensor([[2., 0.],
            [1., 2.]])
    """
    check_square("cholesky", A)
    if upper:
        return matrix_transpose(_lower_triangle(matrix_transpose(A)))
    return _lower_triangle(A)


# ---- QR ----


def _qr_reference(A: Tensor, mode: str) -> return_types.linalg_qr:
    """Householder reflections: each turns a column into a multiple of an axis."""
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
    return return_types.linalg_qr(constant(q, 0, (0,)) if mode == "r" else q[..., :, :size], r)


def _householder(column: Tensor) -> Tensor:
    """The unit vector (..., k, 1) whose reflection turns a column into a multiple of the first
    axis; zero where it is one already.
    """
    first = column[..., :1, :]
    flat = all(column[..., 1:, :] == 0, -2, True)
    length = norm(column, 2, -2, True)
    v = cat([first + where(first < 0, -length, length), column[..., 1:, :]], -2)
    return masked_fill(v / where(flat, 1.0, norm(v, 2, -2, True)), flat, 0)


class LinalgQr(MultiOutputNode):
    """dA = Q dR + (Q C + dQ - Q Q^T dQ) U^-T, where C is the part of M - M^T below the diagonal,
    M = Q^T dQ - dR R^T, and U is the square part of R: the second term belongs to the columns of U.

    dQ - Q Q^T dQ is 0 where Q is square, and then left out: U^-T would magnify its rounding.
    """

    def backward(self, grad: OutputGrads) -> Gradients:
        q, r = self.saved_output(0), self.saved_output(1)
        a, mode = self.saved(2), self.context
        m, n = a.shape[-2:]
        if mode == "r" or (mode == "complete" and m > n):
            raise RuntimeError(
                f"[qr] a Q of mode '{mode}' has no derivative for shape {a.array.shape}: "
                "mode='reduced' has one"
            )
        dq = grad.grads.get(0, constant(q, 0))
        dr = triu(grad.grads.get(1, constant(r, 0)))
        inner = matrix_transpose(q) @ dq - dr @ matrix_transpose(r)
        turned = q @ tril(inner - matrix_transpose(inner), -1)
        if m > n:
            turned = turned + dq - q @ (matrix_transpose(q) @ dq)
        corner = matrix_transpose(r[..., : min(m, n)])
        turned = solve_triangular(corner, turned, upper=False, left=False)
        da = q @ dr
        return (cat([da[..., :m] + turned, da[..., m:]], -1) if m < n else da + turned,)


@fused(_qr_reference)
def _qr(A: Tensor, mode: str) -> return_types.linalg_qr:
    """Q and R of A, by LAPACK where that is there."""
    if not lapack_computes(A):
        return _qr_reference(A, mode)
    q, r = lapack.qr(A.array, mode == "complete", mode != "r")
    kept = (plain(q), plain(r), A)
    both = record_many(LinalgQr, [q, r], (A,), kept, mode)
    return return_types.linalg_qr(constant(A, 0, (0,)) if mode == "r" else both[0], both[1])


def qr(A: Tensor, mode: str = "reduced") -> return_types.linalg_qr:
    """Q with orthonormal columns and an upper triangle R, `Q @ R = A`, by Householder reflections.
    `mode` is "reduced", "complete" (Q is square) or "r" (no Q).

    >>> norch.linalg.qr(norch.tensor([[3., 1.], [4., 2.]])).R
    tensor([[-5.0000, -2.2000],
            [ 0.0000,  0.4000]])
    """
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(f"[qr] mode must be 'reduced', 'complete' or 'r', got '{mode}'")
    check_matrices("qr", A)
    return _qr(A, mode)


# ---- LU ----


class LinalgLuFactor(Node):
    """dA = P L^-T (tril(L^T dL - dU2 U2^T, -1) + triu(dU U^T - L2^T dL2)) U^-T for the square part
    of L and U. U2 are the further columns of a wide U, with dA2 = P L^-T dU2; L2 the further rows
    of a tall L, with dA2 = P dL2 U^-T.
    """

    public_name = "LinalgLuFactorExBackward0"

    def backward(self, grad: Tensor) -> Gradients:
        lu, order = self.saved(0), self.saved(1)
        k = min(lu.shape[-2:])
        corner, dcorner = lu[..., :k, :k], grad[..., :k, :k]
        lower, dlower = tril(corner, -1) + identity(lu, k), tril(dcorner, -1)
        upper, dupper = triu(corner), triu(dcorner)
        right, dright = lu[..., :k, k:], grad[..., :k, k:]
        below, dbelow = lu[..., k:, :k], grad[..., k:, :k]
        inner = tril(matrix_transpose(lower) @ dlower - dright @ matrix_transpose(right), -1)
        inner = inner + triu(dupper @ matrix_transpose(upper) - matrix_transpose(below) @ dbelow)
        inner = cat([inner, dright], -1)
        top = solve_triangular(matrix_transpose(lower), inner, upper=True)
        left = cat([top[..., :k], dbelow], -2)
        left = solve_triangular(matrix_transpose(upper), left, upper=False, left=False)
        da = cat([left, top[..., k:]], -1) if lu.shape[-1] > k else left
        return (take_along_dim(da, unsqueeze(argsort(order), -1), -2),)


def factor_lu(op: str, A: Tensor, pivot: bool) -> tuple[Tensor, Tensor, Tensor]:
    """L and U in one matrix, the pivots, and LAPACK's codes; refuses to leave out the pivots."""
    x = lapack_matrices(op, A)
    if not pivot:
        raise RuntimeError(f"[{op}] LU without pivoting is not there on the CPU: pivot=True")
    lu, pivots, info = lapack.lu_factor(x)
    order = plain(lapack.row_order(pivots, x.shape[-2]))
    return unary(LinalgLuFactor, lu, A, (lu, order)), plain(pivots), plain(info)


def lu_factor(A: Tensor, *, pivot: bool = True) -> return_types.linalg_lu_factor:
    """L (below the diagonal; ones on it) and U in one matrix, and which row was exchanged with
    each, counted from 1. `lu_solve` takes them, `lu_unpack` takes them apart. LinAlgError if U has
    a 0 on its diagonal.

    >>> norch.linalg.lu_factor(norch.tensor([[1., 2.], [2., 2.]]))
    norch.return_types.linalg_lu_factor(
    LU=tensor([[2.0000, 2.0000],
            [0.5000, 1.0000]]),
    pivots=tensor([2, 2], dtype=norch.int32))
    """
    lu, pivots, info = factor_lu("lu_factor", A, pivot)
    check_info("lu_factor", info.array, "is singular: U[{code}, {code}], counted from 1, is 0")
    return return_types.linalg_lu_factor(lu, pivots)


def lu(A: Tensor, *, pivot: bool = True) -> return_types.linalg_lu:
    """P, L and U with `A = P @ L @ U`: a permutation, a lower triangle with ones on its diagonal,
    an upper triangle.

    >>> norch.linalg.lu(norch.tensor([[1., 2.], [2., 2.]])).U
    tensor([[2., 2.],
            [0., 1.]])
    """
    factors, pivots, _ = factor_lu("lu", A, pivot)
    return return_types.linalg_lu(*lu_unpack(factors, pivots))


def _row_order(op: str, LU: Tensor, pivots: Tensor) -> Tensor:
    """Which row of A became each row of L U: the pivots of an LU factorization as an order."""
    rows, k = LU.shape[-2], min(LU.shape[-2:])
    x = array_of(pivots, op)
    if x.dtype is not int32 or x.shape != (*LU.array.shape[:-2], k):
        raise RuntimeError(
            f"[{op}] expected pivots as lu_factor gives them, int32 of shape "
            f"{(*LU.array.shape[:-2], k)}, got {x.dtype} {x.shape}"
        )
    return plain(lapack.row_order(x, rows))


def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True
) -> return_types.lu_unpack:
    """P, L and U from what `lu_factor` gave; those not asked for are empty.

    >>> factors = norch.linalg.lu_factor(norch.tensor([[1., 2.], [2., 2.]]))
    >>> norch.lu_unpack(*factors).P
    tensor([[0., 1.],
            [1., 0.]])
    """
    lapack_matrices("lu_unpack", LU_data)
    m, n = LU_data.shape[-2:]
    P = L = U = constant(LU_data, 0, (0,))
    if unpack_pivots:
        order = unsqueeze(_row_order("lu_unpack", LU_data, LU_pivots), -2)
        P = to(unsqueeze(arange_like(order, (m,)), -1) == order, LU_data.dtype)
    if unpack_data:
        k = min(m, n)
        one = identity(LU_data, max(m, k))[:, :k]
        L = tril(LU_data[..., :k], -1) + one
        U = triu(LU_data[..., :k, :])
    return return_types.lu_unpack(P, L, U)


def lu_solve(
    LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False
) -> Tensor:
    """X with `A @ X = B` (with `left=False`, `X @ A = B`) from what `lu_factor(A)` gave; with
    `adjoint`, A transposed.

    >>> factors = norch.linalg.lu_factor(norch.tensor([[1., 2.], [2., 2.]]))
    >>> norch.linalg.lu_solve(*factors, norch.tensor([[3.], [4.]]))
    tensor([[1.],
            [1.]])
    """
    check_square("lu_solve", LU)
    check_matrices("lu_solve", B)
    lapack_matrices("lu_solve", LU)
    order = unsqueeze(_row_order("lu_solve", LU, pivots), -1)
    if not left:
        turned = lu_solve(LU, pivots, matrix_transpose(B), adjoint=not adjoint)
        return matrix_transpose(turned)
    if LU.shape[-1] != B.shape[-2]:
        raise RuntimeError(f"[lu_solve] A {tuple(LU.shape)} and B {tuple(B.shape)} do not match")
    if not adjoint:
        half = solve_triangular(LU, _reorder_rows(B, order), upper=False, unitriangular=True)
        return solve_triangular(LU, half, upper=True)
    turned = matrix_transpose(LU)
    half = solve_triangular(turned, B, upper=False)
    x = solve_triangular(turned, half, upper=True, unitriangular=True)
    return _reorder_rows(x, argsort(order, -2))


def _reorder_rows(B: Tensor, order: Tensor) -> Tensor:
    """The rows of B, a right side of equations, in the order that each matrix has for itself."""
    batch = (*B.shape[:-2], *order.shape[-2:]) if B.ndim > order.ndim else order.shape
    return take_along_dim(B, expand(order, batch), -2)
