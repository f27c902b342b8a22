"""Dropout: random zeros while training, nothing in evaluation."""

from __future__ import annotations

from collections.abc import Callable

from norch_autograd import Tensor
from norch_autograd.graph.operands import in_own_name
from norch_nn import functional as F
from norch_nn.core.module import Module
from norch_nn.functional.dropout import check_probability


class Dropout(Module):
    """While training, zero each element with probability `p` and divide the rest by 1 - p.

    >>> Dropout(0.5).eval()(norch.ones(3)).tolist()
    [1.0, 1.0, 1.0]
    """

    call: Callable[..., Tensor] = staticmethod(F.dropout)

    @in_own_name
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        """Choose the probability of a zero."""
        super().__init__()
        check_probability(p)
        self.p = p
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return self.call(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout1d(Dropout):
    """While training, zero whole channels of (N, C, L) or (C, L) with probability `p`.

    >>> Dropout1d(1.0)(norch.ones(1, 2, 3)).sum().item()
    0.0
    """

    call = staticmethod(F.dropout1d)


class Dropout2d(Dropout):
    """While training, zero whole channels of (N, C, H, W) with probability `p`.

    >>> Dropout2d(1.0)(norch.ones(1, 2, 3, 3)).sum().item()
    0.0
    """

    call = staticmethod(F.dropout2d)


class Dropout3d(Dropout):
    """While training, zero whole channels of (N, C, D, H, W) with probability `p`.

    >>> Dropout3d(1.0)(norch.ones(1, 2, 2, 2, 2)).sum().item()
    0.0
    """

    call = staticmethod(F.dropout3d)


class AlphaDropout(Dropout):
    """Dropout for SELU networks: mean and variance stay (Klambauer et al., 2017).

    >>> AlphaDropout().eval()(norch.ones(2)).tolist()
    [1.0, 1.0]
    """

    call = staticmethod(F.alpha_dropout)


class FeatureAlphaDropout(Dropout):
    """AlphaDropout of whole channels (N, C, ...).

    >>> FeatureAlphaDropout().eval()(norch.ones(1, 1, 2)).tolist()
    [[[1.0, 1.0]]]
    """

    call = staticmethod(F.feature_alpha_dropout)
