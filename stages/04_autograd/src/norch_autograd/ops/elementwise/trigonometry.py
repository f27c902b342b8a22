"""The circle functions sin, cos and tan. Their inverses are in more/elementwise."""

from __future__ import annotations

from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.elementwise.power import square


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
