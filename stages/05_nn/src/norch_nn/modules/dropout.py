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
