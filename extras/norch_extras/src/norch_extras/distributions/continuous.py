"""Normal and Uniform: distributions of real numbers, whose draws send gradients back."""

from __future__ import annotations

import math
from collections.abc import Iterable

from norch_autograd import Size, Tensor, no_grad, normal, rand
from norch_extras.distributions.distribution import (
    POSITIVE,
    REAL,
    Constraint,
    Distribution,
    broadcast,
)


class Normal(Distribution):
    """p(x) = exp(-(x - loc)² / (2 scale²)) / (scale √(2π)).

    >>> n = Normal(norch.tensor([0.0, 1.0]), 2.0)
    >>> n.log_prob(norch.tensor(1.0))
    tensor([-1.7371, -1.6121])
    >>> n.sample((3,)).shape
    norch.Size([3, 2])
    """

    has_rsample = True

    def __init__(
        self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.loc, self.scale = broadcast(loc, scale)
        super().__init__(self.loc.shape, Size(), validate_args)

    def _parameter_constraints(self) -> dict[str, Constraint]:
        return {"loc": REAL, "scale": POSITIVE}

    @property
    def mean(self) -> Tensor:
        """The mean of the distribution: `loc`."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        """Where the density is highest: `loc`."""
        return self.loc

    @property
    def stddev(self) -> Tensor:
        """The standard deviation: `scale`."""
        return self.scale

    @property
    def variance(self) -> Tensor:
        """scale²."""
        return self.scale.pow(2)

    def sample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        """Draw from the normal distribution without a gradient."""
        shape = self._shape(sample_shape)
        with no_grad():
            return normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        """Return loc + scale · e, with e from Normal(0, 1): the reparameterization of VAEs."""
        shape, loc = self._shape(sample_shape), self.loc
        drawn = normal(loc.new_zeros(shape), loc.new_ones(shape))
        return loc + drawn * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        """Return -(x - loc)² / (2 scale²) - log(scale) - log √(2π)."""
        self._check_value(value)
        squared = (value - self.loc) ** 2 / (2 * self.variance)
        return -squared - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of a draw below `value`."""
        self._check_value(value)
        return 0.5 * (1 + ((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)).erf())

    def icdf(self, value: Tensor) -> Tensor:
        """Return the number that a draw is below with the probability `value`."""
        return self.loc + self.scale * (2 * value - 1).erfinv() * math.sqrt(2)

    def entropy(self) -> Tensor:
        """Return 1/2 + log √(2π) + log(scale)."""
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()


class Uniform(Distribution):
    """p(x) = 1 / (high - low) for low <= x < high, and 0 elsewhere.

    >>> Uniform(0.0, 4.0).entropy()
    tensor(1.3863)
    """

    has_rsample = True

    def __init__(
        self, low: Tensor | float, high: Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.low, self.high = broadcast(low, high)
        super().__init__(self.low.shape, Size(), validate_args)

    def _parameter_constraints(self) -> dict[str, Constraint]:
        return {
            "low": Constraint("below high", lambda x: x < self.high),
            "high": Constraint("above low", lambda x: x > self.low),
        }

    def _support_constraint(self) -> Constraint:
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
