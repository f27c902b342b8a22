"""Whole numbers: common divisors and multiples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from norch_autograd.graph import array_of
from norch_autograd.mode import no_grad
from norch_autograd.ops.choice import where
from norch_autograd.ops.promotion import common_dtype

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor


def gcd(input: Tensor, other: Tensor) -> Tensor:
    """The greatest common divisor, by Euclid's rule; gcd(0, 0) is 0.

    >>> import norch_autograd as norch
    >>> norch.gcd(norch.tensor([12, 7]), norch.tensor([18, 0]))
    tensor([6, 7])
    """
    a, b = _whole("gcd", input, other)
    with no_grad():
        a, b = a + b * 0, b + a * 0  # both in the broadcast shape
        while bool((b != 0).any()):
            rest = a.fmod(where(b == 0, 1, b))
            a, b = where(b == 0, a, b), where(b == 0, 0, rest)
        return a.abs()


def lcm(input: Tensor, other: Tensor) -> Tensor:
    """The least common multiple; 0 where one of the two is.

    >>> import norch_autograd as norch
    >>> norch.lcm(norch.tensor([4, 0]), norch.tensor([6, 3]))
    tensor([12,  0])
    """
    a, b = _whole("lcm", input, other)
    divisor = gcd(a, b)
    multiple: Tensor = (a.floor_divide(where(divisor == 0, 1, divisor)) * b).abs()
    return multiple


def _whole(op: str, input: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
    """Both as whole numbers of one dtype."""
    array_of(input, op), array_of(other, op)
    dtype = common_dtype(input, other)
    if dtype.is_floating_point or dtype.name == "bool":
        raise NotImplementedError(f"[{op}] expected whole numbers, got {dtype}")
    return input.to(dtype), other.to(dtype)
