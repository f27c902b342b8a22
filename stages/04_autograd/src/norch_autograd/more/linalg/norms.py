"""Norms under `linalg`: vector_norm, matrix_norm, norm, which picks one of the two, and cond. All
are compositions of `norm` of ops/linalg or of singular values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import norch_strides as strides
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.more.linalg.lapack import check_square, lapack_matrices
from norch_autograd.more.linalg.solve import inv, slogdet
from norch_autograd.more.linalg.spectral import svdvals
from norch_autograd.more.shape.diagonal import identity
from norch_autograd.ops.arrays import constant
from norch_autograd.ops.dtype.convert import detach, to
from norch_autograd.ops.elementwise.where import where
from norch_autograd.ops.linalg.norm import norm as p_norm
from norch_autograd.ops.reduction.minmax import amax, amin
from norch_autograd.ops.reduction.sum import sum
from norch_autograd.ops.shape.view import movedim, squeeze, unsqueeze
from norch_cpu_ops import DType


@in_own_name
def vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
) -> Tensor:
    """`norm` as `linalg` spells it for vectors: the p-norm along `dim`; of all elements if None.

    >>> norch.linalg.vector_norm(norch.tensor([3., 4.]))
    tensor(5.)
    """
    if isinstance(ord, str):
        raise TypeError(f"[vector_norm] ord must be a number, got '{ord}'")
    return p_norm(x, ord, dim, keepdim, dtype)


def matrix_norm(
    A: Tensor,
    ord: float | str = "fro",
    dim: tuple[int, int] = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
) -> Tensor:
    """The norm of matrices in two dimensions: "fro"; 1, -1, inf, -inf (of the sums of sizes); of
    the singular values "nuc" (their sum), 2 (the largest), -2 (the smallest).

    >>> norch.linalg.matrix_norm(norch.tensor([[1., 2.], [3., 4.]]), 1)
    tensor(6.)
    """
    if array_of(A).ndim < 2:
        raise RuntimeError(f"[matrix_norm] expected matrices, got shape {A.array.shape}")
    if ord == "fro":
        return p_norm(A, 2, dim, keepdim, dtype)
    if ord not in ("nuc", 1, -1, 2, -2, math.inf, -math.inf):
        raise RuntimeError(
            f"[matrix_norm] ord must be 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, got {ord!r}"
        )
    if not isinstance(dim, (tuple, list)) or len(dim) != 2:
        raise RuntimeError(f"[matrix_norm] dim must be two dimensions, got {dim}")
    rows, columns = (strides.normalize_dim(k, A.array.ndim, "matrix_norm") for k in dim)
    if rows == columns:
        raise RuntimeError(f"[matrix_norm] dims {dim} are one and the same: expected two")
    if ord in ("nuc", 2, -2):
        found = _of_singular_values(A if dtype is None else to(A, dtype), ord, rows, columns)
    else:
        summed, kept = (rows, columns) if ord in (1, -1) else (columns, rows)
        sums = p_norm(A, 1, summed, True, dtype)
        if ord in (1, math.inf):
            found = (amax if sums.shape[kept] else sum)(sums, kept, True)  # of nothing: 0
        else:
            found = amin(sums, kept, True)
    return found if keepdim else squeeze(found, (rows, columns))


def _of_singular_values(A: Tensor, ord: float | str, rows: int, columns: int) -> Tensor:
    """The norm "nuc", 2 or -2 of matrices by their singular values, both dimensions kept."""
    lapack_matrices("matrix_norm", A)
    values = svdvals(movedim(A, (rows, columns), (-2, -1)))
    if ord == "nuc" or (ord == 2 and values.shape[-1] == 0):
        found = sum(values, -1)
    else:
        found = (amax if ord == 2 else amin)(values, -1)
    first, second = sorted((rows, columns))
    return unsqueeze(unsqueeze(found, first), second)


def norm(
    A: Tensor,
    ord: float | str | None = None,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
) -> Tensor:
    """`vector_norm` along one dimension (of all elements if neither `ord` nor `dim` is given),
    `matrix_norm` along two.

    >>> norch.linalg.norm(norch.tensor([[3., 4.], [6., 8.]]), dim=1)
    tensor([ 5., 10.])
    """
    ndim = array_of(A).ndim
    is_pair = isinstance(dim, (tuple, list)) and len(dim) == 2
    if isinstance(dim, (tuple, list)) and len(dim) not in (1, 2):
        raise RuntimeError(f"[norm] expected one dim or two, got {dim}")
    if ord is not None and dim is None and ndim not in (1, 2):
        raise RuntimeError(f"[norm] ord {ord!r} is for vectors and matrices, got {ndim} dimensions")
    if isinstance(ord, str) or (ord is not None and (is_pair or (dim is None and ndim == 2))):
        return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    return vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype)


def cond(A: Tensor, p: float | str | None = None) -> Tensor:
    """How far solving with A can enlarge an error: `norm(A, p) * norm(inv(A), p)`, infinite for a
    singular A; for p None, 2 or -2 from the singular values, also of A that is not square.

    >>> norch.linalg.cond(norch.tensor([[2., 0.], [0., 4.]]))
    tensor(2.)
    """
    x = array_of(A)
    if p not in (None, 1, -1, 2, -2, math.inf, -math.inf, "fro", "nuc"):
        raise RuntimeError(f"[cond] {p!r} is no norm of a matrix: expected 1, 2, inf, 'fro', 'nuc'")
    if x.ndim >= 2 and x.numel == 0:
        return constant(A, 0, x.shape[:-2])
    if p in (None, 2, -2):
        lapack_matrices("cond", A)
        values = svdvals(A)
        largest, smallest = values[..., 0], values[..., -1]
        return smallest / largest if p == -2 else largest / smallest
    n = check_square("cond", A)
    singular = slogdet(detach(A)).logabsdet == -math.inf
    safe = where(unsqueeze(unsqueeze(singular, -1), -1), identity(A, n), A)
    product = matrix_norm(A, p) * matrix_norm(inv(safe), p)
    return where(singular, math.inf, product)
