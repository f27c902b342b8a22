"""ctc_loss: how likely a sequence of labels is, when nobody says which time step shows which label.

Every way to stretch the labels over the time steps, with blanks between, is added up in one pass
over time (Graves et al., 2006). The gradient is autograd's: going back through the pass is what
the paper calls the backward variables.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import norch_autograd as autograd
from norch_autograd import Tensor, stack, where
from norch_autograd.graph.operands import in_own_name
from norch_nn.core.module import Module
from norch_nn.functional.loss import check_reduction

NEVER = -1e30  # the logarithm of 0: finite, so that no gradient becomes NaN


@in_own_name
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Return -log P(targets) of log-probabilities (T, N, C), or (T, C) for one sample.

    `targets` are labels (N, S), or all of them in one row. A mean is one of losses divided by their
    target_lengths. A target that cannot be fit into its steps costs inf, or 0 with `zero_infinity`.

    >>> uniform = norch.zeros(2, 1, 2).log_softmax(2)
    >>> round(ctc_loss(uniform, norch.tensor([[1]]), [2], [1]).exp().item(), 4)  # 3 ways of 4
    1.3333
    """
    check_reduction("ctc_loss", reduction)
    single = log_probs.ndim == 2
    if single:
        log_probs = log_probs.unsqueeze(1)
    count = log_probs.shape[1]
    steps, lengths = whole(input_lengths), whole(target_lengths)
    _check(log_probs, steps, lengths, blank)
    labels = pad_labels(targets, lengths, count, blank, log_probs)
    losses = -forward(log_probs, labels, steps, lengths, blank)
    losses = losses + _normalise(log_probs, steps)
    possible = losses < -NEVER / 2
    losses = where(possible, losses, 0.0 if zero_infinity else math.inf)
    if reduction == "mean":
        size = autograd.tensor([max(n, 1) for n in lengths], dtype=losses.dtype)
        return (losses / size.to(losses.device)).mean()
    if reduction == "sum":
        return losses.sum()
    return losses.squeeze(0) if single else losses


def _normalise(log_probs: Tensor, steps: list[int]) -> Tensor:
    """Return a zero a sample whose gradient is exp(log_probs).

    The probabilities of a step add up to 1. This term takes that into the gradient, as PyTorch
    does: it is the gradient of the logits before log_softmax.
    """
    time = autograd.arange(log_probs.shape[0], device=log_probs.device).reshape(-1, 1, 1)
    alive = time < autograd.tensor(steps, device=log_probs.device).reshape(-1, 1)
    shares = where(alive, log_probs.exp(), 0.0)
    return (shares - shares.detach()).sum((0, 2))


@in_own_name
def whole(lengths: Tensor | Sequence[int]) -> list[int]:
    """Return the lengths of inputs or targets as a list."""
    given = lengths.reshape(-1).tolist() if isinstance(lengths, Tensor) else lengths
    return [int(n) for n in given]


def _check(log_probs: Tensor, steps: list[int], lengths: list[int], blank: int) -> None:
    """Refuse log-probabilities, lengths and a blank that do not go together."""
    total, count, classes = log_probs.shape
    if len(steps) != count or len(lengths) != count:
        raise RuntimeError(
            f"[ctc_loss] {count} samples need as many lengths, not {len(steps)} and {len(lengths)}"
        )
    if not 0 <= blank < classes:
        raise RuntimeError(f"[ctc_loss] blank must be one of {classes} classes, not {blank}")
    if not all(0 <= n <= total for n in steps):
        raise RuntimeError(f"[ctc_loss] input_lengths must lie between 0 and {total}, not {steps}")
    if any(n < 0 for n in lengths):
        raise RuntimeError(f"[ctc_loss] target_lengths must be 0 or more, not {lengths}")


@in_own_name
def pad_labels(targets: Tensor, lengths: list[int], count: int, blank: int, like: Tensor) -> Tensor:
    """Return the labels as (N, longest), with blanks where there are no more."""
    if targets.ndim == 2 and targets.shape[1] < max(lengths, default=0):
        raise RuntimeError(
            f"[ctc_loss] targets {tuple(targets.shape)} are shorter than their lengths {lengths}"
        )
    if targets.ndim != 2 and targets.numel() != sum(lengths):
        raise RuntimeError(
            f"[ctc_loss] target_lengths add up to {sum(lengths)}, there are {targets.numel()}"
        )
    longest = max(lengths, default=0)
    rows, start = [], 0
    given = targets.tolist()
    for i in range(count):
        row = given[i] if targets.ndim == 2 else given[start:]
        rows.append([int(label) for label in row[: lengths[i]]])
        rows[-1] += [blank] * (longest - lengths[i])
        start += lengths[i]
    made = autograd.tensor(rows, dtype=autograd.int64).reshape(count, longest)
    return made.to(like.device)


@in_own_name
def forward(
    log_probs: Tensor, labels: Tensor, steps: list[int], lengths: list[int], blank: int
) -> Tensor:
    """Return log P of every sample: the forward variables, one time step after the other.

    Place 2k + 1 of a row is label k, the even places are blanks. From one step to the next a way
    stays, goes on by one place, or jumps over a blank between two different labels.
    """
    longest = labels.shape[1]
    blanks = autograd.full_like(labels[:, :0].sum(1, keepdim=True), blank)
    row = [blanks]
    for k in range(longest):
        row += [labels[:, k : k + 1], blanks]
    places = autograd.cat(row, 1)  # (N, 2 S + 1)
    jumps = autograd.zeros_like(places, dtype=autograd.bool)
    jumps[:, 2:] = (places[:, 2:] != blank) & (places[:, 2:] != places[:, :-2])
    seen = log_probs.gather(2, places.unsqueeze(0).expand(log_probs.shape[0], -1, -1))
    position = autograd.arange(places.shape[1], device=places.device)
    ends = autograd.tensor(steps, device=places.device).unsqueeze(1)
    nothing = where(position == 0, 0.0, NEVER).to(seen.dtype)  # before the first step
    alpha = where(ends > 0, where(position < 2, seen[0], NEVER), nothing)
    never = autograd.full_like(alpha[:, :1], NEVER, requires_grad=False)
    for t in range(1, log_probs.shape[0]):
        one = autograd.cat([never, alpha], 1)[:, :-1]
        two = where(jumps, autograd.cat([never, never, alpha], 1)[:, :-2], NEVER)
        new = stack([alpha, one, two]).logsumexp(0) + seen[t]
        alpha = where(ends > t, new, alpha)
    last = autograd.tensor([[2 * n, max(2 * n - 1, 0)] for n in lengths], device=places.device)
    finals = alpha.gather(1, last)
    # A sample without labels has one final place, not two.
    empty = autograd.tensor([[False, n == 0] for n in lengths], device=places.device)
    return where(empty, NEVER, finals).logsumexp(1)


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
        lengths = (input_lengths, target_lengths)
        options = (self.reduction, self.zero_infinity)
        return ctc_loss(log_probs, targets, *lengths, self.blank, *options)
