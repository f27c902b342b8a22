"""Losses that are -log likelihoods: binary cross-entropy, Poisson and Gauss; and kl_div."""

from __future__ import annotations

import math
import warnings
from typing import Any

import norch_autograd as autograd
from norch_autograd import Function, Tensor
from norch_autograd.graph.operands import in_own_name
from norch_nn.functional.activation import logsigmoid
from norch_nn.functional.loss import (
    check_reduction,
    check_within,
    loss,
    reduce_losses,
)

LOWEST = -100.0  # the logarithm of 0, as PyTorch counts it: a loss stays finite
TINY = 1e-12  # and so does its slope


class BinaryCrossEntropy(Function):
    """-y·log(x) - (1 - y)·log(1 - x), with both logarithms kept above -100.

    The slope (x - y) / (x·(1 - x)) is written out: through the bounds it would be lost.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor) -> Tensor:
        """Compute the losses."""
        ctx.save_for_backward(x, y)
        yes, no = autograd.log(x).clamp(min=LOWEST), autograd.log1p(-x).clamp(min=LOWEST)
        return (y - 1) * no - y * yes

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor]:
        """Return the gradients of both."""
        (grad,) = grads
        x, y = ctx.saved_tensors
        dx = grad * (x - y) / (x * (1 - x)).clamp(min=TINY)
        return dx, grad * (autograd.log1p(-x) - autograd.log(x))


@loss
def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """Return -y·log(x) - (1 - y)·log(1 - x) of probabilities x and targets y of one shape.

    >>> binary_cross_entropy(norch.tensor([0.0]), norch.tensor([1.0])).item()
    100.0
    """
    check_reduction("binary_cross_entropy", reduction)
    _check_same_shape("binary_cross_entropy", input, target)
    _check_floating("binary_cross_entropy", input=input, target=target)
    if input.numel() and not bool(((input >= 0) & (input <= 1)).all()):
        raise RuntimeError(
            "[binary_cross_entropy] probabilities between 0 and 1 are expected: "
            "apply sigmoid, or use binary_cross_entropy_with_logits"
        )
    check_within("binary_cross_entropy", input, weight)
    losses: Tensor = BinaryCrossEntropy.apply(input, target)
    return reduce_losses(losses if weight is None else losses * weight, reduction)


@loss
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Return the binary cross-entropy of sigmoid(input) and `target`, exact for large inputs.

    `pos_weight` weighs the term of target 1, so that rare positives count more.

    >>> binary_cross_entropy_with_logits(norch.tensor([-200.0]), norch.tensor([1.0])).item()
    200.0
    """
    check_reduction("binary_cross_entropy_with_logits", reduction)
    _check_same_shape("binary_cross_entropy_with_logits", input, target)
    _check_floating("binary_cross_entropy_with_logits", input=input, target=target)
    check_within("binary_cross_entropy_with_logits", input, weight, pos_weight)
    log_probability = logsigmoid(input)
    if pos_weight is not None:
        more = pos_weight.to(input.dtype) - 1
        log_probability = log_probability * (more * target + 1)
    losses = (1 - target) * input - log_probability
    return reduce_losses(losses if weight is None else losses * weight.to(losses.dtype), reduction)


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


def _check_floating(name: str, **tensors: Tensor) -> None:
    """Raise RuntimeError for a tensor that is not floating-point: a target of ints, most often."""
    for what, x in tensors.items():
        if not x.is_floating_point():
            raise RuntimeError(f"[{name}] {what} is {x.dtype}: cast it, {what}.float()")


def _check_same_shape(name: str, input: Tensor, target: Tensor) -> None:
    """Raise ValueError unless both have one shape."""
    if tuple(input.shape) != tuple(target.shape):
        raise ValueError(
            f"[{name}] input {tuple(input.shape)} and target {tuple(target.shape)} must have "
            "one shape: reshape the target"
        )


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
        var = autograd.full_like(input, float(var), requires_grad=False)
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
