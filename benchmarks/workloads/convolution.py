"""Two-dimensional convolutions, forward and backward: kernels, strides, groups, odd sizes.

Only plain 3x3 shapes with enough channels for Winograd carry the 3x3 gate; all others carry the
gate of other shapes. FLOPs are those of the direct method, so that a rate above the machine's peak
means less arithmetic, not a faster machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from benchmarks.workload import Arrays, Inputs, Work, Workload, leaf, normal_array, with_gradients


@dataclass(frozen=True, slots=True)
class Shape:
    """A convolution of x (batch, channels, height, width) to `out` channels, square kernel."""

    x: tuple[int, int, int, int]
    out: int
    kernel: int
    stride: int = 1
    padding: int = 0
    dilation: int = 1
    groups: int = 1

    @property
    def y(self) -> tuple[int, int, int, int]:
        """The shape of the output."""
        reach = self.dilation * (self.kernel - 1) + 1
        height, width = ((n + 2 * self.padding - reach) // self.stride + 1 for n in self.x[2:])
        return self.x[0], self.out, height, width

    @property
    def weight(self) -> tuple[int, int, int, int]:
        """The shape of the weight."""
        return self.out, self.x[1] // self.groups, self.kernel, self.kernel

    @property
    def flops(self) -> float:
        """Multiplications and additions of one direct pass."""
        return 2.0 * prod(self.y) * prod(self.weight[1:])

    def draw(self, rng: np.random.Generator) -> Arrays:
        """Draw input, weight, bias and the gradient of the output."""
        shapes = {"x": self.x, "weight": self.weight, "bias": (self.out,), "dy": self.y}
        return {name: normal_array(rng, shape) for name, shape in shapes.items()}

    def options(self) -> tuple[int, int, int, int]:
        """Return stride, padding, dilation, groups."""
        return self.stride, self.padding, self.dilation, self.groups


def forward(shape: Shape, lib: Any, given: Inputs) -> Work:
    """Convolve without a graph."""
    x, weight, bias = (given[name] for name in ("x", "weight", "bias"))
    conv2d, options = lib.nn.functional.conv2d, shape.options()
    return lambda: conv2d(x, weight, bias, *options)


def both(shape: Shape, lib: Any, given: Inputs) -> Work:
    """Convolve, then send a gradient back to input, weight and bias."""
    leaves = [leaf(given[name]) for name in ("x", "weight", "bias")]
    conv2d, options = lib.nn.functional.conv2d, shape.options()
    return with_gradients(lambda: conv2d(*leaves, *options), given["dy"], leaves)


def row(name: str, shape: Shape, gate: float = 1.3, aim: float = 1.0) -> Workload:
    """Return the row of a convolution forward and backward."""
    sizes = ",".join(map(str, shape.x))
    return Workload(
        f"conv2d {name} ({sizes})->{shape.out}",
        "conv2d",
        shape.draw,
        lambda lib, given: both(shape, lib, given),
        gate=gate,
        aim=aim,
        flops=3 * shape.flops,
        scaling=1.7 if shape.groups < shape.out else 1.0,  # depthwise moves more than it computes
    )


def forward_row(name: str, shape: Shape) -> Workload:
    """Return the row of a convolution forward alone."""
    sizes = ",".join(map(str, shape.x))
    return Workload(
        f"conv2d {name} ({sizes})->{shape.out}, forward",
        "conv2d",
        shape.draw,
        lambda lib, given: forward(shape, lib, given),
        gate=0.60,
        aim=0.40,
        flops=shape.flops,
        scaling=1.7,
    )


MNIST = Shape((64, 32, 28, 28), 64, 3, padding=1)

ROWS = (
    row("3x3", MNIST, gate=0.40, aim=0.36),
    row("3x3", Shape((8, 64, 56, 56), 64, 3, padding=1), gate=0.40, aim=0.36),
    forward_row("3x3", MNIST),
    row("3x3 first layer", Shape((64, 1, 28, 28), 32, 3)),
    row("3x3 odd", Shape((13, 17, 23, 29), 19, 3)),
    row("3x3 stride 2", Shape((32, 32, 28, 28), 64, 3, stride=2, padding=1)),
    row("3x3 dilation 2", Shape((16, 32, 28, 28), 32, 3, padding=2, dilation=2)),
    row("3x3 groups 4", Shape((32, 64, 28, 28), 64, 3, padding=1, groups=4)),
    row("3x3 depthwise", Shape((32, 64, 28, 28), 64, 3, padding=1, groups=64)),
    row("5x5 depthwise stride 2", Shape((32, 64, 28, 28), 64, 5, stride=2, padding=2, groups=64)),
    row("1x1", Shape((32, 64, 28, 28), 128, 1)),
    row("1x1 stride 2", Shape((32, 64, 28, 28), 128, 1, stride=2)),
    row("5x5", Shape((32, 32, 14, 14), 64, 5, padding=2)),
    row("5x5 odd", Shape((7, 11, 31, 27), 13, 5, padding=1)),
    row("7x7 stride 2", Shape((4, 3, 112, 112), 64, 7, stride=2, padding=3)),
    row("7x7 odd", Shape((5, 6, 33, 35), 10, 7, padding=3)),
)
