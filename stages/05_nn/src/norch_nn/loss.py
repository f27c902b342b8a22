"""Losses as modules: CrossEntropyLoss and MSELoss.

Each holds its options and calls the function of the same name.
"""

from __future__ import annotations

from norch_autograd import Tensor
from norch_nn import functional as F
from norch_nn.functional.loss import check_reduction
from norch_nn.module import Module

__all__ = ["CrossEntropyLoss", "MSELoss"]


class Loss(Module):
    """What every loss has: a reduction, 'none', 'mean' or 'sum'."""

    def __init__(self, reduction: str = "mean") -> None:
        """Check the reduction at once, not at the first batch."""
        super().__init__()
        self.reduction = check_reduction(type(self).__name__, reduction)


class MSELoss(Loss):
    """The mean of (input - target)² over all elements.

    >>> import norch_autograd as norch
    >>> MSELoss()(norch.tensor([1.0, 2.0]), norch.tensor([1.0, 4.0])).item()
    2.0
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compare `input` with `target`, of the same shape."""
        return F.mse_loss(input, target, reduction=self.reduction)


class CrossEntropyLoss(Loss):
    """-log softmax(input)[target], averaged over the targets that are not `ignore_index`.

    `input` holds logits (N, C, ...) or (C,); `target` class indices (N, ...) or (), or class
    probabilities of the shape of `input`. `weight` (C,) weighs the classes.

    >>> import norch_autograd as norch
    >>> loss = CrossEntropyLoss()(norch.zeros(2, 10), norch.tensor([3, 7]))
    >>> round(loss.item(), 4)
    2.3026
    """

    weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        *,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        """Choose the label that does not count, the reduction, and how sure the targets are."""
        super().__init__(reduction)
        if not 0 <= label_smoothing <= 1:
            raise ValueError(
                f"[CrossEntropyLoss] label_smoothing must lie in [0, 1], not {label_smoothing}"
            )
        self.register_buffer("weight", weight)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compare logits with their targets."""
        return F.cross_entropy(
            input,
            target,
            self.weight,
            self.ignore_index,
            self.reduction,
            self.label_smoothing,
        )
