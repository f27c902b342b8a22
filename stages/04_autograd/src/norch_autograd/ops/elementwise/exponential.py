"""Exponentials, logarithms and the error function.

A node whose derivative is written with the result keeps the result, else the input. Log-sums of two
tensors are in power.py, over a dimension in reduction/cumulative.py and nn/softmax.py.
"""

from __future__ import annotations

import math

from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of


class Exp(Node):
    """d exp(x) = exp(x) dx."""

    on_arrays = True

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * self.saved(0),)


def exp(input: Tensor) -> Tensor:
    """e to the power of each element.

    >>> norch.exp(norch.tensor([0., 1.]))
    tensor([1.0000, 2.7183])
    """
    x = array_of(input)
    y = x.ops.exp(x)
    return unary(Exp, y, input, (y,))


class Expm1(Node):
    """d (exp(x) - 1) = exp(x) dx."""

    on_arrays = True

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * (self.saved(0) + 1),)


def expm1(input: Tensor) -> Tensor:
    """`exp(input) - 1`, exact for small elements.

    >>> norch.expm1(norch.tensor([0., 1.]))
    tensor([0.0000, 1.7183])
    """
    x = array_of(input)
    y = x.ops.expm1(x)
    return unary(Expm1, y, input, (y,))


class Log(Node):
    """d log(x) = dx / x."""

    on_arrays = True

    def backward(self, grad: Tensor) -> Gradients:
        return (grad / self.saved(0),)


def log(input: Tensor) -> Tensor:
    """The natural logarithm of each element.

    >>> norch.log(norch.tensor([1., 10.]))
    tensor([0.0000, 2.3026])
    """
    x = array_of(input)
    return unary(Log, x.ops.log(x), input, (input,))


class Log1p(Node):
    """d log(1 + x) = dx / (1 + x)."""

    on_arrays = True

    def backward(self, grad: Tensor) -> Gradients:
        return (grad / (self.saved(0) + 1),)


def log1p(input: Tensor) -> Tensor:
    """`log(1 + input)`, exact for small elements.

    >>> norch.log1p(norch.tensor([0., 1.]))
    tensor([0.0000, 0.6931])
    """
    x = array_of(input)
    return unary(Log1p, x.ops.log1p(x), input, (input,))


class Log2(Node):
    """d log2(x) = dx / (x log 2)."""

    on_arrays = True

    def backward(self, grad: Tensor) -> Gradients:
        return (grad / (self.saved(0) * math.log(2)),)


def log2(input: Tensor) -> Tensor:
    """The logarithm to base 2 of each element.

    >>> norch.log2(norch.tensor([1., 8.]))
    tensor([0., 3.])
    """
    x = array_of(input)
    return unary(Log2, x.ops.log2(x), input, (input,))


class Erf(Node):
    """d erf(x) = 2 / sqrt(pi) exp(-x^2) dx."""

    def backward(self, grad: Tensor) -> Gradients:
        x = self.saved(0)
        return (grad * (exp(-x * x) * (2 / math.sqrt(math.pi))),)


def erf(input: Tensor) -> Tensor:
    """The error function, an exponential's integral: 2 / sqrt(pi) exp(-t^2) from 0 to each element.

    >>> norch.erf(norch.tensor([0., 1.]))
    tensor([0.0000, 0.8427])
    """
    x = array_of(input)
    return unary(Erf, x.ops.erf(x), input, (input,))


class Erfc(Node):
    """d erfc(x) = -2 / sqrt(pi) exp(-x^2) dx."""

    def backward(self, grad: Tensor) -> Gradients:
        x = self.saved(0)
        return (grad * (exp(-x * x) * (-2 / math.sqrt(math.pi))),)


def erfc(input: Tensor) -> Tensor:
    """`1 - erf(input)`, exact where it is small.

    >>> norch.erfc(norch.tensor([0., 5.]))
    tensor([1.0000e+00, 1.5375e-12])
    """
    x = array_of(input)
    return unary(Erfc, x.ops.erfc(x), input, (input,))


@in_own_name
def log10(input: Tensor) -> Tensor:
    """The logarithm to base 10 of each element.

    >>> norch.log10(norch.tensor([1., 1000.]))
    tensor([0., 3.])
    """
    return log(input) / math.log(10)
