"""Views whose elements may overlap: as_strided, of any sizes and strides; unfold, of windows."""

from __future__ import annotations

from collections.abc import Sequence

import norch_cpu_ops
import norch_strides as strides
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.graph.views import both_from_zero
from norch_autograd.ops.arrays import arange_like, constant
from norch_autograd.ops.dtype.convert import detach
from norch_autograd.ops.elementwise.where import clamp
from norch_autograd.ops.indexing.gather import index_add
from norch_autograd.ops.shape.view import as_view, reshape
from norch_strides import Layout


class AsStrided(Node):
    """dy is added up in a storage of zeros, place by place, and dx read from it as x read its own;
    elements of x that share a place share its gradient.
    """

    def backward(self, grad: Tensor) -> Gradients:
        read, written = self.context
        ends = [found[1] for found in map(strides.bounds, (read, written)) if found]
        storage = constant(grad, 0, (1 + max(ends, default=0),))
        storage = index_add(storage, 0, _storage_places(grad, written), reshape(grad, -1))
        if strides.overlaps(read):
            index = _storage_places(grad, read)
            once = constant(grad, 1.0, index.array.shape)
            storage = storage / clamp(index_add(detach(storage) * 0, 0, index, once), min=1)
        return (as_strided(storage, *read),)


def _storage_places(like: Tensor, layout: Layout) -> Tensor:
    """Where in its storage each element of a layout stands, on the device of `like`."""
    found = strides.bounds(layout)
    count = 1 + found[1] if found else 0
    numbers = like.array.ops.arange(0, count, 1, norch_cpu_ops.int64)
    return reshape(plain(numbers.view(layout)), -1)


def as_strided(
    input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Tensor:
    """A view of the storage with this size and these strides (in elements), begun at
    `storage_offset`, or where `input` begins. Elements may overlap; their gradients are added up.

    RuntimeError where the view would leave the storage.

    >>> norch.as_strided(norch.arange(4), (3, 2), (1, 1))
    tensor([[0, 1],
            [1, 2],
            [2, 3]])
    """
    layout = array_of(input).layout
    view = strides.as_strided(layout, size, stride, storage_offset)
    context = both_from_zero(layout, view) if input._requires_grad else None
    return as_view(AsStrided, input, input.array.view(view), context)


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
