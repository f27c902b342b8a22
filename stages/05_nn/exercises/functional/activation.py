"""Activations: relu, sigmoid, tanh, the softmax family and the gate of GLU.

Stage 4 computes; here are PyTorch's arguments. The other activations are pieces of straight lines
(`piecewise`) or smooth curves (`smooth`), composed of stage 4's operations.
"""

from __future__ import annotations

import norch_autograd as autograd
from norch_autograd import Tensor

__all__ = [
    "glu",
    "kept",
    "log_softmax",
    "logsigmoid",
    "placed",
    "relu",
    "sigmoid",
    "softmax",
    "softmin",
    "tanh",
]


def placed(input: Tensor, output: Tensor, inplace: bool) -> Tensor:
    """Return `output`, or `input` overwritten with it."""
    return input.copy_(output) if inplace else output


def kept(input: Tensor, inplace: bool) -> Tensor:
    """Return what a backward may read later: a copy of an `input` that will be overwritten."""
    return input.clone() if inplace else input


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return max(input, 0).

    >>> relu(autograd.tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    return placed(input, autograd.relu(input), inplace)


def sigmoid(input: Tensor) -> Tensor:
    """Return 1 / (1 + exp(-input)).

    >>> sigmoid(autograd.tensor([0.0, 200.0])).tolist()
    [0.5, 1.0]
    """
    return autograd.sigmoid(input)


def logsigmoid(input: Tensor) -> Tensor:
    """Return log(sigmoid(input)) = min(input, 0) - log(1 + exp(-|input|)).

    >>> logsigmoid(autograd.tensor([-200.0, 200.0])).tolist()
    [-200.0, 0.0]
    """
    # ex 5.5 begin
    raise NotImplementedError("exercise 5.5 is yours to write")
    # ex 5.5 end


def tanh(input: Tensor) -> Tensor:
    """Return the hyperbolic tangent.

    >>> tanh(autograd.tensor([0.0, 200.0])).tolist()
    [0.0, 1.0]
    """
    return autograd.tanh(input)


def softmax(input: Tensor, dim: int) -> Tensor:
    """Return exp(input) / sum(exp(input)) along `dim`.

    >>> softmax(autograd.zeros(2), dim=0).tolist()
    [0.5, 0.5]
    """
    return autograd.softmax(input, dim)


def softmin(input: Tensor, dim: int) -> Tensor:
    """Return softmax(-input) along `dim`: the smallest gets the most.

    >>> softmin(autograd.tensor([0.0, 200.0]), dim=0).tolist()
    [1.0, 0.0]
    """
    return autograd.softmax(-input, dim)


def log_softmax(input: Tensor, dim: int) -> Tensor:
    """Return input - logsumexp(input) along `dim`.

    >>> log_softmax(autograd.zeros(1), dim=0).tolist()
    [0.0]
    """
    return autograd.log_softmax(input, dim)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """Return a · sigmoid(b), where a and b are the halves of `input` along `dim`.

    >>> glu(autograd.tensor([3.0, 0.0])).tolist()
    [1.5]
    """
    if input.ndim == 0:
        raise RuntimeError("[glu] one dimension at least is expected: a number has no halves")
    size = input.shape[dim]
    if size % 2:
        raise RuntimeError(f"[glu] dimension {dim} of size {size} has no two equal halves")
    value, gate = input.split(size // 2, dim)
    return value * autograd.sigmoid(gate)
