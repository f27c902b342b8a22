"""LocalResponseNorm: each activation divided by a power of those in neighbouring channels."""

from __future__ import annotations

import norch_autograd as autograd
from norch_autograd import Tensor
from norch_autograd.graph.operands import in_own_name
from norch_nn.core.module import Module
from norch_nn.functional.padding import pad


@in_own_name
def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """Return x / (k + alpha · mean of x² over `size` neighbouring channels)^beta, of (N, C, ...).

    >>> local_response_norm(norch.ones(1, 1, 1), 1, alpha=1.0, beta=1.0).item()
    0.5
    """
    if input.ndim < 3:
        raise ValueError(
            f"[local_response_norm] 3 or more dimensions are expected, not {tuple(input.shape)}"
        )
    if input.numel() == 0:
        return input
    # The channels become the line that a window slides along; the rest stands beside it.
    squares = (input * input).movedim(1, -1)
    line = pad(squares.reshape(-1, 1, input.shape[1]), (size // 2, (size - 1) // 2))
    means = autograd.avg_pool1d(line, size, 1).reshape(tuple(squares.shape)).movedim(-1, 1)
    return input / (means * alpha + k).pow(beta)


class LocalResponseNorm(Module):
    """x / (k + alpha · mean of x² over `size` neighbouring channels)^beta (AlexNet's).

    >>> LocalResponseNorm(1, alpha=1.0, beta=1.0)(norch.ones(1, 1, 1)).item()
    0.5
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        """Choose how many channels take part, and the numbers of the formula."""
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        return local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
