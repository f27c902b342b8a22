"""Further dropout: whole channels of signals, images and volumes, and alpha dropout for SELU."""

from __future__ import annotations

import warnings

from norch_autograd import Tensor
from norch_autograd.graph.family import family
from norch_autograd.graph.operands import in_own_name
from norch_nn.functional.dropout import apply_mask, check_probability
from norch_nn.modules.dropout import Dropout

# What a dropped unit of a SELU network becomes: its lowest value (Klambauer et al., 2017).
SATURATED = -1.7580993408473766


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
    Zero whole channels of (N, C, L) or (C, L) with probability `p`; `input` itself where
    nothing is dropped.

    >>> dropout1d(norch.ones(1, 2, 3), p=1.0).sum().item()
    0.0
""")


dropout3d = _dropout(3)("""
    Zero whole channels of (N, C, D, H, W) or (C, D, H, W) with probability `p`; `input` itself
    where nothing is dropped.

    >>> dropout3d(norch.ones(1, 2, 2, 2, 2), p=1.0).sum().item()
    0.0
""")


@in_own_name
def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Zero whole channels of (N, C, H, W) with probability `p`; `input` itself where nothing is
    dropped.

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
    """Drop elements to SELU's lowest value, then scale and shift: mean and variance stay. `input`
    itself where nothing is dropped.

    >>> alpha_dropout(norch.ones(2), 0.5, training=False).tolist()
    [1.0, 1.0]
    """
    return _saturate(input, tuple(input.shape), p, training, inplace)


@in_own_name
def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Drop whole channels of (N, C, ...) as `alpha_dropout` drops elements, `input` itself if none.

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


class Dropout1d(Dropout):
    """While training, zero whole channels of (N, C, L) or (C, L) with probability `p`.

    >>> Dropout1d(1.0)(norch.ones(1, 2, 3)).sum().item()
    0.0
    """

    call = staticmethod(dropout1d)


class Dropout2d(Dropout):
    """While training, zero whole channels of (N, C, H, W) with probability `p`.

    >>> Dropout2d(1.0)(norch.ones(1, 2, 3, 3)).sum().item()
    0.0
    """

    call = staticmethod(dropout2d)


class Dropout3d(Dropout):
    """While training, zero whole channels of (N, C, D, H, W) with probability `p`.

    >>> Dropout3d(1.0)(norch.ones(1, 2, 2, 2, 2)).sum().item()
    0.0
    """

    call = staticmethod(dropout3d)


class AlphaDropout(Dropout):
    """Dropout for SELU networks: mean and variance stay (Klambauer et al., 2017).

    >>> AlphaDropout().eval()(norch.ones(2)).tolist()
    [1.0, 1.0]
    """

    call = staticmethod(alpha_dropout)


class FeatureAlphaDropout(Dropout):
    """AlphaDropout of whole channels (N, C, ...).

    >>> FeatureAlphaDropout().eval()(norch.ones(1, 1, 2)).tolist()
    [[[1.0, 1.0]]]
    """

    call = staticmethod(feature_alpha_dropout)
