"""Hyperbolic functions, their inverses, and erfinv."""

from __future__ import annotations

import math

from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.elementwise.exponential import exp
from norch_autograd.ops.elementwise.power import rsqrt, square


class Sinh(Node):
    """d sinh(x) = cosh(x) dx."""

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * cosh(self.saved(0)),)


def sinh(input: Tensor) -> Tensor:
    """The hyperbolic sine of each element, exact for small ones.

    >>> norch.sinh(norch.tensor([0., 1.]))
    tensor([0.0000, 1.1752])
    """
    x = array_of(input)
    return unary(Sinh, x.ops.sinh(x), input, (input,))


class Cosh(Node):
    """d cosh(x) = sinh(x) dx."""

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * sinh(self.saved(0)),)


def cosh(input: Tensor) -> Tensor:
    """The hyperbolic cosine of each element.

    >>> norch.cosh(norch.tensor([0., 1.]))
    tensor([1.0000, 1.5431])
    """
    x = array_of(input)
    return unary(Cosh, x.ops.cosh(x), input, (input,))


class Asinh(Node):
    """d asinh(x) = dx / sqrt(x^2 + 1)."""

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * rsqrt(square(self.saved(0)) + 1),)


def asinh(input: Tensor) -> Tensor:
    """The number whose hyperbolic sine is the element.

    >>> norch.asinh(norch.tensor([0., 1.]))
    tensor([0.0000, 0.8814])
    """
    x = array_of(input)
    return unary(Asinh, x.ops.asinh(x), input, (input,))


class Acosh(Node):
    """d acosh(x) = dx / sqrt(x^2 - 1)."""

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * rsqrt(square(self.saved(0)) - 1),)


def acosh(input: Tensor) -> Tensor:
    """The number, not negative, whose hyperbolic cosine is the element; NaN below 1.

    >>> norch.acosh(norch.tensor([1., 2.]))
    tensor([0.0000, 1.3170])
    """
    x = array_of(input)
    return unary(Acosh, x.ops.acosh(x), input, (input,))


class Atanh(Node):
    """d atanh(x) = dx / (1 - x^2)."""

    def backward(self, grad: Tensor) -> Gradients:
        return (grad / (1 - square(self.saved(0))),)


def atanh(input: Tensor) -> Tensor:
    """The number whose hyperbolic tangent is the element; infinite at -1 and 1, NaN beyond.

    >>> norch.atanh(norch.tensor([0., 0.5]))
    tensor([0.0000, 0.5493])
    """
    x = array_of(input)
    return unary(Atanh, x.ops.atanh(x), input, (input,))


class Erfinv(Node):
    """d erfinv(x) = sqrt(pi) / 2 exp(erfinv(x)^2) dx."""

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * (exp(square(self.saved(0))) * (math.sqrt(math.pi) / 2)),)


def erfinv(input: Tensor) -> Tensor:
    """The number whose `erf` is the element; infinite at -1 and 1, NaN beyond.

    >>> norch.erfinv(norch.tensor([0., 0.5]))
    tensor([0.0000, 0.4769])
    """
    x = array_of(input)
    y = x.ops.erfinv(x)
    return unary(Erfinv, y, input, (y,))
