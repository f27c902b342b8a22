"""Dropout: random zeros while training; what is kept is enlarged, so that the mean stays."""

from __future__ import annotations

import norch_autograd as autograd
from norch_autograd import Tensor

__all__ = ["check_probability", "dropout"]


def check_probability(p: float) -> None:
    """Raise ValueError unless 0 <= p <= 1."""
    if not 0 <= p <= 1:
        raise ValueError(f"[dropout] the probability p must lie between 0 and 1, not {p}")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zero each element with probability `p` and divide the rest by 1 - p; not in evaluation.

    >>> dropout(autograd.ones(2), p=1.0).tolist()
    [0.0, 0.0]
    """
    check_probability(p)
    if not training or p == 0:
        return input
    keep = autograd.empty_like(input, requires_grad=False).bernoulli_(1 - p)
    scale = keep / (1 - p) if p < 1 else keep
    return input.mul_(scale) if inplace else input * scale
