"""Images of another size: adaptive pooling and interpolation.

Each row and each column of the result is a weighted sum of a few of the input's, so the whole is
`down @ image @ across.T` with two matrices of mostly zeros: that is the reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import norch_cpu_ops
from norch_autograd.graph.composite import fused
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import in_own_name, number
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.arrays import arange_like, constant
from norch_autograd.ops.dtype.convert import long
from norch_autograd.ops.linalg.matmul import matmul
from norch_autograd.ops.nn.max_pool import MaxPool
from norch_autograd.ops.reduction import minmax
from norch_autograd.ops.shape.join import stack
from norch_autograd.ops.shape.view import flatten, reshape, reversed_dims

Size = int | Sequence[int | None] | None
Line = list[dict[int, float]]  # for each output the inputs it looks at, and their weights


class Resampling(NamedTuple):
    """How images are resampled: the method, from which size to which."""

    how: str  # "adaptive", "nearest" or "bilinear"
    input_size: tuple[int, int]
    output_size: tuple[int, int]
    align_corners: bool = False
    scale: tuple[float, float] | None = None  # input steps for an output step

    def forward(self, x: Any) -> Any:
        """The array of another size, by its kernel."""
        if self.how == "adaptive":
            return x.ops.adaptive_avg_pool2d(x, self.output_size)
        if self.how == "nearest":
            return x.ops.upsample_nearest2d(x, self.output_size, self.scale)
        return x.ops.upsample_bilinear2d(x, self.output_size, self.align_corners, self.scale)

    def backward(self, grad: Any) -> Any:
        """The gradient of the input array, by its kernel."""
        if self.how == "adaptive":
            return grad.ops.adaptive_avg_pool2d_backward(grad, self.input_size)
        if self.how == "nearest":
            return grad.ops.upsample_nearest2d_backward(grad, self.input_size, self.scale)
        options = (self.input_size, self.align_corners, self.scale)
        return grad.ops.upsample_bilinear2d_backward(grad, *options)

    def lines(self) -> list[Line]:
        """For the reference: the rows and columns of the image that each of the result weighs."""
        sizes = list(zip(self.input_size, self.output_size, strict=True))
        steps = self.scale or [size / max(count, 1) for size, count in sizes]
        both = [(*pair, step) for pair, step in zip(sizes, steps, strict=True)]
        if self.how == "adaptive":
            return [_adaptive_line(size, count) for size, count, _ in both]
        if self.how == "nearest":
            return [[{min(int(i * s), n - 1): 1.0} for i in range(count)] for n, count, s in both]
        return [_linear_line(*each, self.align_corners) for each in both]


def _adaptive_line(size: int, count: int) -> Line:
    """Resampling: output i pools from floor(i size / count) to ceil((i + 1) size / count)."""
    spans = [range(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]
    return [{place: 1 / len(span) for place in span} for span in spans]


def _linear_line(size: int, count: int, step: float, corners: bool) -> Line:
    """Resampling: each output between two inputs; pixels are squares, or with `corners` points."""
    line: Line = []
    for i in range(count):
        at = max((i + 0.5) * step - 0.5, 0.0)
        if corners:
            at = i * (size - 1) / (count - 1) if count > 1 else 0.0
        before = min(int(at), size - 1)
        after, weight = min(before + 1, size - 1), min(at - before, 1.0)
        line.append({before: 1.0} if after == before else {before: 1 - weight, after: weight})
    return line


class Resample(Node):
    """dx = down.T @ dy @ across: the same weights."""

    def backward(self, grad: Tensor) -> Gradients:
        return (_input_gradient(grad, self.context),)

    def name(self) -> str:
        names = {"adaptive": "AdaptiveAvgPool2D", "nearest": "UpsampleNearest2D"}
        return names.get(self.context.how, "UpsampleBilinear2D") + "Backward0"


class ResampleBackward(Node):
    """Linear in dy: its own backward is the resampling."""

    def backward(self, grad: Tensor) -> Gradients:
        return (_resample(grad, self.context),)


def _input_gradient(grad: Tensor, how: Resampling) -> Tensor:
    """The gradient of the image that was resampled, recorded."""
    return unary(ResampleBackward, how.backward(grad.array), grad, (), how)


def _weight_matrix(rows: list[list[float]], like: Tensor) -> Tensor:
    """The weights that resample an image as a matrix in the dtype of `like`, where it lives."""
    x = array_of(like)
    return plain(x.ops.from_cpu(norch_cpu_ops.ops.from_list(rows, x.dtype)))


def _resample_reference(input: Tensor, how: Resampling) -> Tensor:
    """Resample by two products of matrices: one for the rows, one for the columns."""
    down, across = (
        _weight_matrix([[pair.get(i, 0.0) for i in range(size)] for pair in line], input)
        for line, size in zip(how.lines(), how.input_size, strict=True)
    )
    return matmul(matmul(down, input), reversed_dims(across))


@fused(_resample_reference)
def _resample(input: Tensor, how: Resampling) -> Tensor:
    """An image of another size, adaptive, nearest or bilinear, recorded."""
    return unary(Resample, how.forward(input.array), input, (), how)


def check_sizes(op: str, input: Tensor, output_size: Any, letters: str) -> tuple[Any, ...]:
    """The sizes an image is resampled to, one for each of `letters`; RuntimeError where the input
    or the sizes do not fit, and PyTorch's ValueError for more sizes than the input can have.
    """
    shape, dims = array_of(input, op).shape, len(letters)
    alone = isinstance(output_size := number(output_size), int | None)
    sizes = (output_size,) * dims if alone else tuple(output_size)
    if len(shape) not in (dims + 1, dims + 2):
        kind = ValueError if not alone and len(shape) <= len(sizes) else RuntimeError
        places = ", ".join(letters)
        raise kind(f"[{op}] expected (N, C, {places}) or (C, {places}), got {tuple(shape)}")
    if len(sizes) != dims:
        words = ("one number", "two numbers", "three numbers")
        raise RuntimeError(f"[{op}] output_size needs {words[dims - 1]}, got {output_size}")
    for size in sizes:
        if size is not None and size < 0:
            raise RuntimeError(
                f"[{op}] cannot make {output_size} places: expected 0 or more of each"
            )
    return sizes


def _sizes(op: str, input: Tensor, output_size: Size) -> tuple[tuple[int, int], tuple[int, int]]:
    """Height and width of an image and of what it is resampled to; None keeps the image's."""
    shape = array_of(input, op).shape
    height, width = check_sizes(op, input, output_size, "HW")
    size = (shape[-2], shape[-1])
    given = (size[0] if height is None else height, size[1] if width is None else width)
    if min(size) < 1:  # check_sizes has seen to the rest
        raise RuntimeError(
            f"[{op}] cannot make {given} places of {size}: expected output_size of at least "
            "0 and an image with elements"
        )
    return size, given


@in_own_name
def adaptive_avg_pool2d(input: Tensor, output_size: Size) -> Tensor:
    """Means of as many windows as `output_size` says, of (N, C, H, W) or (C, H, W); None in it
    keeps the size. Window i of n over s places covers those from floor(i s / n) to
    ceil((i + 1) s / n).

    >>> norch.more.adaptive_avg_pool2d(norch.arange(6.).reshape(1, 2, 3), (1, 2))
    tensor([[[2., 3.]]])
    """
    sizes = _sizes("adaptive_avg_pool2d", input, output_size)
    return _resample(input, Resampling("adaptive", *sizes))


def adaptive_max_pool2d_with_indices(input: Tensor, output_size: Size) -> tuple[Tensor, Tensor]:
    """Resample by maxima: the largest under the windows of `adaptive_avg_pool2d`, and their places.

    >>> norch.more.adaptive_max_pool2d_with_indices(norch.arange(6.).reshape(1, 2, 3), (1, 2))
    (tensor([[[4., 5.]]]), tensor([[[4, 5]]]))
    """
    size, count = _sizes("adaptive_max_pool2d", input, output_size)
    return _adaptive_max(input, size, count)


def _adaptive_max_reference(
    input: Tensor, size: tuple[int, int], count: tuple[int, int]
) -> tuple[Tensor, Tensor]:
    """Resample images by adaptive max pooling, one window after the other."""
    numbers = arange_like(input, size)
    values, places = [], []
    for down in _adaptive_line(size[0], count[0]):
        for across in _adaptive_line(size[1], count[1]):
            window = (..., slice(min(down), max(down) + 1), slice(min(across), max(across) + 1))
            most, place = minmax.max(flatten(input[window], -2), -1)
            values.append(most)
            places.append(flatten(numbers[window])[place])
    shape = (*input.array.shape[:-2], *count)
    if not values:
        return constant(input, 0, shape), long(constant(input, 0, shape))
    return reshape(stack(values, -1), shape), reshape(stack(places, -1), shape)


@fused(_adaptive_max_reference)
def _adaptive_max(
    input: Tensor, size: tuple[int, int], count: tuple[int, int]
) -> tuple[Tensor, Tensor]:
    """Resample images by adaptive max pooling, all windows at once, recorded."""
    x = input.array
    out, index = x.ops.adaptive_max_pool2d(x, count)
    places = plain(index)
    return unary(MaxPool, out, input, (places,), (x.shape, 2)), places


def upsample_nearest2d(
    input: Tensor, output_size: Size, scale: tuple[float, float] | None = None
) -> Tensor:
    """An image of another size, (N, C, H, W) or (C, H, W): each place takes the element at or
    before it. `scale`: input steps for an output step, where it is not the quotient of the sizes.

    >>> norch.more.upsample_nearest2d(norch.tensor([[[1., 2.]]]), (1, 4))
    tensor([[[1., 1., 2., 2.]]])
    """
    size, count = _sizes("upsample_nearest2d", input, output_size)
    return _resample(input, Resampling("nearest", size, count, False, scale))


def upsample_bilinear2d(
    input: Tensor,
    output_size: Size,
    align_corners: bool = False,
    scale: tuple[float, float] | None = None,
) -> Tensor:
    """An image of another size, (N, C, H, W) or (C, H, W): each place is weighted between the four
    elements around it. With `align_corners` the corners stay where they are.

    >>> norch.more.upsample_bilinear2d(norch.tensor([[[1., 2.]]]), (1, 4))
    tensor([[[1.0000, 1.2500, 1.7500, 2.0000]]])
    """
    sizes = _sizes("upsample_bilinear2d", input, output_size)
    return _resample(input, Resampling("bilinear", *sizes, align_corners, scale))
