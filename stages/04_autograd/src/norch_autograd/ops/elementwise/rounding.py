"""Steps and staircases: sign, floor and their kin. Flat almost everywhere, so the blame they send
is zero.

Small formulas of several tensors. They are compositions: the operations inside know the
derivatives; only hypot, which must not overflow, says its own.
"""

from __future__ import annotations

from norch_autograd.graph.arrays import zeros_like
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.dtype.convert import float_, to


class Sign(Node):
    """A step: flat on both sides."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (zeros_like(grad),)


def sign(input: Tensor) -> Tensor:
    """-1, 0 or 1 for each element.

    >>> norch.sign(norch.tensor([-3., 0., 2.]))
    tensor([-1.,  0.,  1.])
    """
    x = array_of(input)
    return unary(Sign, x.ops.sign(x), input)


class Floor(Node):
    """A staircase: flat almost everywhere."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (zeros_like(grad),)


def floor(input: Tensor) -> Tensor:
    """Each element rounded down.

    >>> norch.floor(norch.tensor([1.5, -1.5]))
    tensor([ 1., -2.])
    """
    x = array_of(input)
    return unary(Floor, x.ops.floor(x), input)


class Ceil(Node):
    """A staircase: flat almost everywhere."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (zeros_like(grad),)


def ceil(input: Tensor) -> Tensor:
    """Each element rounded up.

    >>> norch.ceil(norch.tensor([1.5, -1.5]))
    tensor([ 2., -1.])
    """
    x = array_of(input)
    return unary(Ceil, x.ops.ceil(x), input)


class Trunc(Node):
    """A staircase: flat almost everywhere."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (zeros_like(grad),)


def trunc(input: Tensor) -> Tensor:
    """Each element rounded towards zero.

    >>> norch.trunc(norch.tensor([1.5, -1.5]))
    tensor([ 1., -1.])
    """
    x = array_of(input)
    return unary(Trunc, x.ops.trunc(x), input)


class Round(Node):
    """A staircase: flat almost everywhere."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (zeros_like(grad),)


def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """Each element rounded to the nearest whole number, halves to even.

    >>> norch.round(norch.tensor([0.5, 1.5, 2.6]))
    tensor([0., 2., 3.])
    """
    x = array_of(input)
    if decimals != 0:
        scale = 10.0**decimals
        wide = float_(input) if x.dtype.itemsize == 2 else input  # so that the scale fits
        return to(round(wide * scale) / scale, x.dtype)
    return unary(Round, x.ops.round(x), input)


def frac(input: Tensor) -> Tensor:
    """What stands after the point: `input - trunc(input)`.

    >>> norch.frac(norch.tensor([1.5, -1.25]))
    tensor([ 0.5000, -0.2500])
    """
    return input - trunc(input)
