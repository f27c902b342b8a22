"""linear: the product of an input and a weight, with a bias added."""

from __future__ import annotations

import norch_autograd as autograd
from norch_autograd import Tensor

__all__ = ["linear"]


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return input Wᵀ + bias; input (..., in), weight (out, in), bias (out,).

    >>> linear(autograd.ones(1, 3), autograd.ones(2, 3)).tolist()
    [[3.0, 3.0]]
    """
    return autograd.linear(input, weight, bias)
