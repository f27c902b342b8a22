"""Activations as modules: ReLU, Sigmoid, Tanh, the softmax family and GLU.

Each holds its options and calls the function of the same name; none has parameters.
"""

from __future__ import annotations

from norch_autograd import Tensor
from norch_nn import functional as F
from norch_nn.core.module import Module


class Softmax(Module):
    """exp(x) / sum(exp(x)) along `dim`.

    >>> Softmax(dim=-1)(norch.zeros(2)).tolist()
    [0.5, 0.5]
    """

    def __init__(self, dim: int | None = None) -> None:
        """Normalise along `dim`; without one, along a dimension that PyTorch once chose."""
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class LogSoftmax(Softmax):
    """x - logsumexp(x) along `dim`.

    >>> LogSoftmax(dim=0)(norch.zeros(1)).tolist()
    [0.0]
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim)


class Softmin(Softmax):
    """softmax(-x) along `dim`: the smallest gets the most.

    >>> Softmin(dim=0)(norch.tensor([0.0, 200.0])).tolist()
    [1.0, 0.0]
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim)


class Softmax2d(Module):
    """Softmax over the channels of (N, C, H, W) or (C, H, W), at each place.

    >>> Softmax2d()(norch.zeros(1, 2, 1, 1)).flatten().tolist()
    [0.5, 0.5]
    """

    def forward(self, input: Tensor) -> Tensor:
        if input.ndim not in (3, 4):
            raise ValueError(
                f"[Softmax2d] (N, C, H, W) or (C, H, W) is expected, not {tuple(input.shape)}"
            )
        return F.softmax(input, -3)
