"""Activations and their derivatives as basic operations: a chain needs no expression for them.

Each takes arrays as the operation of stage 2 with its name does, and gives the same but for
rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any


def tanh_backward(grad: Any, y: Any) -> Any:
    """dx = dy (1 - y^2)."""
    return grad * (1 - y * y)


def sigmoid_backward(grad: Any, y: Any) -> Any:
    """dx = dy y (1 - y)."""
    return grad * (y * (1 - y))


def relu_backward(grad: Any, y: Any) -> Any:
    """dx = dy where y is positive or NaN, else 0."""
    return y.ops.where(y.ops.eq(y, 0), 0, grad)


def silu(x: Any) -> Any:
    """x s(x), with s the sigmoid."""
    return x * x.ops.sigmoid(x)


def silu_backward(grad: Any, x: Any) -> Any:
    """dx = dy s(x) (1 + x (1 - s(x)))."""
    s = x.ops.sigmoid(x)
    return grad * (s * (x * (1 - s) + 1))


def _share(x: Any, approximate: str) -> Any:
    """2 P(x) - 1, with P the normal distribution, or a tanh that is nearly that."""
    if approximate == "none":
        return x.ops.erf(x * math.sqrt(0.5))
    return x.ops.tanh((x + x * x * x * 0.044715) * math.sqrt(2 / math.pi))


def gelu(x: Any, approximate: str = "none") -> Any:
    """x P(x)."""
    return x * 0.5 * (_share(x, approximate) + 1)


def gelu_backward(grad: Any, x: Any, approximate: str = "none") -> Any:
    """dx = dy (P(x) + x p(x)), with p the density."""
    share = _share(x, approximate)
    if approximate == "none":
        density = x.ops.exp(x * x * -0.5) * (1 / math.sqrt(2 * math.pi))
    else:
        steepness = (x * x * (3 * 0.044715) + 1) * math.sqrt(0.5 / math.pi)
        density = (1 - share * share) * steepness
    return grad * ((share + 1) * 0.5 + x * density)


DECOMPOSITIONS: dict[str, Callable[..., Any]] = {
    "tanh_backward": tanh_backward,
    "sigmoid_backward": sigmoid_backward,
    "relu_backward": relu_backward,
    "silu": silu,
    "silu_backward": silu_backward,
    "gelu": gelu,
    "gelu_backward": gelu_backward,
}
