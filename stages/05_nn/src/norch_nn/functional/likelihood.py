"""Losses that are the -log of a density: of counts (Poisson), of measurements (Gauss)."""

from __future__ import annotations

import math

import norch_autograd as autograd
from norch_autograd import Tensor
from norch_autograd.ops.dtype.autocast import in_single_precision
from norch_nn.functional.loss import check_reduction, reduced
from norch_nn.functional.old_words import with_old_words


@with_old_words
@in_single_precision
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
    return reduced(losses, reduction)


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
    var = fitted(input, var)
    if var.numel() and bool((var < 0).any()):
        raise ValueError("[gaussian_nll_loss] var has a negative number: a variance is expected")
    low = var.detach()
    safe = var + (low.clamp(min=eps) - low)
    losses = 0.5 * (autograd.log(safe) + autograd.square(input - target) / safe)
    return reduced(losses + 0.5 * math.log(2 * math.pi) if full else losses, reduction)


def fitted(input: Tensor, var: Tensor) -> Tensor:
    """Return `var` in a shape that goes with `input`."""
    given, wanted = tuple(var.shape), tuple(input.shape)
    if given == wanted or (given[:-1] == wanted[:-1] and given[-1] == 1):
        return var
    if given == wanted[:-1]:
        return var.unsqueeze(-1)
    raise ValueError(
        f"[gaussian_nll_loss] var {given} does not fit input {wanted}: the same shape is expected, "
        "or one variance a row"
    )
