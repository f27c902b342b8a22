"""The inverse circle functions and the hyperbola, made of stage 2's kernels; derivatives of their
own.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from norch_autograd.dtype import float32
from norch_autograd.graph import Gradients, Node, array_of, unary

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor


def _real(array: Any) -> Any:
    """Whole numbers as float32: a byte has no negative."""
    return array if array.dtype.is_floating_point else array.ops.cast(array, float32)


class Asin(Node):
    """d asin(x) = dx / sqrt(1 - x^2)."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * (1 - self.saved(0).square()).rsqrt(),)


def asin(input: Tensor) -> Tensor:
    """The angle whose sine is the element, between -pi/2 and pi/2.

    >>> import norch_autograd as norch
    >>> norch.asin(norch.tensor([0., 1.]))
    tensor([0.0000, 1.5708])
    """
    x = _real(array_of(input))
    ops = x.ops
    cosine = ops.sqrt(ops.mul(ops.sub(1, x), ops.add(x, 1)))
    return unary(Asin, ops.atan2(x, cosine), input, (input,))


class Acos(Node):
    """d acos(x) = -dx / sqrt(1 - x^2)."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (-grad * (1 - self.saved(0).square()).rsqrt(),)


def acos(input: Tensor) -> Tensor:
    """The angle whose cosine is the element, between 0 and pi.

    >>> import norch_autograd as norch
    >>> norch.acos(norch.tensor([1., 0.]))
    tensor([0.0000, 1.5708])
    """
    x = _real(array_of(input))
    ops = x.ops
    sine = ops.sqrt(ops.mul(ops.sub(1, x), ops.add(x, 1)))
    return unary(Acos, ops.atan2(sine, x), input, (input,))


class Atan(Node):
    """d atan(x) = dx / (1 + x^2)."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (grad / (self.saved(0).square() + 1),)


def atan(input: Tensor) -> Tensor:
    """The angle whose tangent is the element, between -pi/2 and pi/2.

    >>> import norch_autograd as norch
    >>> norch.atan(norch.tensor([0., 1.]))
    tensor([0.0000, 0.7854])
    """
    x = array_of(input)
    return unary(Atan, x.ops.atan2(x, 1), input, (input,))


class Sinh(Node):
    """d sinh(x) = cosh(x) dx."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * cosh(self.saved(0)),)


def sinh(input: Tensor) -> Tensor:
    """The hyperbolic sine of each element, exact for small ones.

    >>> import norch_autograd as norch
    >>> norch.sinh(norch.tensor([0., 1.]))
    tensor([0.0000, 1.1752])
    """
    x = _real(array_of(input))
    ops = x.ops
    y = ops.mul(ops.sub(ops.expm1(x), ops.expm1(ops.neg(x))), 0.5)
    return unary(Sinh, y, input, (input,))


class Cosh(Node):
    """d cosh(x) = sinh(x) dx."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (grad * sinh(self.saved(0)),)


def cosh(input: Tensor) -> Tensor:
    """The hyperbolic cosine of each element.

    >>> import norch_autograd as norch
    >>> norch.cosh(norch.tensor([0., 1.]))
    tensor([1.0000, 1.5431])
    """
    x = _real(array_of(input))
    ops = x.ops
    y = ops.mul(ops.add(ops.exp(x), ops.exp(ops.neg(x))), 0.5)
    return unary(Cosh, y, input, (input,))


def deg2rad(input: Tensor) -> Tensor:
    """Degrees as radians.

    >>> import norch_autograd as norch
    >>> norch.deg2rad(norch.tensor([180.]))
    tensor([3.1416])
    """
    return input * (math.pi / 180)


def rad2deg(input: Tensor) -> Tensor:
    """Radians as degrees.

    >>> import norch_autograd as norch
    >>> norch.rad2deg(norch.tensor([0., 1.]))
    tensor([ 0.0000, 57.2958])
    """
    return input * (180 / math.pi)
