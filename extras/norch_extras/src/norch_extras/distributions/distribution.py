"""Distribution: what the distributions have in common, shapes and the checks of arguments.

A distribution is a batch of `batch_shape` of equal kinds; a sample has the shape sample_shape +
batch_shape. Called by the classes beside this file; nothing here draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from norch_autograd import Size, Tensor, broadcast_tensors, get_default_dtype, no_grad, tensor


class Constraint(NamedTuple):
    """What values must be, in words, and the function that says of each whether it is."""

    words: str
    holds: Callable[[Tensor], Tensor]


REAL = Constraint("real numbers", lambda x: x == x)  # all but NaN
POSITIVE = Constraint("above 0", lambda x: x > 0)
PROBABILITY = Constraint("in [0, 1]", lambda x: (x >= 0) & (x <= 1))
BOOLEAN = Constraint("0 or 1", lambda x: (x == 0) | (x == 1))
ROW_OF_PROBABILITIES = Constraint(  # of rows that were divided by their sum
    "rows of probabilities: finite numbers, 0 or more, not all of them 0",
    lambda p: (p >= 0).all(-1) & ((p.sum(-1) - 1).abs() < 1e-6),
)


class Distribution:
    """Base of distributions: a sub-class writes `log_prob`, `entropy` and `sample` or `rsample`.

    With `validate_args` the parameters are checked when it is made, and values by `log_prob`;
    None means yes, unless Python runs with -O.
    """

    has_rsample = False
    _validate_args = __debug__

    def __init__(
        self,
        batch_shape: Size = Size(),  # noqa: B008 - a tuple
        event_shape: Size = Size(),  # noqa: B008
        validate_args: bool | None = None,
    ) -> None:
        """Remember the shapes, and check the parameters."""
        self._batch_shape = batch_shape
        self._event_shape = event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            for name, constraint in self._parameter_constraints().items():
                self._require(name, getattr(self, name), constraint)

    def _parameter_constraints(self) -> dict[str, Constraint]:
        """What each parameter of a distribution that was given must be."""
        return {}

    def _support_constraint(self) -> Constraint:
        """What a value must be to have a probability in a distribution."""
        return REAL

    @property
    def batch_shape(self) -> Size:
        """The shape of the parameters."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of a single draw: `()`, a number."""
        return self._event_shape

    @property
    def mean(self) -> Tensor:
        """The mean of each distribution of the batch."""
        raise NotImplementedError(f"[{type(self).__name__}] has no mean")

    @property
    def variance(self) -> Tensor:
        """The variance of each distribution of the batch."""
        raise NotImplementedError(f"[{type(self).__name__}] has no variance")

    @property
    def stddev(self) -> Tensor:
        """The standard deviation: the root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        """Draw without a gradient: the result has the shape sample_shape + batch_shape."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Iterable[int] = ()) -> Tensor:
        """Draw so that a gradient reaches the parameters, where `has_rsample`."""
        raise NotImplementedError(
            f"[{type(self).__name__}] rsample: a draw has no gradient; use sample() and log_prob()"
        )

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability, or of its density, at `value`."""
        raise NotImplementedError(f"[{type(self).__name__}] has no log_prob")

    def entropy(self) -> Tensor:
        """Return the mean of -log p, of each distribution of the batch."""
        raise NotImplementedError(f"[{type(self).__name__}] has no entropy")

    def perplexity(self) -> Tensor:
        """Return e to the power of the entropy."""
        return self.entropy().exp()

    def _shape(self, sample_shape: Iterable[int]) -> Size:
        """The shape of a draw of `sample_shape` from the whole batch."""
        return Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def _check_value(self, value: Any) -> None:
        """Refuse a value that is no tensor, does not broadcast or has no probability."""
        if not self._validate_args:
            return
        name = type(self).__name__
        if not isinstance(value, Tensor):
            raise ValueError(f"[{name}] value must be a Tensor, not {type(value).__name__}")
        for i, j in zip(reversed(value.shape), reversed(self._shape(())), strict=False):
            if 1 != i != j != 1:
                raise ValueError(
                    f"[{name}] a value of shape {tuple(value.shape)} does not broadcast with the "
                    f"distribution's {tuple(self._shape(()))}"
                )
        self._require("value", value, self._support_constraint())

    def _require(self, name: str, value: Tensor, constraint: Constraint) -> None:
        """Refuse a parameter or value whose numbers are not what the constraint says."""
        if not bool(constraint.holds(value).all()):
            raise ValueError(
                f"[{type(self).__name__}] {name} must be {constraint.words}, got {value}"
            )

    def __repr__(self) -> str:
        shown = []
        for name in self._parameter_constraints():
            value = getattr(self, name)
            shown.append(f"{name}: {value if value.numel() == 1 else value.shape}")
        return f"{type(self).__name__}({', '.join(shown)})"


def broadcast(*values: Any) -> tuple[Tensor, ...]:
    """Make parameters of one shape; a number takes the dtype and device of the first tensor."""
    like = next((value for value in values if isinstance(value, Tensor)), None)
    dtype, device = (get_default_dtype(), None) if like is None else (like.dtype, like.device)
    return tuple(
        broadcast_tensors(
            *(
                value if isinstance(value, Tensor) else tensor(value, dtype=dtype, device=device)
                for value in values
            )
        )
    )
