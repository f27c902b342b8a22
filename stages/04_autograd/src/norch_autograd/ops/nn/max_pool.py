"""Max pooling in one, two and three dimensions: the largest element under a window that slides.

Once the places of the maxima are known it is a gather, and its backward a scatter. Adaptive max
pooling (more/nn) records the same node.
"""

from __future__ import annotations

import math
from typing import Any

from norch_autograd.graph.composite import fused
from norch_autograd.graph.family import family
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.arrays import constant
from norch_autograd.ops.indexing.gather import scatter_add
from norch_autograd.ops.nn.conv import in_row
from norch_autograd.ops.nn.sliding_window import Sizes, max_pool_reference
from norch_autograd.ops.shape.view import flatten, reshape, squeeze, unsqueeze


class MaxPool(Node):
    """dx = dy at the maxima, else 0; added up where windows share one."""

    def backward(self, grad: Tensor) -> Gradients:
        shape, dims = self.context
        flat = constant(grad, 0, (*shape[:-dims], math.prod(shape[-dims:])))
        index = flatten(self.saved(0), -dims)
        return (reshape(scatter_add(flat, -1, index, flatten(grad, -dims)), shape),)

    def kernel(self, grad: Any) -> Any:
        shape, dims = self.context
        scatter = grad.ops.max_pool2d_backward if dims == 2 else grad.ops.max_pool3d_backward
        return (scatter(grad, self.saved_array(0), shape),)

    def name(self) -> str:
        return f"MaxPool{self.context[1]}DWithIndicesBackward0"


@fused(max_pool_reference)
def _max_pool(input: Tensor, *options: Any) -> tuple[Tensor, Tensor]:
    """The largest elements of the windows and their places; `dims` is the last of the options."""
    *sizes, dims = options
    x = input.array
    kernel = x.ops.max_pool2d if dims == 2 else x.ops.max_pool3d
    out, index = kernel(x, *sizes)
    places = plain(index)
    return unary(MaxPool, out, input, (places,), (x.shape, dims)), places


def pool_with_indices(
    dims: int,
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
) -> tuple[Tensor, Tensor]:
    """Max pooling in `dims` dimensions and its indices; a signal is an image of one row."""
    op, stride = f"max_pool{dims}d", stride_or(kernel_size, stride)
    if dims == 1:
        check_rank(op, input, 1)
        kernel, step = in_row(op, "kernel_size", kernel_size, 1), in_row(op, "stride", stride, 1)
        around, apart = in_row(op, "padding", padding, 0), in_row(op, "dilation", dilation, 1)
        image = unsqueeze(input, -2)
        values, places = pool_with_indices(2, image, kernel, step, around, apart, ceil_mode)
        return squeeze(values, -2), squeeze(places, -2)
    x = array_of(input, op)
    if 0 in x.shape[-dims - 1 :]:
        raise RuntimeError(
            f"[{op}] of shape {x.shape} only the batch may be empty: expected channels "
            "and an image with elements"
        )
    return _max_pool(input, kernel_size, stride, padding, dilation, ceil_mode, dims)


_with_indices = family("max_pool{}d_with_indices")(pool_with_indices)
max_pool1d_with_indices = _with_indices(1)("""
    `max_pool1d`, and the place of each maximum in its signal.

    >>> norch.ops.max_pool1d_with_indices(norch.tensor([[1., 2., 4., 3.]]), 2)
    (tensor([[2., 4.]]), tensor([[1, 2]]))
""")
max_pool2d_with_indices = _with_indices(2)("""
    `max_pool2d`, and the place of each maximum in its image: row times width plus column.

    >>> norch.ops.max_pool2d_with_indices(norch.tensor([[[1., 2.], [4., 3.]]]), 2)
    (tensor([[[4.]]]), tensor([[[2]]]))
""")
max_pool3d_with_indices = _with_indices(3)("""
    `max_pool3d`, and the place of each maximum in its volume: (d H + h) W + w.

    >>> norch.ops.max_pool3d_with_indices(norch.arange(8.).reshape(1, 2, 2, 2), 2)
    (tensor([[[[7.]]]]), tensor([[[[7]]]]))
""")


@family("max_pool{}d")
def _without_indices(
    dims: int,
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
) -> Tensor:
    """The fused operations max_pool1d, 2d and 3d: the largest elements, without their places."""
    return pool_with_indices(dims, input, kernel_size, stride, padding, dilation, ceil_mode)[0]


max_pool1d = _without_indices(1)("""
    The largest element under each window: (N, C, L) or (C, L). `stride` None: no overlap.

    >>> norch.max_pool1d(norch.tensor([[1., 2., 4., 3.]]), 2)
    tensor([[2., 4.]])
""")
max_pool2d = _without_indices(2)("""
    The largest element under each window: (N, C, H, W) or (C, H, W). `stride` None: no overlap.

    >>> norch.max_pool2d(norch.arange(16.).reshape(1, 4, 4), 2)
    tensor([[[ 5.,  7.],
             [13., 15.]]])
""")
max_pool3d = _without_indices(3)("""
    The largest element under each window: (N, C, D, H, W) or (C, D, H, W). `stride` None: no
    overlap.

    >>> norch.max_pool3d(norch.arange(8.).reshape(1, 1, 2, 4), 2, padding=(1, 0, 0))
    tensor([[[[5., 7.]]]])
""")


def stride_or(kernel_size: Sizes, stride: Sizes | None) -> Sizes:
    """A pooling window's stride; the kernel's size where none is given."""
    return kernel_size if stride is None or stride == [] or stride == () else stride


def check_rank(op: str, input: Tensor, dims: int) -> None:
    """Refuse an input of a fused pooling operation that is not (N, C, L) or (C, L)."""
    if array_of(input, op).ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"[{op}] expected input (N, C, L) or (C, L), got {tuple(input.array.shape)}"
        )
