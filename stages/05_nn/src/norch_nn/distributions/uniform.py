"""Uniform: every number of [low, high) alike."""

from __future__ import annotations

import math
from collections.abc import Iterable

from norch_autograd import Size, Tensor, rand
from norch_nn.distributions.distribution import Constraint, Distribution, broadcast


class Uniform(Distribution):
    """p(x) = 1 / (high - low) for low <= x < high, and 0 elsewhere.

    >>> Uniform(0.0, 4.0).entropy()
    tensor(1.3863)
    """

    has_rsample = True

    def __init__(
        self, low: Tensor | float, high: Tensor | float, validate_args: bool | None = None
    ) -> None:
        """Take both ends."""
        self.low, self.high = broadcast(low, high)
        super().__init__(self.low.shape, Size(), validate_args)

    def _parameters(self) -> dict[str, Constraint]:
        return {
            "low": Constraint("below high", lambda x: x < self.high),
            "high": Constraint("above low", lambda x: x > self.low),
        }

    def _support(self) -> Constraint:
        return Constraint(
            f"between {self.low} and {self.high}", lambda x: (x >= self.low) & (x <= self.high)
        )

    @property
    def mean(self) -> Tensor:
        """(low + high) / 2."""
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Tensor:
        """NaN: no number is more likely than another."""
        return math.nan * self.high

    @property
    def stddev(self) -> Tensor:
        """(high - low) / √12."""
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self) -> Tensor:
        """(high - low)² / 12."""
        return (self.high - self.low).pow(2) / 12

    def rsample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        """Return low + u · (high - low), with u from [0, 1)."""
        shape = self._shape(sample_shape)
        drawn = rand(shape, dtype=self.low.dtype, device=self.low.device)
        return self.low + drawn * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return -log(high - low) inside, -inf outside."""
        self._check_value(value)
        inside = (self.low <= value) & (self.high > value)
        return inside.type_as(self.low).log() - (self.high - self.low).log()

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of a draw below `value`."""
        self._check_value(value)
        return ((value - self.low) / (self.high - self.low)).clamp(0, 1)

    def icdf(self, value: Tensor) -> Tensor:
        """Return the number that a draw is below with the probability `value`."""
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        """Return log(high - low)."""
        return (self.high - self.low).log()
