"""Two-dimensional convolution. In reverse it is two more of its kind, and they close a circle: each
of the three is linear in both operands, and the derivatives of each are the other two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from norch_autograd.graph import Gradients, Node, record
from norch_autograd.mode import mode
from norch_autograd.ops.arithmetic import crossed
from norch_autograd.ops.precision import in_lower_precision
from norch_autograd.ops.sliding import Sizes, conv_of_basics

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor


class Slide(NamedTuple):
    """How the kernel moves, and the shapes a gradient must have."""

    input_size: tuple[int, ...]
    weight_size: tuple[int, ...]
    stride: Sizes
    padding: Sizes
    dilation: Sizes
    groups: int

    @property
    def moves(self) -> tuple[Sizes, Sizes, Sizes, int]:
        """Stride, padding, dilation, groups."""
        return self[2:]


class Conv2d(Node):
    """dX: every output hands its blame back through the kernel. dW: every place of the kernel
    collects what it was multiplied with. db = dY summed over images and places.
    """

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        slide = self.context
        dx = _input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = grad.sum((0, 2, 3)) if self.needs(2) else None
        return dx, dw, db

    def name(self) -> str:
        return "ConvolutionBackward0"


class Conv2dInput(Node):
    """dX is linear in dY and W: blame for dY is a convolution, for W a weight gradient."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        slide = self.context
        dgrad = _convolved(grad, self.saved(1), None, slide) if self.needs(0) else None
        dw = _weight_gradient(self.saved(0), grad, slide) if self.needs(1) else None
        return dgrad, dw


class Conv2dWeight(Node):
    """dW is linear in dY and X: blame for dY is a convolution, for X an input gradient."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        slide = self.context
        dgrad = _convolved(self.saved(1), grad, None, slide) if self.needs(0) else None
        dx = _input_gradient(self.saved(0), grad, slide) if self.needs(1) else None
        return dgrad, dx


def _convolved(x: Tensor, weight: Tensor, bias: Tensor | None, slide: Slide) -> Tensor:
    """(N, C, H, W), (O, C / groups, KH, KW), (O) -> (N, O, OH, OW)."""
    if mode.composite:
        return conv_of_basics(x, weight, bias, *slide.moves)
    added = None if bias is None else bias.array
    out = x.array.ops.conv2d(x.array, weight.array, added, *slide.moves)
    return record(Conv2d, out, (x, weight, bias), crossed(x, weight), slide)


def _input_gradient(grad: Tensor, weight: Tensor, slide: Slide) -> Tensor:
    """(N, O, OH, OW), (O, C / groups, KH, KW) -> (N, C, H, W)."""
    ops = grad.array.ops
    out = ops.conv2d_backward_input(grad.array, weight.array, slide.input_size, *slide.moves)
    return record(Conv2dInput, out, (grad, weight), crossed(grad, weight), slide)


def _weight_gradient(grad: Tensor, x: Tensor, slide: Slide) -> Tensor:
    """(N, O, OH, OW), (N, C, H, W) -> (O, C / groups, KH, KW)."""
    ops = grad.array.ops
    out = ops.conv2d_backward_weight(grad.array, x.array, slide.weight_size, *slide.moves)
    return record(Conv2dWeight, out, (grad, x), crossed(grad, x), slide)


@in_lower_precision
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """Slide a kernel over images: (N, C, H, W) or (C, H, W), weight (O, C / groups, KH, KW).

    `padding` "valid" is none, "same" as much as keeps the size (stride 1 only).

    >>> import norch_autograd as norch
    >>> image = norch.arange(9.).reshape(1, 3, 3)
    >>> norch.conv2d(image, norch.ones(1, 1, 2, 2))
    tensor([[[ 8., 12.],
             [20., 24.]]])
    """
    if input.array.ndim == 3:
        one = input.unsqueeze(0)
        return conv2d(one, weight, bias, stride, padding, dilation, groups).squeeze(0)
    kernel = weight.array.shape[2:]
    around, cut = (
        (padding, ()) if not isinstance(padding, str) else _named(padding, kernel, stride, dilation)
    )
    slide = Slide(input.array.shape, weight.array.shape, stride, around, dilation, groups)
    out = _convolved(input, weight, bias, slide)
    for dim in cut:
        out = out.narrow(dim, 1, out.array.shape[dim] - 1)
    return out


def _named(
    padding: str, kernel: tuple[int, ...], stride: Sizes, dilation: Sizes
) -> tuple[Sizes, list[int]]:
    """Padding by name as numbers, and the dimensions whose first output is one too many.

    Where "same" needs an odd number of zeros, PyTorch puts the odd one at the end. Padding as many
    at the start computes one output more there.
    """
    if padding == "valid":
        return 0, []
    if padding != "same":
        raise RuntimeError(
            f"[conv2d] invalid padding string '{padding}': expected 'valid', 'same' or numbers"
        )
    if any(s != 1 for s in ((stride,) if isinstance(stride, int) else stride)):
        raise RuntimeError(
            f"[conv2d] padding='same' is not supported for strided convolutions, got {stride}"
        )
    steps = (dilation, dilation) if isinstance(dilation, int) else (dilation[0], dilation[-1])
    totals = [d * (k - 1) for d, k in zip(steps, kernel, strict=False)]
    return [(total + 1) // 2 for total in totals], [2 + i for i, t in enumerate(totals) if t % 2]
