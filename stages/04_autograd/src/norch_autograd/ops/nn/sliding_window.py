"""Convolution and pooling in basic operations, in any number of dimensions.

These are the references of the fused routines, for `composite()`. A kernel of k places is k slices
of the padded image, each as large as the result; each place weighs one slice.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

from norch_autograd.graph.operands import number
from norch_autograd.graph.tensor_base import Tensor
from norch_autograd.ops.arrays import arange_like, constant
from norch_autograd.ops.elementwise.arithmetic import div
from norch_autograd.ops.indexing.gather import gather
from norch_autograd.ops.indexing.getitem import narrow
from norch_autograd.ops.linalg.matmul import matmul
from norch_autograd.ops.reduction import minmax
from norch_autograd.ops.shape.join import cat, stack
from norch_autograd.ops.shape.view import expand, flatten, reshape, squeeze, transpose, unsqueeze
from norch_autograd.types.dtype import iinfo

Sizes = int | Sequence[int]
Widths = Sequence[tuple[int, int]]


class Slide(NamedTuple):
    """The shapes a convolution's gradients must have, and, `slide[2:]`, how the kernel moves."""

    input_size: tuple[int, ...]
    weight_size: tuple[int, ...]
    stride: Sizes
    padding: Sizes
    dilation: Sizes
    groups: int


class Windows(NamedTuple):
    """The options of an average, in the order of stage 2, and the dimensions it goes over."""

    kernel_size: Sizes
    stride: Sizes
    padding: Sizes
    count_include_pad: bool
    ceil_mode: bool
    divisor: int  # 0: the number of places
    dims: int


class Grid:
    """How a window moves over an image: sizes for each of its dimensions."""

    def __init__(
        self,
        size: tuple[int, ...],
        kernel: Sizes,
        stride: Sizes,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        ceil_mode: bool = False,
    ) -> None:
        options = (kernel, stride, padding, dilation)
        self.kernel, self.stride, self.padding, self.dilation = (
            size_per_dim(o, len(size)) for o in options
        )
        reach = [d * (k - 1) + 1 for d, k in zip(self.dilation, self.kernel, strict=True)]
        self.count: list[int] = []  # places of the window
        self.beyond: list[int] = []  # how far the last one reaches past the padding
        for n, r, s, p in zip(size, reach, self.stride, self.padding, strict=True):
            rest = n + 2 * p - r
            count = (-(-rest // s) if ceil_mode else rest // s) + 1
            count -= ceil_mode and (count - 1) * s >= n + p  # it must not start past the image
            self.count.append(count)
            self.beyond.append(max(0, (count - 1) * s + r - n - 2 * p))

    def slices(self, image: Tensor, fill: float = 0.0, outside: float | None = None) -> Any:
        """Each place of the kernel with what it sees: (place, (..., *count)); `fill` pads, and
        `outside` is what lies beyond the padding.
        """
        image = pad_image(image, [(p, p) for p in self.padding], fill)
        outside = fill if outside is None else outside
        image = pad_image(image, [(0, more) for more in self.beyond], outside)
        for place in self.places():
            steps = zip(place, self.dilation, self.stride, self.count, strict=True)
            yield place, image[(..., *(slice(i * d, i * d + s * n, s) for i, d, s, n in steps))]

    def places(self) -> Any:
        """All places of the kernel, each a tuple with an index for every dimension."""
        return itertools.product(*map(range, self.kernel))

    def put_back(self, slices: Any, size: Sequence[int]) -> Tensor:
        """The way back of `slices`: what each place of the kernel saw, given back to the image."""
        whole = [n + 2 * p for n, p in zip(size, self.padding, strict=True)]
        # ex 4.12 begin
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        result: Tensor = total[(..., *inside)]
        return result
        # ex 4.12 end


def _apart(image: Tensor, steps: Sequence[int]) -> Tensor:
    """A window's image with step - 1 zeros between neighbours in its last dimensions."""
    for dim, step in enumerate(steps, start=image.array.ndim - len(steps)):
        if step > 1:
            count = image.array.shape[dim]
            zeros = constant(image, 0)
            image = flatten(stack([image, *[zeros] * (step - 1)], dim + 1), dim, dim + 1)
            image = narrow(image, dim, 0, (count - 1) * step + 1)
    return image


def size_per_dim(sizes: Sizes, dims: int) -> tuple[int, ...]:
    """A window's size (or stride, ...) for every dimension, also if one number is given for all."""
    if isinstance(sizes := number(sizes), int):
        return (sizes,) * dims
    return tuple(sizes) * (dims // len(sizes))


def pad_image(image: Tensor, widths: Widths, fill: float) -> Tensor:
    """An image padded in its last dimensions: that many times `fill` before and after."""
    for dim, around in enumerate(widths, start=-len(widths)):
        for width, at_end in zip(around, (False, True), strict=True):
            if width:
                shape = list(image.array.shape)
                shape[dim] = width
                more = constant(image, fill, shape)
                image = cat([image, more] if at_end else [more, image], dim)
    return image


def conv_reference(input: Tensor, weight: Tensor, bias: Tensor | None, slide: Slide) -> Tensor:
    """A convolution: each place of the kernel is a matrix, its slice a batch of columns; summed."""
    batch, outputs, kernel = input.array.shape[0], weight.array.shape[0], weight.array.shape[2:]
    stride, padding, dilation, groups = slide[2:]
    grid = Grid(input.array.shape[2:], kernel, stride, padding, dilation)
    matrices = reshape(weight, groups, outputs // groups, -1, *kernel)  # (G, O / G, C / G, *kernel)
    out: Any = 0
    for place, seen in grid.slices(input):
        columns = reshape(seen, batch, groups, -1, math.prod(grid.count))  # (N, G, C / G, places)
        out = out + matmul(matrices[(..., *place)], columns)
    result = reshape(out, batch, outputs, *grid.count)
    return result if bias is None else result + reshape(bias, -1, *[1] * len(kernel))


def conv_transpose_reference(grad: Tensor, weight: Tensor, slide: Slide) -> Tensor:
    """Each place of the kernel is a matrix that makes columns; they go back to where the
    convolution read them.
    """
    kernel, batch, size = weight.array.shape[2:], grad.array.shape[0], slide.input_size[2:]
    stride, padding, dilation, groups = slide[2:]
    grid = Grid(size, kernel, stride, padding, dilation)
    inputs, outputs = weight.array.shape[0] // groups, weight.array.shape[1]
    matrices = transpose(reshape(weight, groups, inputs, outputs, *kernel), 1, 2)
    columns = reshape(grad, batch, groups, inputs, -1)
    slices = (
        reshape(matmul(matrices[(..., *place)], columns), batch, groups * outputs, *grid.count)
        for place in grid.places()
    )
    return grid.put_back(slices, size)


def max_pool_reference(
    input: Tensor,
    kernel: Sizes,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    ceil_mode: bool,
    dims: int,
) -> tuple[Tensor, Tensor]:
    """Max pooling: the largest of the slices, and the number of its place in the image."""
    size = input.array.shape[-dims:]
    grid = Grid(size, kernel, stride, padding, dilation, ceil_mode)
    dtype = input.array.dtype
    least = -math.inf if dtype.is_floating_point else iinfo(dtype).min
    slices = stack([seen for _, seen in grid.slices(input, least)], -1)
    values, index = minmax.max(slices, -1)
    numbers = arange_like(input, size)
    places = expand(stack([seen for _, seen in grid.slices(numbers)], -1), slices.array.shape)
    return values, squeeze(gather(places, -1, unsqueeze(index, -1)), -1)


def avg_pool_reference(input: Tensor, windows: Windows) -> Tensor:
    """Average pooling: the sum of the slices over how many elements each window sees."""
    size = input.array.shape[-windows.dims :]
    kernel, stride, padding, count_include_pad, ceil_mode, divisor, _ = windows
    grid = Grid(size, kernel, stride, padding, 1, ceil_mode)
    total: Tensor = functools.reduce(operator.add, (seen for _, seen in grid.slices(input)))
    count: Any = divisor
    if not divisor:
        places = grid.slices(constant(input, 1, size), float(count_include_pad), 0.0)
        count = functools.reduce(operator.add, (seen for _, seen in places))
    return div(total, count, rounding_mode=None if total.dtype.is_floating_point else "trunc")
