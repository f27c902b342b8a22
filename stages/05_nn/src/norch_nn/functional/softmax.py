"""Activations: relu, sigmoid, tanh, the softmax family and the gate of GLU.

Stage 4 computes; here are PyTorch's arguments. The other activations are pieces of straight lines
(`piecewise`) or smooth curves (`smooth`), composed of stage 4's operations.
"""

from __future__ import annotations

import warnings
from typing import Any

import norch_autograd as autograd
from norch_autograd import Tensor


def along(name: str, input: Tensor, dim: int | None) -> int:
    """Return `dim`; without one, PyTorch's old choice, with a warning."""
    if dim is not None:
        return dim
    chosen = 0 if input.ndim in (0, 1, 3) else 1
    warnings.warn(
        f"[{name}] dim was left out: {chosen} is taken, as PyTorch did; say dim={chosen}",
        stacklevel=3,
    )
    return chosen


def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """Return exp(input) / sum(exp(input)) along `dim`, computed in `dtype` where one is given.

    >>> softmax(norch.zeros(2), dim=0).tolist()
    [0.5, 0.5]
    """
    return autograd.softmax(input, along("softmax", input, dim), dtype=dtype)


def softmin(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """Return softmax(-input) along `dim`: the smallest gets the most.

    >>> softmin(norch.tensor([0.0, 200.0]), dim=0).tolist()
    [1.0, 0.0]
    """
    return autograd.softmax(-input, along("softmin", input, dim), dtype=dtype)


def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """Return input - logsumexp(input) along `dim`, computed in `dtype` where one is given.

    >>> log_softmax(norch.zeros(1), dim=0).tolist()
    [0.0]
    """
    return autograd.log_softmax(input, along("log_softmax", input, dim), dtype=dtype)


def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """Draw from the classes of `logits`, softly: softmax((logits + Gumbel noise) / tau).

    `hard` gives one-hot rows whose gradient is the soft ones' (Jang et al., 2016); `eps` does
    nothing, as in PyTorch.

    >>> gumbel_softmax(norch.zeros(3), hard=True).sum().item()
    1.0
    """
    uniform = autograd.rand_like(logits, requires_grad=False)
    noise = -autograd.log(-autograd.log(uniform.clamp(min=1e-30)))
    soft = autograd.softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    winner = soft.argmax(dim, keepdim=True)
    sharp = autograd.zeros_like(soft, requires_grad=False).scatter_add(
        dim, winner, autograd.ones(winner.shape, dtype=soft.dtype, device=soft.device)
    )
    return sharp - soft.detach() + soft
