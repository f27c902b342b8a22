"""Triangles of matrices: tril and triu."""

from __future__ import annotations

from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.constants import arange_like
from norch_autograd.ops.elementwise.where import masked_fill
from norch_autograd.ops.shape.view import unsqueeze


@in_own_name
def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """The lower triangle of the last two dimensions, zeros above.

    >>> norch.tril(norch.ones(2, 2))
    tensor([[1., 0.],
            [1., 1.]])
    """
    return masked_fill(input, _triangle("tril", input) > diagonal, 0)


@in_own_name
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
