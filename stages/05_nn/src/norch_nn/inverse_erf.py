"""erfinv: the inverse of the error function, for numbers drawn from a part of the normal curve.

Called by `init.trunc_normal_`. Composed of tensor operations; right to seven digits.
"""

from __future__ import annotations

import norch_autograd as autograd
from norch_autograd import Tensor

__all__ = ["erfinv"]

# M. Giles, Approximating the erfinv function (GPU Computing Gems, 2010): two polynomials.
MIDDLE = (
    2.81022636e-08,
    3.43273939e-07,
    -3.5233877e-06,
    -4.39150654e-06,
    0.00021858087,
    -0.00125372503,
    -0.00417768164,
    0.246640727,
    1.50140941,
)
TAILS = (
    -0.000200214257,
    0.000100950558,
    0.00134934322,
    -0.00367342844,
    0.00573950773,
    -0.0076224613,
    0.00943887047,
    1.00167406,
    2.83297682,
)


def polynomial(x: Tensor, coefficients: tuple[float, ...]) -> Tensor:
    """Return c₀xⁿ + c₁xⁿ⁻¹ + ... + cₙ, by Horner's rule."""
    result = autograd.zeros_like(x)
    for coefficient in coefficients:
        result = result * x + coefficient
    return result


def erfinv(input: Tensor) -> Tensor:
    """Return y with erf(y) = input, for input between -1 and 1; about 4 at the ends.

    >>> round(erfinv(autograd.tensor(0.5)).item(), 6)
    0.476936
    """
    # 17: the polynomials are made for what float32 can tell from 1.
    w = (-autograd.log((1 - input) * (1 + input))).clamp(max=17.0)
    middle = polynomial(w - 2.5, MIDDLE)
    tails = polynomial(autograd.sqrt(w) - 3, TAILS)
    return input * autograd.where(w < 5, middle, tails)
