"""Equations whose matrix is a triangle: solve_triangular, and cholesky_solve, cholesky_inverse,
which solve with two of them. Their derivatives are solved by the same function.
"""

from __future__ import annotations

from norch_autograd.graph.composite import fused
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.record import record
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.more.linalg.lapack import check_matrices, computes, square, with_equal_batches
from norch_autograd.more.linalg.triangular import identity
from norch_autograd.ops.elementwise.where import tril, triu
from norch_autograd.ops.shape.join import cat
from norch_autograd.ops.shape.view import expand, matrix_transpose
from norch_cpu_ops import lapack


def _substitute(A: Tensor, B: Tensor, upper: bool, unit: bool) -> Tensor:
    """Each row of the solution from those found before; of an upper triangle the last one first."""
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
        db = _solve(matrix_transpose(a), grad, not upper, unit)
        da = None
        if self.needs(0):
            whole = -(db @ matrix_transpose(x))
            da = triu(whole, int(unit)) if upper else tril(whole, -int(unit))
        return da, db if self.needs(1) else None


@fused(_substitute)
def _solve(A: Tensor, B: Tensor, upper: bool, unit: bool) -> Tensor:
    """X with `A @ X = B`, of equal batches."""
    if not computes(A):
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
    square("solve_triangular", A)
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
    return _solve(A, B, upper, unitriangular)


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
    n = square("cholesky_inverse", L)
    return cholesky_solve(expand(identity(L, n), L.shape), L, upper)
