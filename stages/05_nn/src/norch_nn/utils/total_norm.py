"""The two halves of clip_grad_norm_ one by one: measure the gradients, then shorten them.

For training loops that log the length, or that measure once and clip later.
"""

from __future__ import annotations

from collections.abc import Iterable

from norch_autograd import Tensor, no_grad, stack, zeros
from norch_nn.utils.clip_grad import gradients


def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Return the length of all `tensors` seen as one vector; `foreach` changes nothing.

    >>> get_total_norm([norch.tensor([3.0]), norch.tensor([[4.0]])]).item()
    5.0
    """
    given = [tensors] if isinstance(tensors, Tensor) else list(tensors)
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
    share = (max_norm / (total_norm + 1e-6)).clamp(max=1.0)
    with no_grad():
        for grad in gradients(parameters):
            grad.copy_(grad * share.to(grad.device))
