"""CTCLoss: labels without times, for speech and handwriting."""

from __future__ import annotations

from collections.abc import Sequence

from norch_autograd import Tensor
from norch_nn import functional as F
from norch_nn.module import Module


class CTCLoss(Module):
    """-log P of the labels, over all ways to stretch them over the time steps.

    log_probs (T, N, C), targets (N, S) or all in one row, and the lengths of both.

    >>> log_probs = norch.zeros(4, 1, 3).log_softmax(2)
    >>> CTCLoss()(log_probs, norch.tensor([[1, 2]]), [4], [2]).item() > 0
    True
    """

    def __init__(
        self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False
    ) -> None:
        """Choose which class is the blank, how losses are reduced, what an impossible one costs."""
        super().__init__()
        self.reduction = reduction
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(
        self,
        log_probs: Tensor,
        targets: Tensor,
        input_lengths: Tensor | Sequence[int],
        target_lengths: Tensor | Sequence[int],
    ) -> Tensor:
        """Return the loss."""
        lengths = (input_lengths, target_lengths)
        options = (self.blank, self.reduction, self.zero_infinity)
        return F.ctc_loss(log_probs, targets, *lengths, *options)
