"""Losses with a margin as modules: the right score must lead by `margin`; more costs nothing."""

from __future__ import annotations

from collections.abc import Callable

from norch_autograd import Tensor
from norch_autograd.graph.operands import in_own_name
from norch_nn import functional as F
from norch_nn.functional.loss import with_legacy_reduction
from norch_nn.modules.distance import PairwiseDistance
from norch_nn.modules.loss import Loss, WeightedLoss


class MarginRankingLoss(Loss):
    """max(0, -target · (input1 - input2) + margin).

    >>> MarginRankingLoss()(norch.tensor([1.0]), norch.tensor([3.0]), norch.tensor([1])).item()
    2.0
    """

    @with_legacy_reduction
    def __init__(self, margin: float = 0.0, *, reduction: str = "mean") -> None:
        """Choose by how much the higher must win, and the reduction."""
        super().__init__(reduction=reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Compare two scores; `target` is 1 where the first should be higher, else -1."""
        return F.margin_ranking_loss(input1, input2, target, self.margin, reduction=self.reduction)


class HingeEmbeddingLoss(Loss):
    """input where target is 1, max(0, margin - input) where it is -1.

    >>> HingeEmbeddingLoss()(norch.tensor([0.25]), norch.tensor([-1])).item()
    0.75
    """

    @with_legacy_reduction
    def __init__(self, margin: float = 1.0, *, reduction: str = "mean") -> None:
        """Choose the margin for targets of -1, and the reduction."""
        super().__init__(reduction=reduction)
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Judge distances; `target` holds 1 and -1."""
        return F.hinge_embedding_loss(input, target, self.margin, reduction=self.reduction)


class SoftMarginLoss(Loss):
    """log(1 + exp(-target · input)).

    >>> round(SoftMarginLoss()(norch.zeros(1), norch.ones(1)).item(), 4)
    0.6931
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compare scores with targets 1 and -1."""
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class MultiMarginLoss(WeightedLoss):
    """Σᵢ max(0, margin - input[y] + input[i])ᵖ / C over the wrong classes i.

    >>> MultiMarginLoss()(norch.ones(1, 2), norch.tensor([0])).item()
    0.5
    """

    @with_legacy_reduction
    @in_own_name
    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        *,
        reduction: str = "mean",
    ) -> None:
        """Choose the power, the margin, the weights of the classes and the reduction."""
        super().__init__(weight, reduction=reduction)
        if p not in (1, 2):
            raise ValueError(f"[MultiMarginLoss] p must be 1 or 2, not {p}")
        self.p = p
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compare scores (N, C) with class indices (N,)."""
        return F.multi_margin_loss(
            input, target, self.p, self.margin, self.weight, reduction=self.reduction
        )


class MultiLabelMarginLoss(Loss):
    """Σ max(0, 1 - input[y] + input[i]) / C over right classes y and wrong classes i.

    >>> MultiLabelMarginLoss()(norch.tensor([[1.0, 0.5]]), norch.tensor([[0, -1]])).item()
    0.25
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compare scores (N, C) with lists of classes (N, C), closed by -1."""
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(WeightedLoss):
    """The mean over classes of binary cross-entropy with logits.

    >>> round(MultiLabelSoftMarginLoss()(norch.zeros(1, 3), norch.zeros(1, 3)).item(), 4)
    0.6931
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compare scores (N, C) with zeros and ones (N, C)."""
        return F.multilabel_soft_margin_loss(input, target, self.weight, reduction=self.reduction)


class TripletMarginWithDistanceLoss(Loss):
    """max(0, margin + d(anchor, positive) - d(anchor, negative)) for a distance of yours.

    >>> loss = TripletMarginWithDistanceLoss(distance_function=lambda a, b: (a - b).abs().sum(1))
    >>> loss(norch.zeros(1, 2), norch.zeros(1, 2), norch.zeros(1, 2)).item()
    1.0
    """

    @in_own_name
    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        """Choose the distance (pairwise_distance), the margin and the reduction."""
        super().__init__(reduction=reduction)
        if not margin > 0:
            raise ValueError(
                f"[TripletMarginWithDistanceLoss] margin must be above 0, not {margin}"
            )
        self.distance_function = (
            PairwiseDistance() if distance_function is None else distance_function
        )
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Compare vectors (N, D) triple by triple."""
        return F.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )


class CosineEmbeddingLoss(Loss):
    """1 - cos for pairs that belong together (target 1), max(0, cos - margin) for others (-1).

    >>> x, y = norch.tensor([[1.0, 0.0]]), norch.tensor([[0.0, 1.0]])
    >>> round(CosineEmbeddingLoss()(x, y, norch.tensor([1])).item(), 4)
    1.0
    """

    @with_legacy_reduction
    def __init__(self, margin: float = 0.0, *, reduction: str = "mean") -> None:
        """Choose how alike others may be at no cost, and the reduction."""
        super().__init__(reduction=reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Compare vectors (N, D) pair by pair; `target` (N,) holds 1 and -1."""
        return F.cosine_embedding_loss(
            input1, input2, target, self.margin, reduction=self.reduction
        )


class TripletMarginLoss(Loss):
    """max(0, margin + d(anchor, positive) - d(anchor, negative)) (Balntas et al., 2016).

    >>> TripletMarginLoss()(norch.zeros(1, 2), norch.zeros(1, 2), norch.zeros(1, 2)).item()
    1.0
    """

    @with_legacy_reduction
    @in_own_name
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
        super().__init__(reduction=reduction)
        if not margin > 0:
            raise ValueError(f"[TripletMarginLoss] margin must be above 0, not {margin}")
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Compare vectors (N, D) triple by triple."""
        options = (self.margin, self.p, self.eps, self.swap)
        return F.triplet_margin_loss(anchor, positive, negative, *options, reduction=self.reduction)
