"""Losses with a margin: the right score must lead the wrong one by `margin`; a larger lead costs
nothing. Also the losses that compare distances and angles in this way.
"""

from __future__ import annotations

from collections.abc import Callable

import norch_autograd as autograd
from norch_autograd import Tensor
from norch_autograd.graph.operands import in_own_name
from norch_extras.nn.distance import PairwiseDistance, pairwise_distance
from norch_nn.functional.activation import logsigmoid
from norch_nn.functional.loss import (
    check_reduction,
    check_within,
    loss,
    reduce_losses,
    with_legacy_reduction,
)
from norch_nn.modules.loss import Loss, WeightedLoss


@loss
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """Return max(0, -target · (input1 - input2) + margin): target 1 ranks input1 higher, -1 lower.

    >>> margin_ranking_loss(norch.tensor([1.0]), norch.tensor([3.0]), norch.tensor([1])).item()
    2.0
    """
    check_reduction("margin_ranking_loss", reduction)
    if not input1.ndim == input2.ndim == target.ndim:
        shapes = ", ".join(str(tuple(x.shape)) for x in (input1, input2, target))
        raise RuntimeError(
            f"[margin_ranking_loss] input1, input2 and target need as many dimensions: {shapes}"
        )
    return reduce_losses((-target * (input1 - input2) + margin).clamp(min=0), reduction)


@loss
def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, reduction: str = "mean"
) -> Tensor:
    """Return input where `target` is 1, max(0, margin - input) where it is -1: for distances.

    >>> input, target = norch.tensor([0.5, 0.25]), norch.tensor([1, -1])
    >>> hinge_embedding_loss(input, target, reduction="none").tolist()
    [0.5, 0.75]
    """
    check_reduction("hinge_embedding_loss", reduction)
    near = autograd.where(target == -1, 0.0, input)
    far = autograd.where(target == 1, 0.0, (margin - input).clamp(min=0))
    return reduce_losses(near + far, reduction)


@loss
def soft_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return log(1 + exp(-target · input)) for targets 1 and -1.

    >>> round(soft_margin_loss(norch.tensor([0.0]), norch.tensor([1.0])).item(), 4)
    0.6931
    """
    check_reduction("soft_margin_loss", reduction)
    check_within("soft_margin_loss", input, target)
    return reduce_losses(-logsigmoid(target * input), reduction)


@loss
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return Σᵢ max(0, margin - input[y] + input[i])ᵖ / C over the wrong classes i (N, C), y (N,).

    >>> multi_margin_loss(norch.tensor([[1.0, 1.0]]), norch.tensor([0])).item()
    0.5
    """
    check_reduction("multi_margin_loss", reduction)
    if p not in (1, 2):
        raise ValueError(f"[multi_margin_loss] p must be 1 or 2, not {p}")
    if weight is not None and weight.ndim != 1:
        raise ValueError(f"[multi_margin_loss] weight (C,) is expected, not {tuple(weight.shape)}")
    _check_rows("multi_margin_loss", input)
    rows, index = (input, target) if input.ndim > 1 else (input.reshape(1, -1), target.reshape(1))
    if tuple(index.shape) != (rows.shape[0],):
        raise RuntimeError(
            f"[multi_margin_loss] input {tuple(input.shape)} and target {tuple(target.shape)} do "
            "not fit: (N, C) and (N,) are expected"
        )
    if weight is not None and weight.shape != rows.shape[1:]:
        raise RuntimeError(
            f"[multi_margin_loss] weight has {len(weight)} numbers for {rows.shape[1]} classes: "
            "one a class is expected"
        )
    right = rows.gather(1, index[:, None])
    costs = autograd.relu(margin - right + rows) ** p  # no slope at 0
    if weight is not None:
        costs = costs * weight.index_select(0, index)[:, None]
    wrong = autograd.arange(rows.shape[1], device=rows.device) != index[:, None]
    losses = autograd.where(wrong, costs, 0.0).sum(1) / rows.shape[1]
    return reduce_losses(losses if input.ndim > 1 else losses[0], reduction)


@loss
def multilabel_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return Σ max(0, 1 - input[y] + input[i]) / C over right classes y and wrong classes i.

    `target` (N, C) lists the right classes of each row, closed by the first -1.

    >>> multilabel_margin_loss(norch.tensor([[1.0, 0.5]]), norch.tensor([[0, -1]])).item()
    0.25
    """
    check_reduction("multilabel_margin_loss", reduction)
    if tuple(input.shape) != tuple(target.shape):
        raise RuntimeError(
            f"[multilabel_margin_loss] input {tuple(input.shape)} and target "
            f"{tuple(target.shape)} must have one shape"
        )
    _check_rows("multilabel_margin_loss", input)
    rows, labels = input, target
    if input.ndim < 2:
        rows, labels = input.reshape(1, -1), target.reshape(1, -1)
    if bool(((labels < -1) | (labels >= rows.shape[1])).any()):
        raise RuntimeError(
            f"[multilabel_margin_loss] target: classes from 0 to {rows.shape[1] - 1} are expected, "
            "and -1 after the last"
        )
    listed = (labels < 0).long().cumsum(1) == 0  # before the first -1
    index = autograd.where(listed, labels, 0)
    right = autograd.zeros(rows.shape, dtype=labels.dtype, device=rows.device)
    right = right.scatter_add(1, index, listed.long()) > 0
    gaps = 1 - rows.gather(1, index)[:, :, None] + rows[:, None, :]  # (N, right, wrong)
    counted = listed[:, :, None] & ~right[:, None, :]
    losses = autograd.where(counted, autograd.relu(gaps), 0.0).sum((1, 2)) / rows.shape[1]
    return reduce_losses(losses if input.ndim > 1 else losses[0], reduction)


@with_legacy_reduction
def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """Return the mean over the classes (last dimension) of -y·log s(x) - (1 - y)·log s(-x), s the
    sigmoid.

    >>> round(multilabel_soft_margin_loss(norch.zeros(1, 3), norch.zeros(1, 3)).item(), 4)
    0.6931
    """
    check_reduction("multilabel_soft_margin_loss", reduction)
    losses = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        losses = losses * weight
    # PyTorch divides by the input's classes, also where the target's have stretched it.
    classes, last = input.shape[-1], input.ndim - 1
    return reduce_losses(losses.sum(last) / classes, reduction)


def _check_rows(name: str, input: Tensor) -> None:
    """Refuse what is neither (N, C) nor (C,) nor one score, and rows without a class."""
    if input.ndim > 2 or 0 in input.shape[-1:]:
        raise RuntimeError(f"[{name}] expected (N, C) with C above 0, got {tuple(input.shape)}")


@in_own_name
def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Return max(0, margin + d(anchor, positive) - d(anchor, negative)) for a distance of yours.

    >>> x = norch.zeros(1, 2)
    >>> triplet_margin_with_distance_loss(x, x, x).item()
    1.0
    """
    name = "triplet_margin_with_distance_loss"
    _check_triplets(name, anchor, positive, negative, margin, reduction)
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = autograd.minimum(far, distance(positive, negative))
    return reduce_losses((margin + near - far).clamp(min=0), reduction)


@loss
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """Return 1 - cos where `target` is 1, max(0, cos - margin) where it is -1.

    Vectors (N, D) with targets (N,), or (D,) with one target ().

    >>> x, y = norch.tensor([[1.0, 0.0]]), norch.tensor([[0.0, 1.0]])
    >>> round(cosine_embedding_loss(x, y, norch.tensor([1])).item(), 4)
    1.0
    """
    check_reduction("cosine_embedding_loss", reduction)
    if target.ndim > 1 or not input1.ndim == input2.ndim == target.ndim + 1:
        raise RuntimeError(
            f"[cosine_embedding_loss] inputs {tuple(input1.shape)}, {tuple(input2.shape)} and "
            f"target {tuple(target.shape)} do not fit: (N, D), (N, D) and (N,) are expected"
        )
    eps = 9.999999960041972e-13  # 1e-12 in float32: PyTorch's
    lengths = ((input1 * input1).sum(-1) + eps) * ((input2 * input2).sum(-1) + eps)
    cosine = (input1 * input2).sum(-1) / autograd.sqrt(lengths)
    alike = autograd.where(target == 1, 1 - cosine, 0.0)
    unlike = autograd.where(target == -1, (cosine - margin).clamp(min=0), 0.0)
    return reduce_losses(alike + unlike, reduction)


@loss
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Return max(0, margin + d(anchor, positive) - d(anchor, negative)), d the pairwise distance.

    `swap` uses d(positive, negative) where it is the smaller (Balntas et al., 2016).

    >>> triplet_margin_loss(norch.zeros(1, 2), norch.zeros(1, 2), norch.zeros(1, 2)).item()
    1.0
    """
    _check_triplets("triplet_margin_loss", anchor, positive, negative, margin, reduction)
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = autograd.minimum(far, pairwise_distance(positive, negative, p, eps))
    return reduce_losses((margin + near - far).clamp(min=0), reduction)


def _check_triplets(
    name: str, anchor: Tensor, positive: Tensor, negative: Tensor, margin: float, reduction: str
) -> None:
    """Raise for what neither triplet loss takes."""
    check_reduction(name, reduction)
    if not margin > 0:
        raise ValueError(f"[{name}] margin must be above 0, not {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            f"[{name}] anchor, positive and negative must have as many dimensions, "
            f"not {anchor.ndim}, {positive.ndim} and {negative.ndim}"
        )


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
        return margin_ranking_loss(input1, input2, target, self.margin, reduction=self.reduction)


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
        return hinge_embedding_loss(input, target, self.margin, reduction=self.reduction)


class SoftMarginLoss(Loss):
    """log(1 + exp(-target · input)).

    >>> round(SoftMarginLoss()(norch.zeros(1), norch.ones(1)).item(), 4)
    0.6931
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compare scores with targets 1 and -1."""
        return soft_margin_loss(input, target, reduction=self.reduction)


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
        return multi_margin_loss(
            input, target, self.p, self.margin, self.weight, reduction=self.reduction
        )


class MultiLabelMarginLoss(Loss):
    """Σ max(0, 1 - input[y] + input[i]) / C over right classes y and wrong classes i.

    >>> MultiLabelMarginLoss()(norch.tensor([[1.0, 0.5]]), norch.tensor([[0, -1]])).item()
    0.25
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compare scores (N, C) with lists of classes (N, C), closed by -1."""
        return multilabel_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(WeightedLoss):
    """The mean over classes of binary cross-entropy with logits.

    >>> round(MultiLabelSoftMarginLoss()(norch.zeros(1, 3), norch.zeros(1, 3)).item(), 4)
    0.6931
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compare scores (N, C) with zeros and ones (N, C)."""
        return multilabel_soft_margin_loss(input, target, self.weight, reduction=self.reduction)


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
        return triplet_margin_with_distance_loss(
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
        return cosine_embedding_loss(input1, input2, target, self.margin, reduction=self.reduction)


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
        return triplet_margin_loss(anchor, positive, negative, *options, reduction=self.reduction)
