"""Functions of tensors without state: activations, linear, dropout and losses.

The modules of the same names call these. The numbers are computed by stage 4's operations; here
are PyTorch's arguments, the checks, and the reductions.
"""

from __future__ import annotations

import warnings

import norch_autograd as autograd
from norch_autograd import Tensor

__all__ = [
    "cross_entropy",
    "dropout",
    "linear",
    "log_softmax",
    "mse_loss",
    "relu",
    "sigmoid",
    "softmax",
    "tanh",
]


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return input Wᵀ + bias; input (..., in), weight (out, in), bias (out,).

    >>> linear(autograd.ones(1, 3), autograd.ones(2, 3)).tolist()
    [[3.0, 3.0]]
    """
    return autograd.linear(input, weight, bias)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return max(input, 0).

    >>> relu(autograd.tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    output = autograd.relu(input)
    return input.copy_(output) if inplace else output


def sigmoid(input: Tensor) -> Tensor:
    """Return 1 / (1 + exp(-input)).

    >>> sigmoid(autograd.tensor([0.0, 200.0])).tolist()
    [0.5, 1.0]
    """
    return autograd.sigmoid(input)


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


def log_softmax(input: Tensor, dim: int) -> Tensor:
    """Return input - logsumexp(input) along `dim`.

    >>> log_softmax(autograd.zeros(1), dim=0).tolist()
    [0.0]
    """
    return autograd.log_softmax(input, dim)


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


# ---- losses --------------------------------------------------------------------------------------


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
