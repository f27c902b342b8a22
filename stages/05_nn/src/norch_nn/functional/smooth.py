"""Activations that are smooth curves: elu, gelu, silu, softplus and their kin.

gelu and silu are one operation of stage 4 each, the others are composed. `exp` never sees a number
that could overflow, in the part of `where` that is thrown away neither: zero times infinity would
be a NaN in the gradient.
"""

from __future__ import annotations

import norch_autograd as autograd
from norch_autograd import Tensor, where
from norch_nn.functional.activation import kept, placed

# The fixed point of mean 0 and variance 1 (Klambauer et al., 2017).
SELU_ALPHA = 1.6732632423543772
SELU_SCALE = 1.0507009873554805


def expm1_below_zero(input: Tensor, sharpness: float = 1.0) -> Tensor:
    """Return exp(sharpness · input) - 1 where input is not positive, else 0."""
    return autograd.expm1(where(input > 0, 0.0, input * sharpness))


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return input where it is positive, alpha · (exp(input) - 1) elsewhere.

    >>> elu(autograd.tensor([-200.0, 2.0])).tolist()
    [-1.0, 2.0]
    """
    return placed(input, where(input > 0, input, alpha * expm1_below_zero(input)), inplace)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return elu with the alpha and the scale that keep mean 0 and variance 1.

    >>> round(selu(autograd.tensor([1.0])).item(), 4)
    1.0507
    """
    return placed(input, SELU_SCALE * elu(input, SELU_ALPHA), inplace)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return input where it is positive, alpha · (exp(input / alpha) - 1) elsewhere.

    >>> celu(autograd.tensor([-200.0, 2.0]), alpha=3.0).tolist()
    [-3.0, 2.0]
    """
    if alpha == 0:
        raise RuntimeError("[celu] alpha must not be 0: input is divided by it")
    below = alpha * expm1_below_zero(input, 1 / alpha)
    return placed(input, where(input > 0, input, below), inplace)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """Return input · Φ(input), Φ the normal distribution; "tanh" approximates it.

    The approximation is input · (1 + tanh(√(2/π) · (input + 0.044715 · input³))) / 2.

    >>> gelu(autograd.tensor([0.0, 200.0])).tolist()
    [0.0, 200.0]
    """
    return autograd.ops.gelu(input, approximate)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input · sigmoid(input), also called swish.

    >>> silu(autograd.tensor([0.0, 200.0])).tolist()
    [0.0, 200.0]
    """
    return placed(input, autograd.ops.silu(kept(input, inplace)), inplace)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """Return log(1 + exp(beta · input)) / beta; input itself where beta · input > threshold.

    >>> softplus(autograd.tensor([-200.0, 200.0])).tolist()
    [0.0, 200.0]
    """
    scaled = input * beta
    straight = scaled > threshold
    curve = autograd.log1p(autograd.exp(where(straight, 0.0, scaled))) / beta
    return where(straight, input, curve)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input · tanh(softplus(input)).

    >>> mish(autograd.tensor([0.0, 200.0])).tolist()
    [0.0, 200.0]
    """
    x = kept(input, inplace)
    return placed(input, x * autograd.tanh(softplus(x)), inplace)


def softsign(input: Tensor) -> Tensor:
    """Return input / (1 + |input|).

    >>> softsign(autograd.tensor([-1.0, 3.0])).tolist()
    [-0.5, 0.75]
    """
    return input / (1 + input.abs())


def tanhshrink(input: Tensor) -> Tensor:
    """Return input - tanh(input).

    >>> tanhshrink(autograd.tensor([0.0, 200.0])).tolist()
    [0.0, 199.0]
    """
    return input - autograd.tanh(input)
