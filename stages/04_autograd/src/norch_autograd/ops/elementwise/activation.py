"""Activations: tanh, sigmoid, relu, gelu and silu, each one kernel forward and one backward.

`backward` is the formula in tensor operations; `kernel` computes the same in one pass. Functions
of numbers that are no activations are in exponential.py, power.py and trigonometry.py.
"""

from __future__ import annotations

import math
from typing import Any

from norch_autograd.graph.composite import fused
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.elementwise.exponential import erfc, exp
from norch_autograd.ops.elementwise.power import square
from norch_autograd.ops.elementwise.where import masked_fill


class Tanh(Node):
    """d tanh(x) = (1 - tanh(x)^2) dx."""

    def backward(self, grad: Tensor) -> Gradients:
        y = self.saved(0)
        return (grad * (1 - square(y)),)

    def kernel(self, grad: Any) -> Any:
        y = self.saved_array(0)
        return (y.ops.tanh_backward(grad, y),)


def tanh(input: Tensor) -> Tensor:
    """(exp(x) - exp(-x)) / (exp(x) + exp(-x)) of each element: the hyperbolic tangent.

    >>> norch.tanh(norch.tensor([0., 200.]))
    tensor([0., 1.])
    """
    x = array_of(input)
    y = x.ops.tanh(x)
    return unary(Tanh, y, input, (y,))


class Sigmoid(Node):
    """d s(x) = s(x) (1 - s(x)) dx."""

    def backward(self, grad: Tensor) -> Gradients:
        y = self.saved(0)
        return (grad * (y * (1 - y)),)

    def kernel(self, grad: Any) -> Any:
        y = self.saved_array(0)
        return (y.ops.sigmoid_backward(grad, y),)


def sigmoid(input: Tensor) -> Tensor:
    """`1 / (1 + exp(-input))`, without overflow.

    >>> norch.sigmoid(norch.tensor([0., 200.]))
    tensor([0.5000, 1.0000])
    """
    x = array_of(input)
    y = x.ops.sigmoid(x)
    return unary(Sigmoid, y, input, (y,))


class Relu(Node):
    """d max(x, 0) = dx where the result is positive or NaN, else 0."""

    def backward(self, grad: Tensor) -> Gradients:
        y = self.saved(0)
        return (masked_fill(grad, y == 0, 0),)

    def kernel(self, grad: Any) -> Any:
        y = self.saved_array(0)
        return (y.ops.relu_backward(grad, y),)


def relu(input: Tensor) -> Tensor:
    """Each element, or 0 where it is negative.

    >>> norch.relu(norch.tensor([-1., 2.]))
    tensor([0., 2.])
    """
    x = array_of(input)
    y = x.ops.relu(x)
    return unary(Relu, y, input, (y,))


class Gelu(Node):
    """d (x P(x)) = (P(x) + x p(x)) dx, with P the normal distribution and p its density."""

    def backward(self, grad: Tensor) -> Gradients:
        x = self.saved(0)
        return (grad * _gelu_slope(x, self.context),)

    def kernel(self, grad: Any) -> Any:
        x = self.saved_array(0)
        return (x.ops.gelu_backward(grad, x, self.context),)


def _cubic(x: Tensor) -> Tensor:
    """2 u for gelu's approximation (1 + tanh(u)) / 2, which is sigmoid(2 u): no digit cancels."""
    return math.sqrt(8 / math.pi) * (x + 0.044715 * (x * x * x))


def _gelu_slope(x: Tensor, approximate: str) -> Tensor:
    """The derivative of gelu, itself differentiable."""
    if approximate == "none":
        density = exp(square(x) * -0.5) * (1 / math.sqrt(2 * math.pi))
        return erfc(x * -math.sqrt(0.5)) * 0.5 + x * density
    s = sigmoid(_cubic(x))
    return s + x * (s * (1 - s)) * (math.sqrt(8 / math.pi) * (1 + 3 * 0.044715 * square(x)))


def _gelu_reference(x: Tensor, approximate: str = "none") -> Tensor:
    """`gelu` as its formula is written."""
    if approximate == "none":
        return x * 0.5 * erfc(x * -math.sqrt(0.5))
    return x * sigmoid(_cubic(x))


@fused(_gelu_reference)
def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """x Φ(x), with Φ the normal distribution function; `"tanh"` approximates it.

    >>> norch.ops.gelu(norch.tensor([-3., 0., 1.]))
    tensor([-0.0040,  0.0000,  0.8413])
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError(f"[gelu] approximate must be 'none' or 'tanh', not {approximate!r}")
    x = array_of(input)
    return unary(Gelu, x.ops.gelu(x, approximate), input, (input,), approximate)


class Silu(Node):
    """d (x s(x)) = s(x) (1 + x (1 - s(x))) dx, with s the sigmoid."""

    def backward(self, grad: Tensor) -> Gradients:
        x = self.saved(0)
        s = sigmoid(x)
        return (grad * (s * (1 + x * (1 - s))),)

    def kernel(self, grad: Any) -> Any:
        x = self.saved_array(0)
        return (x.ops.silu_backward(grad, x),)


def _silu_reference(x: Tensor) -> Tensor:
    """`silu` as its formula is written."""
    return x * sigmoid(x)


@fused(_silu_reference)
def silu(input: Tensor) -> Tensor:
    """`input * sigmoid(input)`, also called swish.

    >>> norch.ops.silu(norch.tensor([0., 200.]))
    tensor([  0., 200.])
    """
    x = array_of(input)
    return unary(Silu, x.ops.silu(x), input, (input,))
