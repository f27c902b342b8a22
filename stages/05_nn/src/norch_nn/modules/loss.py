"""Losses as modules: CrossEntropyLoss, MSELoss, BCELoss and others without a margin.

Each holds its options and calls the function of the same name.
"""

from __future__ import annotations

from norch_autograd import Tensor
from norch_autograd.graph.operands import in_own_name
from norch_nn import functional as F
from norch_nn.core.module import Module
from norch_nn.functional.loss import check_reduction, with_legacy_reduction


class Loss(Module):
    """What every loss has: a reduction, 'none', 'mean' or 'sum'."""

    reductions: tuple[str, ...] = ()  # beside the three

    @with_legacy_reduction
    def __init__(self, reduction: str = "mean") -> None:
        """Check the reduction at once, not at the first batch."""
        super().__init__()
        self.reduction = check_reduction(type(self).__name__, reduction, *self.reductions)


class WeightedLoss(Loss):
    """A loss that keeps a `weight`, which moves and is saved with it: for losses of one's own.

    >>> list(WeightedLoss(norch.ones(3)).state_dict())
    ['weight']
    """

    weight: Tensor | None

    @with_legacy_reduction
    def __init__(self, weight: Tensor | None = None, *, reduction: str = "mean") -> None:
        """Keep the weights."""
        super().__init__(reduction=reduction)
        self.register_buffer("weight", weight)


class MSELoss(Loss):
    """The mean of (input - target)² over all elements.

    >>> MSELoss()(norch.tensor([1.0, 2.0]), norch.tensor([1.0, 4.0])).item()
    2.0
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(input, target, reduction=self.reduction)


class L1Loss(Loss):
    """The mean of |input - target| over all elements.

    >>> L1Loss()(norch.tensor([1.0, 2.0]), norch.tensor([1.0, 4.0])).item()
    1.0
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.l1_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(Loss):
    """d² / (2·beta) where d = |input - target| is below `beta`, d - beta/2 elsewhere.

    >>> SmoothL1Loss(reduction="none")(norch.tensor([0.5, 3.0]), norch.zeros(2)).tolist()
    [0.125, 2.5]
    """

    @with_legacy_reduction
    def __init__(self, *, reduction: str = "mean", beta: float = 1.0) -> None:
        """Choose the reduction, and where the parabola becomes a line."""
        super().__init__(reduction=reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(Loss):
    """d² / 2 where d = |input - target| is below `delta`, delta·(d - delta/2) elsewhere.

    >>> HuberLoss("none", delta=2.0)(norch.tensor([1.0, 3.0]), norch.zeros(2)).tolist()
    [0.5, 4.0]
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        """Choose the reduction, and where the parabola becomes a line."""
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.huber_loss(input, target, self.reduction, self.delta)


class CrossEntropyLoss(WeightedLoss):
    """-log softmax(input)[target], averaged over the targets that are not `ignore_index`.

    `input` holds logits (N, C, ...) or (C,); `target` class indices (N, ...) or (), or class
    probabilities of the shape of `input`. `weight` (C,) weighs the classes.

    >>> loss = CrossEntropyLoss()(norch.zeros(2, 10), norch.tensor([3, 7]))
    >>> round(loss.item(), 4)
    2.3026
    """

    @with_legacy_reduction
    @in_own_name
    def __init__(
        self,
        weight: Tensor | None = None,
        *,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        """Choose the label that does not count, the reduction, and how sure the targets are."""
        super().__init__(weight, reduction=reduction)
        if not 0 <= label_smoothing <= 1:
            raise ValueError(
                f"[CrossEntropyLoss] label_smoothing must lie in [0, 1], not {label_smoothing}"
            )
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(
            input,
            target,
            self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class NLLLoss(WeightedLoss):
    """-input[target] of log-probabilities (N, C, ...), averaged with the weights of the classes.

    >>> NLLLoss()(norch.tensor([[-0.5, -3.0]]), norch.tensor([1])).item()
    3.0
    """

    @with_legacy_reduction
    def __init__(
        self, weight: Tensor | None = None, *, ignore_index: int = -100, reduction: str = "mean"
    ) -> None:
        """Choose the weights of the classes, the label that does not count, and the reduction."""
        super().__init__(weight, reduction=reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.nll_loss(
            input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction
        )


class BCELoss(WeightedLoss):
    """-y·log(x) - (1 - y)·log(1 - x) of probabilities x and targets y, times `weight`.

    >>> round(BCELoss()(norch.tensor([0.5]), norch.tensor([1.0])).item(), 4)
    0.6931
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compare probabilities with targets of the same shape."""
        return F.binary_cross_entropy(input, target, self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(WeightedLoss):
    """BCELoss of sigmoid(input), exact for large inputs; `pos_weight` weighs target 1.

    >>> BCEWithLogitsLoss()(norch.tensor([-200.0]), norch.tensor([1.0])).item()
    200.0
    """

    pos_weight: Tensor | None

    @with_legacy_reduction
    def __init__(
        self,
        weight: Tensor | None = None,
        *,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        """Choose the weights of the elements, the reduction and the weight of positives."""
        super().__init__(weight, reduction=reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compare logits with targets of the same shape."""
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, reduction=self.reduction, pos_weight=self.pos_weight
        )
