"""Norms under `linalg`: vector_norm, matrix_norm, and norm, which picks one of the two. All are
compositions of `reduction.norm.norm`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import norch_strides as strides
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.reduction.minmax import amax, amin
from norch_autograd.ops.reduction.norm import norm as p_norm
from norch_autograd.ops.shape.view import squeeze
from norch_cpu_ops import DType


def vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
) -> Tensor:
    """The p-norm of vectors along `dim`; of all elements if None.

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
    """The norm of matrices in two dimensions: "fro", or 1, -1, inf, -inf (of the sums of sizes).

    >>> norch.linalg.matrix_norm(norch.tensor([[1., 2.], [3., 4.]]), 1)
    tensor(6.)
    """
    if array_of(A).ndim < 2:
        raise RuntimeError(f"[matrix_norm] expected matrices, got shape {A.array.shape}")
    if ord == "fro":
        return p_norm(A, 2, dim, keepdim, dtype)
    if ord not in (1, -1, math.inf, -math.inf):
        raise NotImplementedError(f"[matrix_norm] ord {ord!r} needs singular values, left out here")
    rows, columns = (strides.normalize_dim(k, A.array.ndim, "matrix_norm") for k in dim)
    if rows == columns:
        raise RuntimeError(f"[matrix_norm] dims {dim} are one and the same: expected two")
    summed, kept = (rows, columns) if ord in (1, -1) else (columns, rows)
    sums = p_norm(A, 1, summed, True, dtype)
    found = (amax if ord in (1, math.inf) else amin)(sums, kept, True)
    return found if keepdim else squeeze(found, (rows, columns))


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
    pair = dim if isinstance(dim, (tuple, list)) and len(dim) == 2 else None
    if ord is not None and dim is None and ndim not in (1, 2):
        raise RuntimeError(f"[norm] ord {ord!r} is for vectors and matrices, got {ndim} dimensions")
    if ord is not None and (pair is not None or (dim is None and ndim == 2)):
        return matrix_norm(A, ord, pair or (-2, -1), keepdim, dtype=dtype)  # type: ignore[arg-type]
    return vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype)  # type: ignore
