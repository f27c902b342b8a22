"""Bernoulli and Categorical: one of two values, one of K classes; by probabilities or logits."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property
from typing import TypeVar

from norch_autograd import (
    Size,
    Tensor,
    bernoulli,
    broadcast_tensors,
    enable_grad,
    finfo,
    full_like,
    multinomial,
    no_grad,
    where,
)
from norch_extras.distributions.distribution import (
    BOOLEAN,
    PROBABILITY,
    REAL,
    ROW_OF_PROBABILITIES,
    Constraint,
    Distribution,
    broadcast,
)
from norch_nn.functional import binary_cross_entropy_with_logits

T = TypeVar("T")


class Bernoulli(Distribution):
    """p(1) = probs = sigmoid(logits); give one of the two, the other is computed when asked for.

    >>> Bernoulli(0.25).log_prob(norch.tensor([0.0, 1.0]))
    tensor([-0.2877, -1.3863])
    """

    def __init__(
        self,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        """Take the probabilities of 1, or their log odds."""
        self._given, value = _one_of("Bernoulli", probs, logits)
        if probs is None:
            (self.logits,) = given = broadcast(value)
        else:
            (self.probs,) = given = broadcast(value)
        super().__init__(given[0].shape, Size(), validate_args)

    def _parameter_constraints(self) -> dict[str, Constraint]:
        return {self._given: PROBABILITY if self._given == "probs" else REAL}

    def _support_constraint(self) -> Constraint:
        return BOOLEAN

    @cached_property
    def probs(self) -> Tensor:
        """The probabilities of 1."""
        with enable_grad():  # kept, and perhaps asked for in a `no_grad` block first
            return self.logits.sigmoid()

    @cached_property
    def logits(self) -> Tensor:
        """log(p / (1 - p))."""
        with enable_grad():
            p = _away_from_0_and_1(self.probs)
            return p.log() - (-p).log1p()

    @property
    def mean(self) -> Tensor:
        """The mean of the distribution: `probs`."""
        return self.probs

    @property
    def mode(self) -> Tensor:
        """The likelier of 0 and 1; NaN where they are equally likely."""
        return where(self.probs == 0.5, math.nan, (self.probs > 0.5).to(self.probs.dtype))

    @property
    def variance(self) -> Tensor:
        """p (1 - p)."""
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        """Draw zeros and ones."""
        with no_grad():
            return bernoulli(self.probs.expand(self._shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return log(p) for 1, log(1 - p) for 0."""
        self._check_value(value)
        logits, value = broadcast(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        """Return -p log(p) - (1 - p) log(1 - p)."""
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")


class Categorical(Distribution):
    """p(i) = probs[..., i] / Σ probs = softmax(logits)[..., i].

    probs or logits: (..., K) -> a batch of the leading dimensions.

    >>> c = Categorical(logits=norch.tensor([0.0, 0.0, 0.0, 0.0]))
    >>> c.log_prob(norch.tensor(2)), c.sample().shape
    (tensor(-1.3863), norch.Size([]))
    """

    def __init__(
        self,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        """Take the probabilities, of any sum, or their logarithms, of any shift."""
        self._given, value = _one_of("Categorical", probs, logits)
        if value.dim() < 1:
            raise ValueError(f"[Categorical] {self._given} must have a dimension, the classes")
        if probs is None:
            self.logits = value - value.logsumexp(-1, keepdim=True)
        else:
            self.probs = value / value.sum(-1, keepdim=True)
        self._classes = value.shape[-1]
        super().__init__(value.shape[:-1], Size(), validate_args)

    def _parameter_constraints(self) -> dict[str, Constraint]:
        return {self._given: ROW_OF_PROBABILITIES if self._given == "probs" else REAL}

    def _support_constraint(self) -> Constraint:
        last = self._classes - 1
        return Constraint(
            f"whole numbers from 0 to {last}", lambda x: (x % 1 == 0) & (x >= 0) & (x <= last)
        )

    @cached_property
    def probs(self) -> Tensor:
        """The probabilities, with the sum 1."""
        with enable_grad():  # kept, and perhaps asked for in a `no_grad` block first
            return self.logits.softmax(-1)

    @cached_property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        with enable_grad():
            return _away_from_0_and_1(self.probs).log()

    @property
    def mean(self) -> Tensor:
        """NaN: classes have no mean."""
        return full_like(self.probs[..., 0], math.nan).detach()

    @property
    def mode(self) -> Tensor:
        """The likeliest class."""
        return self.probs.argmax(-1)

    @property
    def variance(self) -> Tensor:
        """NaN: classes have no variance."""
        return self.mean

    def sample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        """Draw classes, int64."""
        sample_shape = Size(sample_shape)
        rows = self.probs.detach().reshape(-1, self._classes)
        drawn = multinomial(rows, sample_shape.numel(), True)  # (batch, draws)
        return drawn.t().reshape(self._shape(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return log(p) of the classes in `value`."""
        self._check_value(value)
        chosen, logits = broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, chosen[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        """Return -Σ p log(p)."""
        logits = self.logits.clamp(min=finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)


def _one_of(name: str, probs: T | None, logits: T | None) -> tuple[str, T]:
    """Return which was given, probabilities or logits, and it; ValueError unless it is one."""
    if probs is None and logits is not None:
        return "logits", logits
    if logits is None and probs is not None:
        return "probs", probs
    raise ValueError(f"[{name}] give either probs or logits")


def _away_from_0_and_1(probs: Tensor) -> Tensor:
    """Keep the logarithms of a probability p and of 1 - p finite."""
    smallest = finfo(probs.dtype).eps
    return probs.clamp(smallest, 1 - smallest)
