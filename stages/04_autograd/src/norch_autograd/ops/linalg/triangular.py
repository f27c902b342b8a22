"""Triangles of matrices: tril, triu, the indices of their elements; and the identity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import norch_cpu_ops
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.constants import arange_like, constant
from norch_autograd.ops.dtype.convert import to
from norch_autograd.ops.elementwise.where import masked_fill
from norch_autograd.ops.rearrange.diagonal import diag
from norch_autograd.ops.shape.view import unsqueeze
from norch_cpu_ops import DType, int64


def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """The lower triangle of the last two dimensions, zeros above.

    >>> norch.tril(norch.ones(2, 2))
    tensor([[1., 0.],
            [1., 1.]])
    """
    return masked_fill(input, _triangle("tril", input) > diagonal, 0)


def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """The upper triangle of the last two dimensions, zeros below.

    >>> norch.triu(norch.ones(2, 2))
    tensor([[1., 1.],
            [0., 1.]])
    """
    return masked_fill(input, _triangle("triu", input) < diagonal, 0)


def _triangle(op: str, input: Tensor) -> Tensor:
    """Column number minus row number for each element of the last two dimensions."""
    shape = array_of(input, op).shape
    if len(shape) < 2:
        raise RuntimeError(f"[{op}] expected at least 2 dimensions, got shape {shape}")
    rows, columns = (arange_like(input, (size,)) for size in shape[-2:])
    return columns - unsqueeze(rows, 1)


def tril_indices(
    row: int, col: int, offset: int = 0, *, dtype: DType = int64, device: Any = "cpu"
) -> Tensor:
    """Rows and columns of the lower triangle of a matrix, one row of each; of `dtype`.

    >>> norch.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    return to(_places(row, col, lambda i, j: j - i <= offset), device, dtype)


def triu_indices(
    row: int, col: int, offset: int = 0, *, dtype: DType = int64, device: Any = "cpu"
) -> Tensor:
    """Rows and columns of the upper triangle of a matrix, one row of each; of `dtype`.

    >>> norch.triu_indices(2, 2)
    tensor([[0, 0, 1],
            [0, 1, 1]])
    """
    return to(_places(row, col, lambda i, j: j - i >= offset), device, dtype)


def _places(row: int, col: int, wanted: Callable[[int, int], bool]) -> Tensor:
    """Where in a matrix of that size a rule holds, row by row."""
    if row < 0 or col < 0:
        raise RuntimeError(f"[tril, triu] expected sizes of at least 0, got {row} and {col}")
    found = [(i, j) for i in range(row) for j in range(col) if wanted(i, j)]
    ops = norch_cpu_ops.ops
    if not found:
        return plain(ops.empty((2, 0), int64))
    return plain(ops.from_list([list(side) for side in zip(*found, strict=True)], None))


def identity(like: Tensor, n: int) -> Tensor:
    """The identity in the dtype and on the device of another tensor."""
    return diag(constant(like, 1, (n,)))
