"""Distances and angles as modules, and the losses made of them.

Each holds its options and calls the function of the same name.
"""

from __future__ import annotations

from norch_autograd import Tensor
from norch_nn import functional as F
from norch_nn.functional.old_words import with_old_words
from norch_nn.loss import Loss
from norch_nn.module import Module


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
        """Compare vectors pair by pair."""
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
        """Compare vectors pair by pair."""
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineEmbeddingLoss(Loss):
    """1 - cos for pairs that belong together (target 1), max(0, cos - margin) for others (-1).

    >>> x, y = norch.tensor([[1.0, 0.0]]), norch.tensor([[0.0, 1.0]])
    >>> round(CosineEmbeddingLoss()(x, y, norch.tensor([1])).item(), 4)
    1.0
    """

    @with_old_words
    def __init__(self, margin: float = 0.0, *, reduction: str = "mean") -> None:
        """Choose how alike others may be at no cost, and the reduction."""
        super().__init__(reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Compare vectors (N, D) pair by pair; `target` (N,) holds 1 and -1."""
        return F.cosine_embedding_loss(input1, input2, target, self.margin, self.reduction)


class TripletMarginLoss(Loss):
    """max(0, margin + d(anchor, positive) - d(anchor, negative)) (Balntas et al., 2016).

    >>> TripletMarginLoss()(norch.zeros(1, 2), norch.zeros(1, 2), norch.zeros(1, 2)).item()
    1.0
    """

    @with_old_words
    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        *,
        reduction: str = "mean",
    ) -> None:
        """Choose the margin, the norm, and whether positive and negative are compared too."""
        super().__init__(reduction)
        if margin <= 0:
            raise ValueError(f"[TripletMarginLoss] margin must be above 0, not {margin}")
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Compare vectors (N, D) triple by triple."""
        return F.triplet_margin_loss(
            anchor,
            positive,
            negative,
            self.margin,
            self.p,
            self.eps,
            self.swap,
            self.reduction,
        )
