"""Functions of one element: e to the x, its logarithms, the circle, the error function.

The order in every pair: node, then function. A node whose derivative is written with the result
keeps the result; else it keeps the input.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from norch_autograd.graph import ArrayNode, Gradients, Node, array_of, unary

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor


class Exp(ArrayNode):
    """d exp(x) = exp(x) dx."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * self.saved(0),)


def exp(input: Tensor) -> Tensor:
    """e to the power of each element.

    >>> import norch_autograd as norch
    >>> norch.exp(norch.tensor([0., 1.]))
    tensor([1.0000, 2.7183])
    """
    x = array_of(input)
    y = x.ops.exp(x)
    return unary(Exp, y, input, (y,))


class Expm1(ArrayNode):
    """d (exp(x) - 1) = exp(x) dx."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * (self.saved(0) + 1),)


def expm1(input: Tensor) -> Tensor:
    """`exp(input) - 1`, exact for small elements.

    >>> import norch_autograd as norch
    >>> norch.expm1(norch.tensor([0., 1.]))
    tensor([0.0000, 1.7183])
    """
    x = array_of(input)
    y = x.ops.expm1(x)
    return unary(Expm1, y, input, (y,))


class Log(ArrayNode):
    """d log(x) = dx / x."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (grad / self.saved(0),)


def log(input: Tensor) -> Tensor:
    """The natural logarithm of each element.

    >>> import norch_autograd as norch
    >>> norch.log(norch.tensor([1., 10.]))
    tensor([0.0000, 2.3026])
    """
    x = array_of(input)
    return unary(Log, x.ops.log(x), input, (input,))


class Log1p(ArrayNode):
    """d log(1 + x) = dx / (1 + x)."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (grad / (self.saved(0) + 1),)


def log1p(input: Tensor) -> Tensor:
    """`log(1 + input)`, exact for small elements.

    >>> import norch_autograd as norch
    >>> norch.log1p(norch.tensor([0., 1.]))
    tensor([0.0000, 0.6931])
    """
    x = array_of(input)
    return unary(Log1p, x.ops.log1p(x), input, (input,))


class Log2(ArrayNode):
    """d log2(x) = dx / (x log 2)."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (grad / (self.saved(0) * math.log(2)),)


def log2(input: Tensor) -> Tensor:
    """The logarithm to base 2 of each element.

    >>> import norch_autograd as norch
    >>> norch.log2(norch.tensor([1., 8.]))
    tensor([0., 3.])
    """
    x = array_of(input)
    return unary(Log2, x.ops.log2(x), input, (input,))


class Sin(Node):
    """d sin(x) = cos(x) dx."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * self.saved(0).cos(),)


def sin(input: Tensor) -> Tensor:
    """The sine of each element.

    >>> import norch_autograd as norch
    >>> norch.sin(norch.tensor([0., 1.]))
    tensor([0.0000, 0.8415])
    """
    x = array_of(input)
    return unary(Sin, x.ops.sin(x), input, (input,))


class Cos(Node):
    """d cos(x) = -sin(x) dx."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * -self.saved(0).sin(),)


def cos(input: Tensor) -> Tensor:
    """The cosine of each element.

    >>> import norch_autograd as norch
    >>> norch.cos(norch.tensor([0., 1.]))
    tensor([1.0000, 0.5403])
    """
    x = array_of(input)
    return unary(Cos, x.ops.cos(x), input, (input,))


class Tan(Node):
    """d tan(x) = (1 + tan(x)^2) dx."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * (self.saved(0).square() + 1),)


def tan(input: Tensor) -> Tensor:
    """The tangent of each element.

    >>> import norch_autograd as norch
    >>> norch.tan(norch.tensor([0., 1.]))
    tensor([0.0000, 1.5574])
    """
    x = array_of(input)
    y = x.ops.tan(x)
    return unary(Tan, y, input, (y,))


class Erf(Node):
    """d erf(x) = 2 / sqrt(pi) exp(-x^2) dx."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * ((-self.saved(0).square()).exp() * (2 / math.sqrt(math.pi))),)


def erf(input: Tensor) -> Tensor:
    """The error function of each element.

    >>> import norch_autograd as norch
    >>> norch.erf(norch.tensor([0., 1.]))
    tensor([0.0000, 0.8427])
    """
    x = array_of(input)
    return unary(Erf, x.ops.erf(x), input, (input,))
