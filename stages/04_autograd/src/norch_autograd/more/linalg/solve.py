"""Systems of equations: solutions, inverses, determinants by elimination; by substitution those of
a triangle (solve_triangular, cholesky_solve, cholesky_inverse). LAPACK is faster where it is there.

The gradient of a solution is one more solution: nothing of the elimination needs to be recorded.
"""

from __future__ import annotations

import math

from norch_autograd.graph import return_types
from norch_autograd.graph.composite import fused
from norch_autograd.graph.grad_mode import no_grad
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.record import record, unary
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.more.linalg.lapack import (
    LinAlgError,
    check_matrices,
    check_square,
    lapack_computes,
    vectors_as_columns,
    with_equal_batches,
)
from norch_autograd.more.linalg.spectral import svd
from norch_autograd.more.shape.diagonal import identity
from norch_autograd.more.shape.tile import take_along_dim
from norch_autograd.ops.arrays import arange_like, array_any, constant
from norch_autograd.ops.elementwise.comparison import isfinite
from norch_autograd.ops.elementwise.exponential import log
from norch_autograd.ops.elementwise.power import abs
from norch_autograd.ops.elementwise.rounding import sign
from norch_autograd.ops.elementwise.where import masked_fill, tril, triu, where
from norch_autograd.ops.indexing.getitem import diagonal
from norch_autograd.ops.reduction.minmax import argmax
from norch_autograd.ops.reduction.sum import all, any, prod, sum
from norch_autograd.ops.shape.join import cat, stack
from norch_autograd.ops.shape.view import expand, matrix_transpose, squeeze, unsqueeze
from norch_cpu_ops import lapack


def _per_matrix(numbers: Tensor) -> Tensor:
    """(...) -> (..., 1, 1): a number for each matrix of a batch, a determinant or a pivot."""
    return unsqueeze(unsqueeze(numbers, -1), -1)


def _eliminate(matrix: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
    """Gauss and Jordan: the solution of `matrix @ x = right`, and the pivots (..., n), of which the
    determinant is the product. Rows are exchanged so that every pivot is the largest of its column.
    """
    n = matrix.shape[-1]
    table = cat([matrix, right], -1)
    rows = arange_like(table, (n,))
    pivots = []
    for k in range(n):
        sizes = masked_fill(abs(table[..., k]), rows < k, -1.0)
        best = argmax(sizes, -1, True)  # (..., 1)
        order = where(rows == k, best, where(rows == best, k, rows))  # k and the best exchanged
        table = take_along_dim(table, unsqueeze(order, -1), -2)
        pivot = table[..., k, k]
        pivots.append(where(squeeze(best, -1) == k, pivot, -pivot))
        row = table[..., k : k + 1, :] / _per_matrix(pivot)
        others = table[..., :, k : k + 1] * unsqueeze(rows != k, -1)
        table = where(unsqueeze(rows == k, -1), row, table - others * row)
    found = stack(pivots, -1) if pivots else constant(matrix, 1, (*matrix.shape[:-2], 0))
    return table[..., n:], found


def _solve_by_factors(matrix: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
    """`_eliminate` from L and U, by LAPACK where it is; the pivots are the diagonal of U."""
    if not lapack_computes(matrix):
        return _eliminate(matrix, right)
    n = matrix.shape[-1]
    lu, exchanged, _ = lapack.lu_factor(matrix.array)
    order = plain(lapack.row_order(exchanged, n))
    rows = take_along_dim(right, unsqueeze(order, -1), -2)
    half = lapack.solve_triangular(lu, rows.array, False, True)
    x = lapack.solve_triangular(lu, half, True)
    stays = plain(exchanged) == arange_like(matrix, (n,)) + 1
    pivots = diagonal(plain(lu), 0, -2, -1)
    return plain(x), where(stays, pivots, -pivots)


class Solve(Node):
    """dB = solve(A^T, dX), dA = -dB X^T."""

    def backward(self, grad: Tensor) -> Gradients:
        a, x = self.saved(0), self.saved(1)
        right = _solve("solve", matrix_transpose(a), grad)
        da = -(right @ matrix_transpose(x)) if self.needs(0) else None
        return da, right if self.needs(1) else None


def _solve(op: str, matrix: Tensor, right: Tensor) -> Tensor:
    """The solution of one system of equations for each column of `right`, recorded as `Solve`."""
    with no_grad():
        x, pivots = _solve_by_factors(matrix, right)
        if op and bool(any(pivots == 0)):
            raise LinAlgError(
                f"[{op}] a matrix among {matrix.array.shape} is singular, expected independent "
                "rows: look for one that repeats, or add a small multiple of the identity"
            )
    return record(Solve, x.array, (matrix, right), (matrix, x.array))


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """X with `A @ X = B` (with `left=False`, `X @ A = B`); B may be a vector.

    >>> norch.linalg.solve(norch.tensor([[2., 0.], [0., 4.]]), norch.tensor([2., 2.]))
    tensor([1.0000, 0.5000])
    """
    check_square("solve", A)
    if not left:
        return matrix_transpose(solve(matrix_transpose(A), matrix_transpose(B)))
    array_of(B)
    right, is_vector = vectors_as_columns("solve", A, B)
    A, right = with_equal_batches("solve", A, right)
    x = _solve("solve", A, right)
    return squeeze(x, -1) if is_vector else x


def inv(A: Tensor) -> Tensor:
    """The inverse. LinAlgError (a RuntimeError) for a singular matrix.

    >>> norch.linalg.inv(norch.tensor([[2., 0.], [0., 4.]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    check_square("inv", A)
    return _inverse("inv", A)


def _inverse(op: str, A: Tensor) -> Tensor:
    """`inv`; a singular matrix is refused in the name of `op`, if that is given."""
    return _solve(op, A, expand(identity(A, A.shape[-1]), A.shape))


def _is_singular(A: Tensor, pivots: Tensor) -> Tensor:
    """Which matrices have determinant 0: what comes after a pivot of 0 may be NaN, which is the
    answer only where A has NaN or infinity.
    """
    return any(pivots == 0, -1) & all(isfinite(A), (-2, -1))


class LinalgDet(Node):
    """d det(A) = det(A) A^-T dA, and the cofactors times dA where A is singular."""

    def backward(self, grad: Tensor) -> Gradients:
        a, value = self.saved(0), self.saved(1)
        singular = _per_matrix(value == 0)
        one = identity(a, a.shape[-1])
        inverse = _inverse("det", where(singular, one, a))
        slope = _per_matrix(value) * matrix_transpose(inverse)
        if array_any(singular):
            slope = where(singular, _cofactors(where(singular, a, one)), slope)
        return (_per_matrix(grad) * slope,)


def _cofactors(A: Tensor) -> Tensor:
    """The derivative of the determinant, which needs no inverse: with A = U S Vh it is U S' Vh
    times the signs of U and Vh, where S' has, for each singular value, the product of the others.
    """
    U, S, Vh = svd(A)
    others = masked_fill(unsqueeze(S, -2), identity(A, A.shape[-1]) != 0, 1)
    return _per_matrix(det(U @ Vh)) * ((U * unsqueeze(prod(others, -1), -2)) @ Vh)


def det(A: Tensor) -> Tensor:
    """The determinant.

    >>> norch.linalg.det(norch.tensor([[1., 2.], [3., 4.]]))
    tensor(-2.0000)
    """
    check_square("det", A)
    with no_grad():
        pivots = _solve_by_factors(A, A[..., :0])[1]
        value = masked_fill(prod(pivots, -1), _is_singular(A, pivots), 0)
    return unary(LinalgDet, value.array, A, (A, value.array))


class SignOfDet(Node):
    """dA = 0: the sign is constant between its jumps."""

    def backward(self, grad: Tensor) -> Gradients:
        return (constant(grad, 0, self.context),)


class LogAbsDet(Node):
    """d log|det(A)| = A^-T dA."""

    def backward(self, grad: Tensor) -> Gradients:
        inverse = _inverse("", self.saved(0))  # of a singular matrix infinite, or NaN
        return (_per_matrix(grad) * matrix_transpose(inverse),)


def slogdet(A: Tensor) -> return_types.linalg_slogdet:
    """The sign of the determinant and the logarithm of its size, which does not overflow.

    >>> norch.linalg.slogdet(norch.tensor([[-2., 0.], [0., 0.5]]))
    norch.return_types.linalg_slogdet(
    sign=tensor(-1.),
    logabsdet=tensor(0.))
    """
    check_square("slogdet", A)
    with no_grad():
        pivots = _solve_by_factors(A, A[..., :0])[1]
        singular = _is_singular(A, pivots)
        signs = masked_fill(prod(sign(pivots), -1), singular, 0)
        logarithm = masked_fill(sum(log(abs(pivots)), -1), singular, -math.inf)
    recorded = unary(SignOfDet, signs.array, A, (), A.array.shape)
    return return_types.linalg_slogdet(recorded, unary(LogAbsDet, logarithm.array, A, (A,)))


@in_own_name
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant; NaN where that is negative.

    >>> norch.logdet(norch.eye(3))
    tensor(0.)
    """
    signs, logarithm = slogdet(input)
    return where(signs < 0, math.nan, logarithm)


def _substitute(A: Tensor, B: Tensor, upper: bool, unit: bool) -> Tensor:
    """Solve a triangle: each row from those found before; of an upper one the last row first."""
    n = A.shape[-1]
    found = B[..., :0, :]
    for k in reversed(range(n)) if upper else range(n):
        known = A[..., k : k + 1, k + 1 :] if upper else A[..., k : k + 1, :k]
        row = B[..., k : k + 1, :] - known @ found
        row = row if unit else row / A[..., k : k + 1, k : k + 1]
        found = cat([row, found] if upper else [found, row], -2)
    return found


class LinalgSolveTriangular(Node):
    """dB = A^-T dX, dA = -dB X^T in the triangle that was read."""

    def backward(self, grad: Tensor) -> Gradients:
        a, x = self.saved(0), self.saved(1)
        upper, unit = self.context
        db = _solve_triangle(matrix_transpose(a), grad, not upper, unit)
        da = None
        if self.needs(0):
            whole = -(db @ matrix_transpose(x))
            da = triu(whole, int(unit)) if upper else tril(whole, -int(unit))
        return da, db if self.needs(1) else None


@fused(_substitute)
def _solve_triangle(A: Tensor, B: Tensor, upper: bool, unit: bool) -> Tensor:
    """X with `A @ X = B` for triangles A of as many matrices as B, recorded."""
    if not lapack_computes(A):
        return _substitute(A, B, upper, unit)
    x = lapack.solve_triangular(A.array, B.array, upper, unit)
    return record(LinalgSolveTriangular, x, (A, B), (A, x), (upper, unit))


def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    """X with `A @ X = B` (with `left=False`, `X @ A = B`) for a triangle A; with `unitriangular`
    its diagonal counts as ones. What is outside the triangle is not read; 0 on the diagonal gives
    infinity or NaN.

    >>> A = norch.tensor([[1., 1.], [9., 2.]])
    >>> norch.linalg.solve_triangular(A, norch.tensor([[3.], [4.]]), upper=True)
    tensor([[1.],
            [2.]])
    """
    check_square("solve_triangular", A)
    check_matrices("solve_triangular", B)
    if not left:
        turned = matrix_transpose(A), matrix_transpose(B)
        x = solve_triangular(*turned, upper=not upper, unitriangular=unitriangular)
        return matrix_transpose(x)
    if A.shape[-1] != B.shape[-2]:
        raise RuntimeError(
            f"[solve_triangular] A {tuple(A.shape)} and B {tuple(B.shape)} do not match"
        )
    A, B = with_equal_batches("solve_triangular", A, B)
    return _solve_triangle(A, B, upper, unitriangular)


@in_own_name
def cholesky_solve(B: Tensor, L: Tensor, upper: bool = False) -> Tensor:
    """X with `L @ L.mT @ X = B`, where L is what `cholesky` gave; with `upper`, `L.mT @ L @ X = B`.

    >>> norch.cholesky_solve(norch.tensor([[8.]]), norch.tensor([[2.]]))
    tensor([[2.]])
    """
    array_of(L)
    lower = matrix_transpose(L) if upper else L
    half = solve_triangular(lower, B, upper=False)
    return solve_triangular(matrix_transpose(lower), half, upper=True)


def cholesky_inverse(L: Tensor, upper: bool = False) -> Tensor:
    """The inverse of `L @ L.mT`, where L is what `cholesky` gave; with `upper`, of `L.mT @ L`.

    >>> norch.cholesky_inverse(norch.tensor([[2.]]))
    tensor([[0.2500]])
    """
    n = check_square("cholesky_inverse", L)
    return cholesky_solve(expand(identity(L, n), L.shape), L, upper)
