"""Singular values and eigenvalues, by LAPACK: svd, eigh, and what is made of them: matrix_rank,
pinv, lstsq. Vectors of equal values are not unique: their gradient is not finite.
"""

from __future__ import annotations

from typing import Any

from norch_autograd.graph import return_types
from norch_autograd.graph.multi_output import MultiOutputNode, OutputGrads, record_many
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import Number, in_own_name
from norch_autograd.graph.record import record, should_record, unary
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.more.linalg.lapack import (
    check_info,
    check_square,
    lapack_matrices,
    vectors_as_columns,
    with_equal_batches,
)
from norch_autograd.more.shape.diagonal import diag_embed, identity
from norch_autograd.ops.arrays import array_all, constant, transpose_array
from norch_autograd.ops.dtype.convert import detach, to
from norch_autograd.ops.elementwise.power import abs, square
from norch_autograd.ops.elementwise.where import masked_fill, maximum, where
from norch_autograd.ops.reduction.minmax import amax
from norch_autograd.ops.reduction.sum import sum
from norch_autograd.ops.shape.view import expand, matrix_transpose, reshape, squeeze, unsqueeze
from norch_autograd.types.dtype import finfo
from norch_cpu_ops import int64, lapack

SEARCH = "has values that could not be separated: the search among them did not end ({code})"


def _as_row(values: Tensor) -> Tensor:
    """(..., n) -> (..., 1, n): singular values or eigenvalues, one for each column of a matrix."""
    return unsqueeze(values, -2)


def _as_column(values: Tensor) -> Tensor:
    """(..., n) -> (..., n, 1): singular values or eigenvalues, one for each row of a matrix."""
    return unsqueeze(values, -1)


def _over_gaps(x: Tensor, values: Tensor) -> Tensor:
    """E(X)_ij = (X - X^T)_ij / (values_j - values_i), and 0 on the diagonal."""
    one = identity(values, values.shape[-1])
    odd = x - matrix_transpose(x)
    return odd * (1 - one) / (_as_row(values) - _as_column(values) + one)


class LinalgSvd(MultiOutputNode):
    """dA = U (E(U^T dU) S + S E(V^T dV) + dS) V^T, where E(X)_ij = (X - X^T)_ij / (s_j^2 - s_i^2),
    and for A that is not square (I - U U^T) dU S^-1 V^T, or U S^-1 dV^T (I - V V^T), besides.
    """

    def backward(self, grad: OutputGrads) -> Gradients:
        u, s, vh = (self.saved_output(i) for i in range(3))
        du, ds, dvh = (grad.grads.get(i) for i in range(3))
        k = s.shape[-1]
        u, vh = u[..., :, :k], vh[..., :k, :]
        inner = diag_embed(constant(s, 0) if ds is None else ds)
        outside = None
        if du is not None:
            du = du[..., :, :k]
            turn = matrix_transpose(u) @ du
            inner = inner + _over_gaps(turn, square(s)) * _as_row(s)
            if u.shape[-2] > k:
                outside = (du - u @ turn) / _as_row(s) @ vh
        if dvh is not None:
            dvh = dvh[..., :k, :]
            turn = vh @ matrix_transpose(dvh)
            inner = inner + _as_column(s) * _over_gaps(turn, square(s))
            if vh.shape[-1] > k:
                outside = u @ ((dvh - matrix_transpose(turn) @ vh) / _as_column(s))
        da = u @ inner @ vh
        return (da if outside is None else da + outside,)


def svd(
    A: Tensor, full_matrices: bool = True, *, driver: str | None = None
) -> return_types.linalg_svd:
    """U, S and Vh with `A = U @ diag(S) @ Vh`: columns of U and rows of Vh are orthonormal, S
    falls. Without `full_matrices` only the first min(rows, columns) vectors. `driver` is for CUDA.

    >>> norch.linalg.svd(norch.tensor([[0., 2.], [1., 0.]])).S
    tensor([2., 1.])
    """
    x = lapack_matrices("svd", A)
    if driver is not None:
        raise RuntimeError(f"[svd] driver '{driver}' is for CUDA alone, in PyTorch: leave it out")
    u, s, vh, info = lapack.svd(x, full_matrices)
    check_info("svd", info, SEARCH)
    kept = (plain(u), plain(s), plain(vh))
    return return_types.linalg_svd(*record_many(LinalgSvd, [u, s, vh], (A,), kept))


def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """The singular values, the largest first: `svd(A).S`.

    >>> norch.linalg.svdvals(norch.tensor([[0., 2.], [1., 0.]]))
    tensor([2., 1.])
    """
    x = lapack_matrices("svdvals", A)
    if driver is not None or should_record((A,)):
        return svd(A, False, driver=driver).S
    _, s, _, info = lapack.svd(x, compute_uv=False)
    check_info("svdvals", info, SEARCH)
    return plain(s)


class LinalgEigh(MultiOutputNode):
    """dA = V (dw + E(V^T dV) / 2) V^T, where E(X)_ij = (X - X^T)_ij / (w_j - w_i)."""

    def backward(self, grad: OutputGrads) -> Gradients:
        w, v = self.saved_output(0), self.saved_output(1)
        dw, dv = grad.grads.get(0), grad.grads.get(1)
        inner = diag_embed(constant(w, 0) if dw is None else dw)
        if dv is not None:
            turn = matrix_transpose(v) @ dv
            inner = inner + _over_gaps(turn, w) / 2
        return (v @ inner @ matrix_transpose(v),)


def _lower_triangle_of(op: str, A: Tensor, UPLO: str) -> Any:
    """The array of a symmetric matrix whose lower triangle `eigh` is to read, as UPLO says."""
    if not isinstance(UPLO, str) or UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"[{op}] UPLO must be 'L' or 'U', the triangle to read, got {UPLO!r}")
    check_square(op, A)
    x = lapack_matrices(op, A)
    return transpose_array(x) if UPLO.upper() == "U" else x


def eigh(A: Tensor, UPLO: str = "L") -> return_types.linalg_eigh:
    """Eigenvalues w, rising, and orthonormal eigenvectors, the columns of V, of symmetric A:
    `A = V @ diag(w) @ V.mT`. Only the lower triangle of A is read, or with UPLO "U" the upper.

    >>> norch.linalg.eigh(norch.tensor([[2., 0.], [0., 1.]])).eigenvalues
    tensor([1., 2.])
    """
    w, v, info = lapack.eigh(_lower_triangle_of("eigh", A, UPLO))
    check_info("eigh", info, SEARCH)
    return return_types.linalg_eigh(*record_many(LinalgEigh, [w, v], (A,), (plain(w), plain(v))))


def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """The eigenvalues of symmetric matrices, the smallest first: `eigh(A).eigenvalues`.

    >>> norch.linalg.eigvalsh(norch.tensor([[0., 1.], [1., 0.]]))
    tensor([-1.,  1.])
    """
    x = _lower_triangle_of("eigvalsh", A, UPLO)
    if should_record((A,)):
        return eigh(A, UPLO).eigenvalues
    w, _, info = lapack.eigh(x, compute_v=False)
    check_info("eigvalsh", info, SEARCH)
    return plain(w)


# ---- Rank, pseudoinverse, least squares ----

Tolerance = Tensor | Number | None


def _threshold(A: Tensor, sizes: Tensor, atol: Tolerance, rtol: Tolerance) -> Tensor:
    """Up to where values count as zero: `max(atol, rtol * largest)`, one for each matrix. Without
    `rtol` it is the rounding error of max(rows, columns) elements; 0 where there is an `atol`.
    """
    rounding = finfo(A.dtype).eps * max(A.shape[-2:])
    atol = 0 if atol is None else atol
    absolute = atol if isinstance(atol, Tensor) else constant(sizes, atol, ())
    if rtol is None:
        rtol = where(absolute > 0, 0.0, constant(sizes, rounding, ()))
    return maximum(to(absolute, sizes.dtype), to(amax(sizes, -1) * rtol, sizes.dtype))


@in_own_name
def matrix_rank(
    A: Tensor,
    tol: Tolerance = None,
    hermitian: bool = False,
    *,
    atol: Tolerance = None,
    rtol: Tolerance = None,
) -> Tensor:
    """How many singular values are larger than `max(atol, rtol * the largest)`. `tol` is an older
    word for `atol`; with `hermitian` the eigenvalues of a symmetric A are counted instead.

    >>> norch.linalg.matrix_rank(norch.ones(3, 3))
    tensor(1)
    """
    lapack_matrices("matrix_rank", A)
    sizes = detach(A)
    sizes = abs(eigvalsh(sizes)) if hermitian else svdvals(sizes)
    if sizes.shape[-1] == 0:
        return constant(A, 0, A.shape[:-2], int64)
    atol, rtol = (atol, rtol) if tol is None else (tol, 0.0)
    return sum(sizes > _as_column(_threshold(A, sizes, atol, rtol)), -1)


def _pinv_gradient(a: Tensor, p: Tensor, dp: Tensor) -> Tensor:
    """The gradient of a matrix A, given the one of its pseudoinverse P; see `LinalgPinv`."""
    pt, dpt = matrix_transpose(p), matrix_transpose(dp)
    first = (dpt - a @ (p @ dpt)) @ p @ pt
    second = pt @ p @ (dpt - (dpt @ p) @ a)
    return first + second - pt @ dp @ pt


class LinalgPinv(Node):
    """dA = -P^T dP P^T + (I - A P) dP^T P P^T + P^T P dP^T (I - P A), while the rank stays."""

    def backward(self, grad: Tensor) -> Gradients:
        return (_pinv_gradient(self.saved(0), self.saved(1), grad),)


@in_own_name
def pinv(
    A: Tensor,
    rcond: Tolerance = None,
    hermitian: bool = False,
    *,
    atol: Tolerance = None,
    rtol: Tolerance = None,
) -> Tensor:
    """The pseudoinverse `V @ diag(1 / S) @ U.mT`, where singular values up to `max(atol, rtol * the
    largest)` count as zero. `rcond` is an older word for `rtol`; with `hermitian` the eigenvalues
    of a symmetric A are taken instead.

    >>> norch.linalg.pinv(norch.tensor([[2.], [0.]]))
    tensor([[0.5000, 0.0000]])
    """
    lapack_matrices("pinv", A)
    x = detach(A)
    if hermitian:
        s, v = eigh(x)
        ut = matrix_transpose(v)
    else:
        u, s, vh = svd(x, False)
        ut, v = matrix_transpose(u), matrix_transpose(vh)
    if s.shape[-1] > 0:
        threshold = _threshold(A, abs(s), atol, rcond if rtol is None else rtol)
        s = masked_fill(1 / s, abs(s) <= _as_column(threshold), 0)
    inverse = (v * _as_row(s)) @ ut
    A = expand(A, (*inverse.shape[:-2], *A.shape[-2:]))  # tolerances may add batches
    return unary(LinalgPinv, inverse.array, A, (A, inverse.array))


class LinalgLstsq(Node):
    """dB = P^T dX and dP = dX B^T, with the pseudoinverse P of A: X = P B."""

    def backward(self, grad: Tensor) -> Gradients:
        a, b = self.saved(0), self.saved(1)
        p = pinv(a)
        da = _pinv_gradient(a, p, grad @ matrix_transpose(b)) if self.needs(0) else None
        return da, matrix_transpose(p) @ grad if self.needs(1) else None


def lstsq(
    A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None
) -> return_types.linalg_lstsq:
    """The X of least `|A @ X - B|`, of several the shortest; the sums of squares that remain (of
    more rows than columns, where the rank is full); the rank; the singular values. The `driver`
    decides which are computed: "gelsy" (the default) no residuals, "gels" (full rank only) no rank,
    "gelsd" and "gelss" all four. Singular values up to `rcond * the largest` count as zero.

    >>> A = norch.tensor([[1., 0.], [1., 1.], [1., 2.]])
    >>> norch.linalg.lstsq(A, norch.tensor([[1.], [3.], [5.]])).solution
    tensor([[1.0000],
            [2.0000]])
    """
    lapack_matrices("lstsq", A)
    array_of(B)
    driver = "gelsy" if driver is None else driver
    columns, is_vector = vectors_as_columns("lstsq", A, B)
    A, columns = with_equal_batches("lstsq", A, columns)
    rows, n = A.shape[-2:]
    rcond = finfo(A.dtype).eps * max(rows, n) if rcond is None else rcond
    x, rank, values, info = lapack.lstsq(A.array, columns.array, rcond, driver)
    check_info("lstsq", info, "has no full rank, which driver 'gels' expects ({code})")
    solution = record(LinalgLstsq, x, (A, columns), (A, columns))
    ranks = to(plain(rank), int64)
    residuals = reshape(solution, -1)[:0]
    if rows > n and driver != "gelsy" and (driver == "gels" or array_all(ranks == n)):
        residuals = sum(square(A @ solution - columns), -2)
    return return_types.linalg_lstsq(
        squeeze(solution, -1) if is_vector else solution,
        residuals,
        constant(A, 0, (0,), int64) if driver == "gels" else ranks,
        plain(values) if driver in ("gelsd", "gelss") else constant(A, 0, (0,)),
    )
