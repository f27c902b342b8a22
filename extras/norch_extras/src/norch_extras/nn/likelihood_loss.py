"""Losses that are -log likelihoods: Poisson's and Gauss's; and kl_div."""

from __future__ import annotations

import math
import warnings

import norch_autograd as autograd
from norch_autograd import Tensor
from norch_autograd.graph.operands import in_own_name
from norch_nn.functional.loss import (
    check_reduction,
    loss,
    reduce_losses,
    with_legacy_reduction,
)
from norch_nn.modules.loss import Loss


@loss
def kl_div(
    input: Tensor, target: Tensor, reduction: str = "mean", log_target: bool = False
) -> Tensor:
    """Return target·(log(target) - input) of log-probabilities `input`, reduced.

    "batchmean" divides the sum by the first size: the Kullback-Leibler divergence. `log_target`
    says that the targets are logarithms too.

    >>> input, target = norch.tensor([[-1.0, -1.0]]), norch.tensor([[1.0, 0.0]])
    >>> kl_div(input, target, reduction="batchmean").item()
    1.0
    """
    check_reduction("kl_div", reduction, "batchmean")
    if log_target:
        losses = autograd.exp(target) * (target - input)
    else:
        # 0·log(0) counts as 0.
        safe = autograd.where(target == 0, 1.0, target)
        losses = target * autograd.log(safe) - target * input
    if reduction == "batchmean":
        return losses.sum() / (input.shape[0] if input.ndim else 1)
    if reduction == "mean":
        warnings.warn(
            "[kl_div] reduction='mean' divides by the number of elements: "
            "'batchmean' is the Kullback-Leibler divergence",
            stacklevel=2,
        )
    return reduce_losses(losses, reduction)


@loss
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-8,
    reduction: str = "mean",
) -> Tensor:
    """Return exp(input) - target · input; without `log_input`, input - target · log(input + eps).

    `full` adds Stirling's estimate of log(target!) where the target is above 1.

    >>> poisson_nll_loss(norch.zeros(2), norch.zeros(2)).item()
    1.0
    """
    check_reduction("poisson_nll_loss", reduction)
    if log_input:
        losses = autograd.exp(input) - target * input
    else:
        losses = input - target * autograd.log(input + eps)
    if full:
        safe = autograd.where(target > 1, target, 1.0)
        stirling = safe * autograd.log(safe) - safe + 0.5 * autograd.log(2 * math.pi * safe)
        losses = losses + autograd.where(target > 1, stirling, 0.0)
    return reduce_losses(losses, reduction)


@in_own_name
def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """Return (log(var) + (input - target)² / var) / 2, `var` no smaller than `eps`.

    `var` has the shape of `input`, or 1 in (or is without) the last dimension. `full` adds
    log(2π) / 2. The bound `eps` takes no gradient away.

    >>> gaussian_nll_loss(norch.ones(2), norch.zeros(2), norch.ones(2)).item()
    0.5
    """
    check_reduction("gaussian_nll_loss", reduction)
    if not isinstance(var, Tensor):
        kind = input.dtype if input.is_floating_point() else autograd.float32  # a sign must show
        var = autograd.full_like(input, float(var), dtype=kind, requires_grad=False)
    var = _fit_var(input, var)
    if var.numel() and bool((var < 0).any()):
        raise ValueError("[gaussian_nll_loss] var has a negative number: a variance is expected")
    low = var.detach()
    safe = var + (low.clamp(min=eps) - low)
    losses = 0.5 * (autograd.log(safe) + autograd.square(input - target) / safe)
    return reduce_losses(losses + 0.5 * math.log(2 * math.pi) if full else losses, reduction)


def _fit_var(input: Tensor, var: Tensor) -> Tensor:
    """Return `var` in a shape that goes with `input`."""
    given, wanted = tuple(var.shape), tuple(input.shape)
    if given == wanted or (given and given[:-1] == wanted[:-1] and given[-1] == 1):
        return var
    if given == wanted[:-1]:
        return var.unsqueeze(-1)
    raise ValueError(
        f"[gaussian_nll_loss] var {given} does not fit input {wanted}: the same shape is expected, "
        "or one variance a row"
    )


class KLDivLoss(Loss):
    """target·(log(target) - input) of log-probabilities; "batchmean" is the divergence.

    >>> loss = KLDivLoss(reduction="batchmean")
    >>> loss(norch.tensor([[-1.0, -1.0]]), norch.tensor([[1.0, 0.0]])).item()
    1.0
    """

    reductions = ("batchmean",)

    @with_legacy_reduction
    def __init__(self, *, reduction: str = "mean", log_target: bool = False) -> None:
        """Choose the reduction, and whether targets are logarithms too."""
        super().__init__(reduction=reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class PoissonNLLLoss(Loss):
    """exp(input) - target · input: the -log of a Poisson density with mean exp(input).

    >>> PoissonNLLLoss()(norch.zeros(2), norch.zeros(2)).item()
    1.0
    """

    @with_legacy_reduction
    def __init__(
        self,
        *,
        log_input: bool = True,
        full: bool = False,
        eps: float = 1e-8,
        reduction: str = "mean",
    ) -> None:
        """Choose whether inputs are logarithms, whether constants count, and the reduction."""
        super().__init__(reduction=reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        """Compare means with counts."""
        return poisson_nll_loss(
            log_input, target, self.log_input, self.full, eps=self.eps, reduction=self.reduction
        )


class GaussianNLLLoss(Loss):
    """(log(var) + (input - target)² / var) / 2: the -log of a normal density.

    >>> GaussianNLLLoss()(norch.ones(2), norch.zeros(2), norch.ones(2)).item()
    0.5
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        """Choose whether the constant counts, the smallest variance, and the reduction."""
        super().__init__(reduction=reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        """Compare means with measurements of variance `var`."""
        return gaussian_nll_loss(input, target, var, self.full, self.eps, self.reduction)
