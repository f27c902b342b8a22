"""Losses that are -log likelihoods: binary cross-entropy, Poisson and Gauss; and kl_div."""

from __future__ import annotations

from typing import Any

import norch_autograd as autograd
from norch_autograd import Function, Tensor
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
