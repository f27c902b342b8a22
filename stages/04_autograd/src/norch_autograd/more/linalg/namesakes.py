"""Functions that PyTorch has twice under one name, in `linalg` and in its main namespace, with
other arguments: `det`, `svd`, `qr`, `lu`, `norm` and others of the main namespace; `cross`,
`vecdot` and `diagonal` of `linalg`. Each hands on to the one that computes.
"""

from __future__ import annotations

from typing import Any

from norch_autograd.graph import return_types
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.more.linalg import decompositions, norms, products, solve, spectral
from norch_autograd.more.linalg.solve import solve_triangular
from norch_autograd.ops.arrays import constant
from norch_autograd.ops.dtype.convert import clone
from norch_autograd.ops.indexing import getitem
from norch_autograd.ops.linalg.norm import norm as p_norm
from norch_autograd.ops.reduction.sum import Dims, sum
from norch_autograd.ops.shape.view import matrix_transpose
from norch_cpu_ops import DType


def det(input: Tensor) -> Tensor:
    """The determinant: `linalg.det`.

    >>> norch.det(norch.eye(2) * 3)
    tensor(9.)
    """
    return solve.det(input)


def slogdet(input: Tensor) -> return_types.slogdet:
    """Sign and logarithm of the determinant: `linalg.slogdet`.

    >>> norch.slogdet(norch.eye(2)).logabsdet
    tensor(0.)
    """
    return return_types.slogdet(*solve.slogdet(input))


@in_own_name
def inverse(input: Tensor) -> Tensor:
    """The inverse: `linalg.inv`.

    >>> norch.inverse(norch.eye(2) * 2)
    tensor([[0.5000, 0.0000],
            [0.0000, 0.5000]])
    """
    return solve.inv(input)


@in_own_name
def matrix_power(input: Tensor, n: int) -> Tensor:
    """`input @ input @ ...`, n times: `linalg.matrix_power`.

    >>> norch.matrix_power(norch.eye(2) * 2, 3)
    tensor([[8., 0.],
            [0., 8.]])
    """
    return products.matrix_power(input, n)


def norm(
    input: Tensor,
    p: float | str | None = "fro",
    dim: Dims = None,
    keepdim: bool = False,
    dtype: DType | None = None,
) -> Tensor:
    """The p-norm over `dim`: 2 (or "fro") is the length, 1 the sum of sizes, inf the largest size;
    "nuc" is the sum of the singular values of a matrix (`linalg.matrix_norm`).

    The elements are converted to `dtype` first, which must not hold fewer digits than theirs.

    >>> norch.norm(norch.tensor([3., 4.]))
    tensor(5.)
    """
    if p != "nuc":
        return p_norm(input, p, dim, keepdim, dtype)
    shape = array_of(input).shape
    if dim is None and len(shape) != 2:
        raise RuntimeError(
            f"[norm] p 'nuc' is for matrices, got shape {shape}: dim names two of it"
        )
    dim = (0, 1) if dim is None else dim
    return norms.matrix_norm(input, "nuc", dim, keepdim, dtype=dtype)  # type: ignore[arg-type]


def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> return_types.svd:
    """U, S and V with `input = U @ diag(S) @ V.mT`: `linalg.svd` with V for its transpose. Without
    `compute_uv` U and V are zeros.

    >>> norch.svd(norch.tensor([[0., 2.], [1., 0.]])).S
    tensor([2., 1.])
    """
    if compute_uv:
        u, s, vh = spectral.svd(input, not some)
        return return_types.svd(u, s, matrix_transpose(vh))
    values = spectral.svdvals(input)
    *batch, m, n = input.shape
    zeros = (constant(input, 0, (*batch, size, size)) for size in (m, n))
    return return_types.svd(next(zeros), values, next(zeros))


def qr(input: Tensor, some: bool = True) -> return_types.qr:
    """Q and R: `linalg.qr`, reduced, or with `some=False` complete.

    >>> norch.qr(norch.ones(4, 2)).Q.shape
    norch.Size([4, 2])
    """
    return return_types.qr(*decompositions.qr(input, "reduced" if some else "complete"))


@in_own_name
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """The pseudoinverse: `linalg.pinv`.

    >>> norch.pinverse(norch.tensor([[2.], [0.]]))
    tensor([[0.5000, 0.0000]])
    """
    if isinstance(rcond, Tensor) and rcond.numel() != 1:
        raise TypeError(f"[pinverse] rcond is one number, got shape {rcond.shape}: see linalg.pinv")
    return spectral.pinv(input, float(rcond))


def cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """The triangle of a positive-definite matrix: `linalg.cholesky`.

    >>> norch.cholesky(norch.eye(2) * 4)
    tensor([[2., 0.],
            [0., 2.]])
    """
    return decompositions.cholesky(input, upper=upper)


@in_own_name
def triangular_solve(
    b: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> return_types.triangular_solve:
    """X with `A @ X = b` for a triangle A (with `transpose`, `A.mT @ X = b`), and a copy of A:
    `linalg.solve_triangular`.

    >>> norch.triangular_solve(norch.ones(2, 1), norch.eye(2) * 2).solution
    tensor([[0.5000],
            [0.5000]])
    """
    array_of(A)
    matrix, upper = (matrix_transpose(A), not upper) if transpose else (A, upper)
    x = solve_triangular(matrix, b, upper=upper, unitriangular=unitriangular)
    return return_types.triangular_solve(x, clone(A))


@in_own_name
def lu(input: Tensor, pivot: bool = True, get_infos: bool = False) -> Any:
    """L and U in one matrix, and the pivots: `linalg.lu_factor`, also of a singular A. With
    `get_infos`, which element of the diagonal of U is 0, counted from 1, or 0, besides.

    >>> norch.lu(norch.tensor([[1., 2.], [2., 2.]]))[1]
    tensor([2, 2], dtype=norch.int32)
    """
    found = decompositions.factor_lu("lu", input, pivot)
    return found if get_infos else found[:2]


def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """X with `A @ X = b` from what `lu(A)` gave: `linalg.lu_solve`.

    >>> norch.lu_solve(norch.tensor([[3.], [4.]]), *norch.lu(norch.tensor([[1., 2.], [2., 2.]])))
    tensor([[1.],
            [1.]])
    """
    return decompositions.lu_solve(LU_data, LU_pivots, b)


def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """The cross product of vectors of three numbers along `dim`.

    >>> norch.linalg.cross(norch.tensor([1., 0., 0.]), norch.tensor([0., 1., 0.]))
    tensor([0., 0., 1.])
    """
    return products.cross(input, other, dim)


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """The inner products of vectors along `dim`.

    >>> norch.linalg.vecdot(norch.ones(2, 3), norch.ones(3))
    tensor([3., 3.])
    """
    array_of(x), array_of(y)
    return sum(x * y, dim)


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonals of matrices: a view.

    >>> norch.linalg.diagonal(norch.ones(5, 2, 2)).shape
    norch.Size([5, 2])
    """
    return getitem.diagonal(A, offset, dim1, dim2)
