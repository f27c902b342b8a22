"""Sign and rounding: sign, floor, ceil, trunc, round, frac.

All but `frac` are constant between their jumps, so the gradient they send is zero.
"""

from __future__ import annotations

import math

from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.constants import constant
from norch_autograd.ops.dtype.convert import detach, float_, to
from norch_autograd.types.errors import refusal


class Step(Node):
    """dx = 0: a function that is constant between its jumps. The context is the node's name."""

    def backward(self, grad: Tensor) -> Gradients:
        return (constant(grad, 0),)

    def name(self) -> str:
        return str(self.context)


def sign(input: Tensor) -> Tensor:
    """-1, 0 or 1 for each element.

    >>> norch.sign(norch.tensor([-3., 0., 2.]))
    tensor([-1.,  0.,  1.])
    """
    x = array_of(input)
    return unary(Step, x.ops.sign(x), input, (), "SignBackward0")


def floor(input: Tensor) -> Tensor:
    """Each element rounded down.

    >>> norch.floor(norch.tensor([1.5, -1.5]))
    tensor([ 1., -2.])
    """
    x = array_of(input)
    return unary(Step, x.ops.floor(x), input, (), "FloorBackward0")


def ceil(input: Tensor) -> Tensor:
    """Each element rounded up.

    >>> norch.ceil(norch.tensor([1.5, -1.5]))
    tensor([ 2., -1.])
    """
    x = array_of(input)
    return unary(Step, x.ops.ceil(x), input, (), "CeilBackward0")


def trunc(input: Tensor) -> Tensor:
    """Each element rounded towards zero.

    >>> norch.trunc(norch.tensor([1.5, -1.5]))
    tensor([ 1., -1.])
    """
    x = array_of(input)
    return unary(Step, x.ops.trunc(x), input, (), "TruncBackward0")


def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """Each element rounded to the nearest whole number, halves to even.

    >>> norch.round(norch.tensor([0.5, 1.5, 2.6]))
    tensor([0., 2., 3.])
    """
    x = array_of(input)
    if decimals != 0:
        if not hasattr(type(decimals), "__index__"):
            words = f"expected int, got {type(decimals).__name__}"
            raise refusal(TypeError, "round", words, "decimals")
        scale = math.inf if decimals > 308 else 10.0**decimals
        wide = detach(float_(input) if x.dtype.itemsize == 2 else input)  # so that the scale fits
        rounded = to(round(wide * scale) / scale, x.dtype)
        return unary(Step, rounded.array, input, (), "RoundBackward1")
    return unary(Step, x.ops.round(x), input, (), "RoundBackward0")


@in_own_name
def frac(input: Tensor) -> Tensor:
    """What stands after the point: `input - trunc(input)`.

    >>> norch.frac(norch.tensor([1.5, -1.25]))
    tensor([ 0.5000, -0.2500])
    """
    return input - trunc(input)
