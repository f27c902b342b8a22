"""Dropout: random zeros while training; what is kept is enlarged, so that the mean stays."""

from __future__ import annotations

import warnings

from norch_autograd import Tensor
from norch_autograd.graph.family import family
from norch_autograd.graph.operands import in_own_name

# What a dropped unit of a SELU network becomes: its lowest value (Klambauer et al., 2017).
SATURATED = -1.7580993408473766


def check_probability(p: float) -> None:
    """Raise ValueError unless 0 <= p <= 1."""
    if not 0 <= p <= 1:
        raise ValueError(f"[dropout] the probability p must lie between 0 and 1, not {p}")


@in_own_name
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zero each element with probability `p` and divide the rest by 1 - p; not in evaluation.

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


@family("dropout{}d")
def _dropout(
    dims: int, input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    batched = input.ndim == dims + 2
    if not batched and input.ndim != dims + 1:
        raise RuntimeError(
            f"[dropout{dims}d] {dims + 1} or {dims + 2} dimensions are expected, "
            f"not shape {tuple(input.shape)}"
        )
    channels = tuple(input.shape[: 2 if batched else 1])
    return apply_mask(input, (*channels, *[1] * dims), p, training, inplace)


dropout1d = _dropout(1)("""
    Zero whole channels of (N, C, L) or (C, L) with probability `p`.

    >>> dropout1d(norch.ones(1, 2, 3), p=1.0).sum().item()
    0.0
""")
dropout3d = _dropout(3)("""
    Zero whole channels of (N, C, D, H, W) or (C, D, H, W) with probability `p`.

    >>> dropout3d(norch.ones(1, 2, 2, 2, 2), p=1.0).sum().item()
    0.0
""")


@in_own_name
def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Zero whole channels of (N, C, H, W) with probability `p`.

    As in PyTorch every other shape (N, C, ...) is taken too, with a warning: older models call it
    on rows (N, C).

    >>> dropout2d(norch.ones(1, 2, 3, 3), p=1.0).sum().item()
    0.0
    """
    if input.ndim != 4:
        if input.ndim < 2:
            raise RuntimeError(
                f"[dropout2d] channels (N, C, ...) are expected, not shape {tuple(input.shape)}"
            )
        warnings.warn(
            f"[dropout2d] an input of {input.ndim} dimensions counts as (N, C, ...): use dropout "
            "for (N, C), dropout1d for (N, C, L), or unsqueeze(0) for one image (C, H, W)",
            stacklevel=2,
        )
    shape = (*input.shape[:2], *[1] * (input.ndim - 2))
    return apply_mask(input, shape, p, training, inplace)


@in_own_name
def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Drop elements to SELU's lowest value, then scale and shift: mean and variance stay.

    >>> alpha_dropout(norch.ones(2), 0.5, training=False).tolist()
    [1.0, 1.0]
    """
    return _saturate(input, tuple(input.shape), p, training, inplace)


@in_own_name
def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Drop whole channels of (N, C, ...) as `alpha_dropout` drops elements.

    >>> feature_alpha_dropout(norch.ones(1, 2, 3), 1.0, training=True).sum().item()
    0.0
    """
    shape = (*input.shape[:2], *[1] * (input.ndim - 2))
    return _saturate(input, shape, p, training, inplace)


def _saturate(
    input: Tensor, shape: tuple[int, ...], p: float, training: bool, inplace: bool
) -> Tensor:
    """Return a·(x or SATURATED) + b, with a and b that keep mean 0 and variance 1."""
    check_probability(p)
    if not training or p == 0:
        return input
    if p == 1:
        return input.mul_(False) if inplace else input * False  # in its own dtype
    a = ((1 - p) * (1 + p * SATURATED**2)) ** -0.5
    keep = input.new_empty(shape).bernoulli_(1 - p)
    shift = (1 - keep) * (a * SATURATED) - a * SATURATED * p
    scale = keep * a
    return input.mul_(scale).add_(shift) if inplace else input * scale + shift
