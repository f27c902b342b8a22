"""Two-dimensional pooling: the largest element, or the mean, under a window that slides.

Both are linear once the places are known; in reverse they scatter, and reversed again they gather.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from norch_autograd.graph import Gradients, Node, array_of, plain, unary
from norch_autograd.mode import mode
from norch_autograd.ops.gather import gather
from norch_autograd.ops.sliding import Sizes, avg_pool_of_basics, max_pool_of_basics

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor


class MaxPool2d(Node):
    """All blame goes to the element that was the largest."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (_sent_to_maxima(grad, self.saved(0), self.context),)

    def name(self) -> str:
        return "MaxPool2DWithIndicesBackward0"


class MaxPool2dBackward(Node):
    """Scattering in reverse: each gradient is read where it went."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        index = self.saved(0)
        return (gather(grad.flatten(-2), -1, index.flatten(-2)).reshape(index.array.shape),)


def _sent_to_maxima(grad: Tensor, index: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Zeros of `shape`, with each gradient added where the maximum was."""
    dx = grad.array.ops.max_pool2d_backward(grad.array, index.array, shape)
    return unary(MaxPool2dBackward, dx, grad, (index,))


def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
) -> tuple[Tensor, Tensor]:
    """`max_pool2d`, and the place of each maximum in its image: row times width plus column.

    >>> import norch_autograd as norch
    >>> norch.ops.max_pool2d_with_indices(norch.tensor([[[1., 2.], [4., 3.]]]), 2)
    (tensor([[[4.]]]), tensor([[[2]]]))
    """
    x = array_of(input)
    step = stride_or(kernel_size, stride)
    if mode.composite:
        return max_pool_of_basics(input, kernel_size, step, padding, dilation, ceil_mode, 2)
    out, index = x.ops.max_pool2d(x, kernel_size, step, padding, dilation, ceil_mode)
    places = plain(index)
    return unary(MaxPool2d, out, input, (places,), x.shape), places


def max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
) -> Tensor:
    """The largest element under each window: (N, C, H, W) or (C, H, W). `stride` None: no overlap.

    >>> import norch_autograd as norch
    >>> norch.max_pool2d(norch.arange(16.).reshape(1, 4, 4), 2)
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """
    return max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)[0]


def stride_or(kernel_size: Sizes, stride: Sizes | None) -> Sizes:
    """The stride; the kernel's size where none is given."""
    return kernel_size if stride is None or stride == [] or stride == () else stride


class Windows(NamedTuple):
    """The options of an average, in the order of stage 2."""

    kernel_size: Sizes
    stride: Sizes
    padding: Sizes
    count_include_pad: bool
    ceil_mode: bool
    divisor: int  # 0: the number of places


class AvgPool2d(Node):
    """Blame is shared out equally among the elements under the window."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (_shared_out(grad, *self.context),)


class AvgPool2dBackward(Node):
    """Sharing out in reverse is the average again."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (_averaged(grad, self.context),)


def _shared_out(grad: Tensor, shape: tuple[int, ...], windows: Windows) -> Tensor:
    dx = grad.array.ops.avg_pool2d_backward(grad.array, shape, *windows)
    return unary(AvgPool2dBackward, dx, grad, (), windows)


def _averaged(input: Tensor, windows: Windows) -> Tensor:
    if mode.composite:
        return avg_pool_of_basics(input, *windows, 2)
    x = array_of(input)
    return unary(AvgPool2d, x.ops.avg_pool2d(x, *windows), input, (), (x.shape, windows))


def avg_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean under each window: (N, C, H, W) or (C, H, W). `stride` None: no overlap.

    >>> import norch_autograd as norch
    >>> norch.ops.avg_pool2d(norch.arange(16.).reshape(1, 4, 4), 2)
    tensor([[[ 2.5000,  4.5000],
             [10.5000, 12.5000]]])
    """
    if divisor_override == 0:
        raise RuntimeError("[avg_pool2d] divisor_override must not be 0; None counts the places")
    step = stride_or(kernel_size, stride)
    options = (kernel_size, step, padding, count_include_pad, ceil_mode, divisor_override or 0)
    return _averaged(input, Windows(*options))
