"""The circle functions, their inverses, and degrees."""

from __future__ import annotations

import math

from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.elementwise.power import rsqrt, square


class Sin(Node):
    """d sin(x) = cos(x) dx."""

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * cos(self.saved(0)),)


def sin(input: Tensor) -> Tensor:
    """The sine of each element.

    >>> norch.sin(norch.tensor([0., 1.]))
    tensor([0.0000, 0.8415])
    """
    x = array_of(input)
    return unary(Sin, x.ops.sin(x), input, (input,))


class Cos(Node):
    """d cos(x) = -sin(x) dx."""

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * -sin(self.saved(0)),)


def cos(input: Tensor) -> Tensor:
    """The cosine of each element.

    >>> norch.cos(norch.tensor([0., 1.]))
    tensor([1.0000, 0.5403])
    """
    x = array_of(input)
    return unary(Cos, x.ops.cos(x), input, (input,))


class Tan(Node):
    """d tan(x) = (1 + tan(x)^2) dx."""

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * (square(self.saved(0)) + 1),)


def tan(input: Tensor) -> Tensor:
    """The tangent of each element.

    >>> norch.tan(norch.tensor([0., 1.]))
    tensor([0.0000, 1.5574])
    """
    x = array_of(input)
    y = x.ops.tan(x)
    return unary(Tan, y, input, (y,))


class Asin(Node):
    """d asin(x) = dx / sqrt(1 - x^2)."""

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * rsqrt(1 - square(self.saved(0))),)


def asin(input: Tensor) -> Tensor:
    """The angle whose sine is the element, between -pi/2 and pi/2.

    >>> norch.asin(norch.tensor([0., 1.]))
    tensor([0.0000, 1.5708])
    """
    x = array_of(input)
    return unary(Asin, x.ops.asin(x), input, (input,))


class Acos(Node):
    """d acos(x) = -dx / sqrt(1 - x^2)."""

    def backward(self, grad: Tensor) -> Gradients:
        return (-grad * rsqrt(1 - square(self.saved(0))),)


def acos(input: Tensor) -> Tensor:
    """The angle whose cosine is the element, between 0 and pi.

    >>> norch.acos(norch.tensor([1., 0.]))
    tensor([0.0000, 1.5708])
    """
    x = array_of(input)
    return unary(Acos, x.ops.acos(x), input, (input,))


class Atan(Node):
    """d atan(x) = dx / (1 + x^2)."""

    def backward(self, grad: Tensor) -> Gradients:
        return (grad / (square(self.saved(0)) + 1),)


def atan(input: Tensor) -> Tensor:
    """The angle whose tangent is the element, between -pi/2 and pi/2.

    >>> norch.atan(norch.tensor([0., 1.]))
    tensor([0.0000, 0.7854])
    """
    x = array_of(input)
    return unary(Atan, x.ops.atan(x), input, (input,))


@in_own_name
def deg2rad(input: Tensor) -> Tensor:
    """Degrees as radians.

    >>> norch.deg2rad(norch.tensor([180.]))
    tensor([3.1416])
    """
    return input * (math.pi / 180)


@in_own_name
def rad2deg(input: Tensor) -> Tensor:
    """Radians as degrees.

    >>> norch.rad2deg(norch.tensor([0., 1.]))
    tensor([ 0.0000, 57.2958])
    """
    return input * (180 / math.pi)
