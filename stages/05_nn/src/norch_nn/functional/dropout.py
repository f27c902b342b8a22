"""Dropout: random zeros while training; what is kept is enlarged, so that the mean stays."""

from __future__ import annotations

from norch_autograd import Tensor
from norch_autograd.graph.operands import in_own_name


def check_probability(p: float) -> None:
    """Raise ValueError unless 0 <= p <= 1."""
    if not 0 <= p <= 1:
        raise ValueError(f"[dropout] the probability p must lie between 0 and 1, not {p}")


@in_own_name
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zero each element with probability `p` and divide the rest by 1 - p; `input` itself in
    evaluation, or where `p` is 0.

    >>> dropout(norch.ones(2), p=1.0).tolist()
    [0.0, 0.0]
    """
    return apply_mask(input, tuple(input.shape), p, training, inplace)


def apply_mask(
    input: Tensor, shape: tuple[int, ...], p: float, training: bool, inplace: bool
) -> Tensor:
    """Multiply by a mask of `shape`, which broadcasts: the elements of a row of it share a fate."""
    check_probability(p)
    if not training or p == 0:
        return input
    # ex 5.4 begin
    keep = input.new_empty(shape).bernoulli_(1 - p)
    scale = keep / (1 - p) if p < 1 else keep
    # ex 5.4 end
    return input.mul_(scale) if inplace else input * scale
