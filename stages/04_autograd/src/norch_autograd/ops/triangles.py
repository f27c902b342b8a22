"""Triangles of matrices: what lies on one side of a diagonal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import norch_cpu_ops
from norch_autograd.graph import plain
from norch_autograd.ops.choice import where

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor


def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """The lower triangle of the last two dimensions, zeros above.

    >>> import norch_autograd as norch
    >>> norch.tril(norch.ones(2, 2))
    tensor([[1., 0.],
            [1., 1.]])
    """
    return where(_triangle(input) <= diagonal, input, 0)


def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """The upper triangle of the last two dimensions, zeros below.

    >>> import norch_autograd as norch
    >>> norch.triu(norch.ones(2, 2))
    tensor([[1., 1.],
            [0., 1.]])
    """
    return where(_triangle(input) >= diagonal, input, 0)


def _triangle(input: Tensor) -> Tensor:
    """Column number minus row number for each element of the last two dimensions."""
    shape, ops = input.array.shape, input.array.ops
    if len(shape) < 2:
        raise RuntimeError(f"[tril] expected at least 2 dimensions, got shape {shape}")
    rows, columns = (plain(ops.arange(0, size, 1, norch_cpu_ops.int64)) for size in shape[-2:])
    return columns - rows.unsqueeze(1)
