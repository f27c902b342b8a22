"""Categorical: one of K classes, by the numbers 0 to K - 1."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property

from norch_autograd import (
    Size,
    Tensor,
    broadcast_tensors,
    enable_grad,
    finfo,
    full_like,
    multinomial,
)
from norch_nn.distributions.bernoulli import away_from_0_and_1, one_of
from norch_nn.distributions.distribution import (
    REAL,
    ROW_OF_PROBABILITIES,
    Constraint,
    Distribution,
)


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
        self._given = one_of("Categorical", probs, logits)
        value = logits if probs is None else probs
        if value.dim() < 1:
            raise ValueError(f"[Categorical] {self._given} must have a dimension, the classes")
        if probs is None:
            self.logits = logits - logits.logsumexp(-1, keepdim=True)
        else:
            self.probs = probs / probs.sum(-1, keepdim=True)
        self._classes = value.shape[-1]
        super().__init__(value.shape[:-1], Size(), validate_args)

    def _parameters(self) -> dict[str, Constraint]:
        return {self._given: ROW_OF_PROBABILITIES if self._given == "probs" else REAL}

    def _support(self) -> Constraint:
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
            return away_from_0_and_1(self.probs).log()

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
        return drawn.T.reshape(self._shape(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return log(p) of the classes in `value`."""
        self._check_value(value)
        chosen, logits = broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, chosen[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        """Return -Σ p log(p)."""
        logits = self.logits.clamp(min=finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)
