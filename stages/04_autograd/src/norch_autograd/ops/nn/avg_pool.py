"""Average pooling in one, two and three dimensions: the mean under a window that slides.

Its backward divides every gradient equally among the elements under the window; the backward of
that is the average again.
"""

from __future__ import annotations

from norch_autograd.graph.composite import fused
from norch_autograd.graph.family import family
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.nn.conv import in_row
from norch_autograd.ops.nn.max_pool import check_rank, stride_or
from norch_autograd.ops.nn.sliding_window import Sizes, Windows, avg_pool_reference
from norch_autograd.ops.shape.view import squeeze, unsqueeze
from norch_cpu_ops import float32, int64


class AvgPool(Node):
    """dx is the sum over the windows that show an element of dy / their divisor."""

    def backward(self, grad: Tensor) -> Gradients:
        return (_input_gradient(grad, *self.context),)

    def name(self) -> str:
        return f"AvgPool{self.context[1].dims}DBackward0"


class AvgPoolBackward(Node):
    """Linear in dy: its own backward is the average."""

    def backward(self, grad: Tensor) -> Gradients:
        return (_average(grad, self.context),)


def _input_gradient(grad: Tensor, shape: tuple[int, ...], windows: Windows) -> Tensor:
    """The gradient of average pooling's input, of `shape`, recorded."""
    ops = grad.array.ops
    kernel = ops.avg_pool2d_backward if windows.dims == 2 else ops.avg_pool3d_backward
    return unary(AvgPoolBackward, kernel(grad.array, shape, *windows[:-1]), grad, (), windows)


@fused(avg_pool_reference)
def _average(input: Tensor, windows: Windows) -> Tensor:
    """The average under each window in two or three dimensions."""
    x = array_of(input)
    kernel = x.ops.avg_pool2d if windows.dims == 2 else x.ops.avg_pool3d
    if x.dtype is int64:  # the kernels are of floating point; of zeros they refuse the same
        kernel(x.ops.zeros(x.shape, float32), *windows[:-1])
        return avg_pool_reference(input, windows)
    return unary(AvgPool, kernel(x, *windows[:-1]), input, (), (x.shape, windows))


@in_own_name
def avg_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean under each window: (N, C, L) or (C, L). `stride` None: no overlap.

    >>> norch.avg_pool1d(norch.tensor([[1., 2., 4., 3.]]), 2)
    tensor([[1.5000, 3.5000]])
    """
    op = "avg_pool1d"
    check_rank(op, input, 1)
    windows = Windows(
        in_row(op, "kernel_size", kernel_size, 1),
        in_row(op, "stride", stride_or(kernel_size, stride), 1),
        in_row(op, "padding", padding, 0),
        *(bool(count_include_pad), bool(ceil_mode), 0, 2),
    )
    return squeeze(_average(unsqueeze(input, -2), windows), -2)


@family("avg_pool{}d")
def _avg_pool(
    dims: int,
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The fused operations avg_pool2d and 3d: the mean under each window."""
    if divisor_override == 0:
        raise RuntimeError(
            f"[avg_pool{dims}d] divisor_override must not be 0; None counts the places"
        )
    step, divisor = stride_or(kernel_size, stride), divisor_override or 0
    includes, ceils = bool(count_include_pad), bool(ceil_mode)
    return _average(input, Windows(kernel_size, step, padding, includes, ceils, divisor, dims))


avg_pool2d = _avg_pool(2)("""
    The mean under each window: (N, C, H, W) or (C, H, W). `stride` None: no overlap.

    >>> norch.ops.avg_pool2d(norch.arange(16.).reshape(1, 4, 4), 2)
    tensor([[[ 2.5000,  4.5000],
             [10.5000, 12.5000]]])
""")
avg_pool3d = _avg_pool(3)("""
    The mean under each window: (N, C, D, H, W) or (C, D, H, W). `stride` None: no overlap.

    >>> norch.ops.avg_pool3d(norch.arange(8.).reshape(1, 2, 2, 2), 2)
    tensor([[[[3.5000]]]])
""")
