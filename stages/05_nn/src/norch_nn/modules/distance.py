"""CosineSimilarity and PairwiseDistance as modules."""

from __future__ import annotations

from norch_autograd import Tensor
from norch_nn import functional as F
from norch_nn.core.module import Module


class CosineSimilarity(Module):
    """x1·x2 / (‖x1‖·‖x2‖) along `dim`.

    >>> CosineSimilarity()(norch.tensor([[0.0, 2.0]]), norch.tensor([[0.0, -3.0]])).tolist()
    [-1.0]
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        """Choose the dimension of the vectors, and the least length divided by."""
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """‖x1 - x2 + eps‖ₚ along the last dimension.

    >>> round(PairwiseDistance()(norch.tensor([[3.0, 4.0]]), norch.zeros(1, 2)).item(), 4)
    5.0
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        """Choose the norm, and whether the dimension stays with size 1."""
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
