"""Clipping gradients, in place: all of them together to a norm, or each number to a bound.

clip_grad_norm_ can also be done in two halves: for loops that log the norm, or measure once and
clip later.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable

from norch_autograd import Tensor, no_grad, stack, zeros
from norch_autograd.graph.operands import in_own_name

from ..core.parameter import GradientPart, Parameter


def gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    """Return the gradients there are."""
    given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [p.grad for p in given if p.grad is not None]


def length_of_gradient(parameter: Tensor, grad: Tensor, norm_type: float) -> Tensor:
    """Return the length of a gradient; a parameter may have the rest of it in other processes."""
    if isinstance(parameter, Parameter):
        return parameter.gradient_norm(grad, norm_type)
    return grad.norm(norm_type)


@in_own_name
def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Shorten all gradients, seen as one vector, to length `max_norm`; return the length before.

    Raises RuntimeError for an infinite length if `error_if_nonfinite`. `foreach` changes nothing.

    >>> w = norch.zeros(2, requires_grad=True)
    >>> w.grad = norch.tensor([30.0, 40.0])
    >>> clip_grad_norm_(w, 5.0).item(), [round(g, 4) for g in w.grad.tolist()]
    (50.0, [3.0, 4.0])
    """
    given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    grads, max_norm, norm_type = gradients(given), float(max_norm), float(norm_type)
    if not grads:
        return zeros(())
    with no_grad():
        found = [length_of_gradient(p, p.grad, norm_type) for p in given if p.grad is not None]
        lengths = [length.to(grads[0].device) for length in found]
        total = stack(lengths).norm(norm_type)
        if error_if_nonfinite and not bool(total.isfinite()):
            raise RuntimeError(
                f"[clip_grad_norm_] the length of the gradients is {total.item()}: "
                "they cannot be shortened"
            )
        # ex 5.7 begin
        # The 1e-6 is PyTorch's; multiplying by 1 saves the question whether to clip.
        factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for g in grads:
            g.mul_(factor.to(g.device))
        # ex 5.7 end
    return total


def clip_grad_norm(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """`clip_grad_norm_` under its name before PyTorch 0.4, which is deprecated and says so."""
    warnings.warn(
        "[clip_grad_norm] is deprecated: use clip_grad_norm_", FutureWarning, stacklevel=2
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


@in_own_name
def clip_grad_value_(
    parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None
) -> None:
    """Move every number of every gradient between -clip_value and clip_value.

    >>> w = norch.zeros(2, requires_grad=True)
    >>> w.grad = norch.tensor([-3.0, 0.5])
    >>> clip_grad_value_([w], 1.0); w.grad.tolist()
    [-1.0, 0.5]
    """
    clip_value = float(clip_value)
    with no_grad():
        for g in gradients(parameters):
            g.clamp_(-clip_value, clip_value)


@in_own_name
def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Return the length of all `tensors` seen as one vector; `foreach` changes nothing.

    Gradients of which other processes have parts are refused: nothing tells here which ones.

    >>> get_total_norm([norch.tensor([3.0]), norch.tensor([[4.0]])]).item()
    5.0
    """
    given = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    norm_type = float(norm_type)
    for i, x in enumerate(given):
        if isinstance(x, GradientPart):
            raise ValueError(
                f"[get_total_norm] tensor {i} is this rank's part of a gradient: measure the "
                "parameters with clip_grad_norm_(parameters, math.inf), on every rank"
            )
    if not given:
        return zeros(())
    with no_grad():
        total = stack([x.norm(norm_type).to(given[0].device) for x in given]).norm(norm_type)
    if error_if_nonfinite and not bool(total.isfinite()):
        raise RuntimeError(
            f"[get_total_norm] the length is {total.item()}, expected a finite one: "
            "look for inf and nan in the gradients"
        )
    return total


@in_own_name
def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    total_norm: Tensor,
    foreach: bool | None = None,
) -> None:
    """Shorten all gradients by max_norm / total_norm, if that is below 1.

    >>> w = norch.zeros(2, requires_grad=True)
    >>> w.grad = norch.tensor([30.0, 40.0])
    >>> clip_grads_with_norm_(w, 5.0, get_total_norm(w.grad)); round(w.grad.norm().item(), 4)
    5.0
    """
    share = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
    with no_grad():
        for grad in gradients(parameters):
            grad.copy_(grad * share.to(grad.device))
