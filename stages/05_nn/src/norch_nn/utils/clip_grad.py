"""Clipping gradients, in place: all of them together to a length, or each number to a bound."""

from __future__ import annotations

from collections.abc import Iterable

from norch_autograd import Tensor, no_grad, stack, zeros


def gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    """Return the gradients there are."""
    given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [p.grad for p in given if p.grad is not None]


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
    grads = gradients(parameters)
    if not grads:
        return zeros(())
    with no_grad():
        device = grads[0].device
        lengths = [g.norm(norm_type).to(device) for g in grads]
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


def clip_grad_value_(
    parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None
) -> None:
    """Move every number of every gradient between -clip_value and clip_value.

    >>> w = norch.zeros(2, requires_grad=True)
    >>> w.grad = norch.tensor([-3.0, 0.5])
    >>> clip_grad_value_([w], 1.0); w.grad.tolist()
    [-1.0, 0.5]
    """
    with no_grad():
        for g in gradients(parameters):
            g.clamp_(-clip_value, clip_value)
