"""Overlapping windows of a tensor (unfold), and tensors brought to one shape or one matrix:
broadcast_tensors, block_diag, cartesian_prod, reshape_as.

Windows with two or more dimensions, as in convolution, are im2col's (nn/im2col.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import norch_cpu_ops
import norch_strides as strides
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.more.rearrange.repeat import meshgrid
from norch_autograd.ops.arrays import arange_like, constant
from norch_autograd.ops.dtype.convert import to
from norch_autograd.ops.dtype.promotion import common_dtype
from norch_autograd.ops.indexing.gather import index_add
from norch_autograd.ops.shape.join import cat
from norch_autograd.ops.shape.view import as_view, expand, reshape
from norch_autograd.types.dtype import get_default_dtype

Places = int | Sequence[int]


class Unfold(Node):
    """dx is the sum of dy over the windows that show each element."""

    def backward(self, grad: Tensor) -> Gradients:
        shape, dim, size, step = self.context
        numbers = arange_like(grad, shape).array
        places = plain(numbers.view(strides.windows(numbers.layout, dim, size, step)))
        zeros = constant(grad, 0, (numbers.numel,))
        flat = index_add(zeros, 0, reshape(places, -1), reshape(grad, -1))
        return (reshape(flat, shape),)


@in_own_name
def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Every run of `size` elements along `dimension`, begun every `step`, as a last dimension; a
    view.

    >>> norch.arange(5).unfold(0, 3, 1)
    tensor([[0, 1, 2],
            [1, 2, 3],
            [2, 3, 4]])
    """
    x = array_of(input)
    view = x.view_by(strides.windows, dimension, size, step)
    return as_view(Unfold, input, view, (x.shape, dimension, size, step))


def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Views of all tensors in the one shape they broadcast to.

    >>> [t.shape for t in norch.broadcast_tensors(norch.zeros(2, 1), norch.zeros(3))]
    [norch.Size([2, 3]), norch.Size([2, 3])]
    """
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    shape = strides.broadcast_shapes(*(array_of(t).shape for t in given))
    return tuple(expand(t, shape) for t in given)


@in_own_name
def block_diag(*tensors: Tensor) -> Tensor:
    """One matrix with the given ones along its diagonal and zeros elsewhere.

    >>> norch.block_diag(norch.tensor([[1, 2]]), norch.tensor([[3]]))
    tensor([[1, 2, 0],
            [0, 0, 3]])
    """
    if not tensors:
        return plain(norch_cpu_ops.ops.zeros((1, 0), get_default_dtype()))
    dtype = common_dtype(*tensors)
    matrices = [to(reshape(t, 1, -1) if array_of(t).ndim < 2 else t, dtype) for t in tensors]
    width = sum(m.array.shape[1] for m in matrices)
    rows, before = [], 0
    for m in matrices:
        height, columns = m.array.shape
        left = constant(m, 0, (height, before))
        right = constant(m, 0, (height, width - before - columns))
        rows.append(cat([left, m, right], 1))
        before += columns
    return cat(rows, 0)


def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Every choice of one element from each vector, one row each.

    >>> norch.cartesian_prod(norch.tensor([1, 2]), norch.tensor([5]))
    tensor([[1, 5],
            [2, 5]])
    """
    shapes = [array_of(t).shape for t in tensors]
    if any(len(shape) != 1 for shape in shapes) or len({t.array.dtype for t in tensors}) > 1:
        raise RuntimeError(
            f"[cartesian_prod] expected vectors of one dtype, got shapes {shapes} of "
            f"{[t.array.dtype for t in tensors]}"
        )
    if len(tensors) == 1:
        return tensors[0]
    return cat([reshape(grid, -1, 1) for grid in meshgrid(*tensors)], 1)


@in_own_name
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """`input` in the shape of `other`.

    >>> norch.arange(4).reshape_as(norch.zeros(2, 2)).shape
    norch.Size([2, 2])
    """
    return reshape(input, array_of(other).shape)
