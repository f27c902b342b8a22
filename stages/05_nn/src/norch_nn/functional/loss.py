"""Losses: how far a prediction is from its target, element by element, then reduced.

The modules of `norch_nn.loss` call these.
"""

from __future__ import annotations

import warnings

import norch_autograd as autograd
from norch_autograd import Tensor

__all__ = ["check_reduction", "cross_entropy", "mse_loss"]


def check_reduction(name: str, reduction: str) -> str:
    """Return `reduction` if it is one of the three, else raise ValueError."""
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"[{name}] reduction must be 'none', 'mean' or 'sum', not {reduction!r}")
    return reduction


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return the cross-entropy of logits (N, C, ...) and class indices or probabilities.

    >>> round(cross_entropy(autograd.zeros(1, 10), autograd.tensor([3])).item(), 4)
    2.3026
    """
    return autograd.cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)


def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return (input - target)², reduced; unequal shapes broadcast, with a warning.

    >>> mse_loss(autograd.tensor([1.0, 2.0]), autograd.tensor([1.0, 4.0])).item()
    2.0
    """
    check_reduction("mse_loss", reduction)
    if tuple(input.shape) != tuple(target.shape):
        warnings.warn(
            f"[mse_loss] shapes {tuple(input.shape)} and {tuple(target.shape)} differ: "
            "they broadcast, which is seldom meant; reshape one",
            stacklevel=2,
        )
    squares = autograd.square(input - target)
    if reduction == "none":
        return squares
    return squares.mean() if reduction == "mean" else squares.sum()
